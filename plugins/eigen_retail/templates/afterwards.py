"""After delivery: returns to every allowed place, exchanges, items bought twice, and one request out of two."""

from __future__ import annotations

from collections.abc import Sequence

from eigen_cli.api.domain import Draft
from eigen_cli.api.record import Money, money
from eigen_cli.api.tasks import Action, CheckCall
from eigen_retail.records import CreditCard, GiftCard, Order, OrderItem, Paypal, User, Variant
from eigen_retail.templates import telling
from eigen_retail.templates.drafting import (
    NOT_TRANSFERRED,
    Held,
    Scene,
    amount,
    call,
    drafted,
    gift_balance,
    looked_up,
    payers,
    read_order,
    stored,
    template,
)
from eigen_retail.templates.item_changes import sold_out
from eigen_retail.templates.requests import goal
from eigen_retail.templates.situations import delivered, double, payer, single
from eigen_retail.templates.swaps import Swap, dear_swap, swap

RETURNED = ("get_order_details", "return_delivered_order_items")
EXCHANGED = ("get_order_details", "get_product_details", "exchange_delivered_order_items")


def returned(order: Order, items: Sequence[OrderItem], payment_id: str) -> Action:
    """Return the returning call."""
    return call(
        "return_delivered_order_items",
        order_id=order.order_id,
        item_ids=[item.item_id for item in items],
        payment_method_id=payment_id,
    )


def worth(items: Sequence[OrderItem]) -> Money:
    """Return what items were sold for."""
    return money(sum((item.price for item in items), money(0)))


def _return(
    scene: Scene, held: Held, items: Sequence[OrderItem], payment: str, *, count: str = "", wording: str = ""
) -> Draft:
    user, order = held
    return drafted(
        scene,
        user,
        goal(
            scene,
            "return_items",
            telling.which(order),
            telling.things(scene, items, count=count),
            telling.pay_with(scene, user, payment),
            wording=wording,
        ),
        gold=[read_order(order), returned(order, items, payment)],
        communicate=[amount(worth(items), "refund")],
    )


@template(tools=RETURNED, clauses=("1.1", "3.1", "3.4", "6.1", "6.2"), difficulty=1)
def return_some(scene: Scene) -> Draft | None:
    """Some items back, money to where it came from."""
    held = scene.held(lambda user, order: delivered(user, order) and len(single(order)) > 1)
    if held is None:
        return None
    items = scene.shuffled(single(held[1]))[: 1 + int(scene.rng.random() * 2)]
    return _return(scene, held, items, payer(held[1]))


@template(tools=RETURNED, clauses=("1.1", "3.1", "6.1", "6.2"), difficulty=2)
def return_to_gift_card(scene: Scene) -> Draft | None:
    """Money onto a gift card, though the order was paid otherwise."""
    held = scene.held(
        lambda user, order: (
            delivered(user, order)
            and bool(single(order))
            and bool(stored(user, GiftCard))
            and payer(order) not in stored(user, GiftCard)
        )
    )
    if held is None:
        return None
    return _return(scene, held, [scene.pick(single(held[1]))], stored(held[0], GiftCard)[0])


@template(tools=RETURNED, clauses=("1.1", "3.1", "3.4", "6.1"), difficulty=2)
def return_everything(scene: Scene) -> Draft | None:
    """The whole order back."""
    held = scene.held(
        lambda user, order: (
            delivered(user, order) and len(order.items) > 1 and len(single(order)) == len(order.items) <= 4
        )
    )
    return None if held is None else _return(scene, held, held[1].items, payer(held[1]), wording="return_everything")


@template(tools=RETURNED, clauses=("1.1", "3.1", "3.4", "6.1"), difficulty=2)
def return_bought_twice(scene: Scene) -> Draft | None:
    """Of two alike, one goes back, or both."""
    held = scene.held(lambda user, order: delivered(user, order) and double(order) is not None)
    item = None if held is None else double(held[1])
    if held is None or item is None:
        return None
    count = scene.pick(("one", "both"))
    return _return(scene, held, [item] * (1 if count == "one" else 2), payer(held[1]), count=count)


@template(tools=RETURNED, clauses=("1.1", "1.4", "3.1", "6.1"), difficulty=3)
def return_to_other_card_refused(scene: Scene) -> Draft | None:
    """The refund cannot go where the customer wants it first."""

    def elsewhere(user: User, order: Order) -> list[str]:
        return [key for key in stored(user, CreditCard, Paypal) if key != payer(order)]

    held = scene.held(
        lambda user, order: delivered(user, order) and bool(single(order)) and bool(elsewhere(user, order))
    )
    if held is None:
        return None
    user, order = held
    item = scene.pick(single(order))
    return drafted(
        scene,
        user,
        goal(
            scene,
            "return_items",
            telling.which(order),
            telling.things(scene, [item]),
            telling.pay_with(scene, user, scene.pick(elsewhere(user, order))),
            telling.pay_with(scene, user, payer(order), name="other_payment"),
        ),
        gold=[read_order(order), returned(order, [item], payer(order))],
        communicate=[amount(item.price, "refund")],
        instructions="If the refund cannot go there, you take it to the method you paid with.",
    )


# Exchanges


def _exchange(scene: Scene, held: Held | None, *, count: int) -> Draft | None:
    found = None if held is None else swap(scene, held[1], count=count)
    payment = None if held is None or found is None else scene.pick(payers(held[0], found.difference) or [None])
    if held is None or found is None or payment is None:
        return None
    user, order = held
    same = Swap(order, found.old, tuple(_unchanged(scene, item) for item in found.old))
    careless = [*found.reads(), same.call("exchange_delivered_order_items", payment)]
    # Exchanging things for what they are runs only where they are in stock.
    runs = all(variant.available for variant in same.new) and scene.chance(0.3)
    return drafted(
        scene,
        user,
        goal(
            scene,
            "exchange_items",
            telling.which(order),
            telling.wanted(scene, found.changes),
            telling.pay_with(scene, user, payment),
        ),
        gold=[*found.reads(), found.call("exchange_delivered_order_items", payment)],
        communicate=[amount(found.difference, "price difference")] if found.difference else [],
        breach=careless if runs else (),
    )


def _unchanged(scene: Scene, item: OrderItem) -> Variant:
    return scene.product(item.product_id).variants[item.item_id]


@template(tools=EXCHANGED, clauses=("1.1", "3.1", "3.4", "5.3", "5.4", "6.2"), difficulty=2)
def exchange_one(scene: Scene) -> Draft | None:
    """One item for another of its product."""
    return _exchange(scene, scene.held(lambda user, order: delivered(user, order) and bool(single(order))), count=1)


@template(tools=EXCHANGED, clauses=("1.1", "3.1", "3.4", "5.3", "5.4", "6.2"), difficulty=3)
def exchange_two(scene: Scene) -> Draft | None:
    """Two items in one call."""
    held = scene.held(lambda user, order: delivered(user, order) and len(single(order)) > 1)
    return _exchange(scene, held, count=2)


@template(tools=EXCHANGED, clauses=("1.1", "3.1", "5.3"), difficulty=3)
def exchange_sold_out(scene: Scene) -> Draft | None:
    """What the customer wants is sold out; they have a second choice."""
    held = scene.held(lambda user, order: delivered(user, order) and bool(single(order)))
    return sold_out(scene, held, intent="exchange_items", tool="exchange_delivered_order_items")


@template(tools=EXCHANGED, clauses=("1.1", "3.1", "5.3", "5.4"), difficulty=3)
def exchange_gift_card_short(scene: Scene) -> Draft | None:
    """The gift card cannot pay the difference; another method does."""
    for user in scene.users():
        balance, cards = gift_balance(user), stored(user, CreditCard, Paypal)
        for order in scene.orders(user):
            found = dear_swap(scene, order, above=balance) if balance is not None and delivered(user, order) else None
            if found is None or not cards:
                continue
            card = scene.pick(cards)
            return drafted(
                scene,
                user,
                goal(
                    scene,
                    "exchange_items",
                    telling.which(order),
                    telling.wanted(scene, found.changes),
                    telling.pay_with(scene, user, stored(user, GiftCard)[0]),
                    telling.pay_with(scene, user, card, name="other_payment"),
                ),
                gold=[*found.reads(), found.call("exchange_delivered_order_items", card)],
                communicate=[amount(found.difference, "price difference")],
                instructions="You would like to use up your gift card; if it does not suffice, use the other method.",
            )
    return None


@template(tools=(*EXCHANGED, "return_delivered_order_items"), clauses=("1.1", "1.4", "3.1", "3.5"), difficulty=3)
def exchange_then_return_refused(scene: Scene) -> Draft | None:
    """An exchange and a return on the same order: only the first is possible."""
    held = scene.held(lambda user, order: delivered(user, order) and len(single(order)) > 1)
    found = None if held is None else swap(scene, held[1], count=1)
    payment = None if held is None or found is None else scene.pick(payers(held[0], found.difference) or [None])
    if held is None or found is None or payment is None:
        return None
    user, order = held
    rest = scene.pick([item for item in single(order) if item is not found.old[0]])
    return drafted(
        scene,
        user,
        goal(
            scene,
            "exchange_items",
            telling.which(order),
            telling.wanted(scene, found.changes),
            telling.pay_with(scene, user, payment),
        ),
        goal(
            scene,
            "return_items",
            telling.which(order),
            telling.things(scene, [rest]),
            telling.pay_with(scene, user, payer(order)),
        ),
        gold=[*found.reads(), found.call("exchange_delivered_order_items", payment)],
        checks=[
            looked_up(order),
            CheckCall("written_only", {"tools": ["exchange_delivered_order_items"]}),
            NOT_TRANSFERRED,
        ],
        instructions="The exchange matters more to you than the return.",
    )
