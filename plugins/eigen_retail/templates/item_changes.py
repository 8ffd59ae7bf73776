"""Changing the items of pending orders: one, several, sold out, too dear for a gift card, and after other changes."""

from __future__ import annotations

from eigen_cli.api.domain import Draft
from eigen_cli.api.record import money
from eigen_retail.records import CreditCard, GiftCard, Paypal
from eigen_retail.templates import telling
from eigen_retail.templates.changes import new_address, other_payers, repaid, sent_to
from eigen_retail.templates.drafting import (
    Held,
    Scene,
    amount,
    drafted,
    gift_balance,
    payers,
    read_order,
    read_product,
    stored,
    template,
)
from eigen_retail.templates.requests import goal
from eigen_retail.templates.situations import pending, single
from eigen_retail.templates.swaps import Swap, dear_swap, others, swap

_ITEMS = ("get_order_details", "get_product_details", "modify_pending_order_items")


def _modification(scene: Scene, held: Held | None, found: Swap | None) -> Draft | None:
    payment = None if held is None or found is None else scene.pick(payers(held[0], found.difference) or [None])
    if held is None or found is None or payment is None:
        return None
    user, order = held
    return drafted(
        scene,
        user,
        goal(
            scene,
            "change_items",
            telling.which(order),
            telling.wanted(scene, found.changes),
            telling.pay_with(scene, user, payment),
        ),
        gold=[*found.reads(), found.call("modify_pending_order_items", payment)],
        communicate=[amount(found.difference, "price difference")] if found.difference else [],
    )


@template(tools=_ITEMS, clauses=("1.1", "3.1", "3.4", "5.3", "5.4"), difficulty=2)
def change_one_item(scene: Scene) -> Draft | None:
    """One item gets other options."""
    held = scene.held(lambda user, order: pending(user, order) and bool(single(order)))
    return _modification(scene, held, None if held is None else swap(scene, held[1], count=1))


@template(tools=_ITEMS, clauses=("1.1", "3.1", "3.4", "5.3", "5.4"), difficulty=3)
def change_two_items(scene: Scene) -> Draft | None:
    """Two items in one call; the differences add up."""
    held = scene.held(lambda user, order: pending(user, order) and len(single(order)) > 1)
    return _modification(scene, held, None if held is None else swap(scene, held[1], count=2))


@template(tools=_ITEMS, clauses=("1.1", "3.1", "5.3", "5.4"), difficulty=3)
def change_item_gift_card_short(scene: Scene) -> Draft | None:
    """The gift card cannot pay the difference; another method does."""
    for user in scene.users():
        balance, cards = gift_balance(user), stored(user, CreditCard, Paypal)
        for order in scene.orders(user):
            found = dear_swap(scene, order, above=balance) if balance is not None and pending(user, order) else None
            if found is None or not cards:
                continue
            card = scene.pick(cards)
            return drafted(
                scene,
                user,
                goal(
                    scene,
                    "change_items",
                    telling.which(order),
                    telling.wanted(scene, found.changes),
                    telling.pay_with(scene, user, stored(user, GiftCard)[0]),
                    telling.pay_with(scene, user, card, name="other_payment"),
                ),
                gold=[*found.reads(), found.call("modify_pending_order_items", card)],
                communicate=[amount(found.difference, "price difference")],
                instructions="You would like to use up your gift card; if it does not suffice, use the other method.",
            )
    return None


@template(tools=_ITEMS, clauses=("1.1", "3.1", "5.3"), difficulty=3)
def change_item_sold_out(scene: Scene) -> Draft | None:
    """What the customer wants is sold out; they have a second choice."""
    held = scene.held(lambda user, order: pending(user, order) and bool(single(order)))
    return sold_out(scene, held, intent="change_items", tool="modify_pending_order_items")


def sold_out(scene: Scene, held: Held | None, *, intent: str, tool: str) -> Draft | None:
    """Return a draft in which the first choice is sold out and the second is in stock."""
    if held is None:
        return None
    user, order = held
    for item in scene.shuffled(single(order)):
        gone, there = others(scene, item, available=False), others(scene, item)
        if not gone or not there:
            continue
        first, second = Swap(order, (item,), (scene.pick(gone),)), Swap(order, (item,), (scene.pick(there),))
        payment = scene.pick(payers(user, max(money(0), first.difference, second.difference)) or [None])
        if payment is None:
            continue
        return drafted(
            scene,
            user,
            goal(
                scene,
                intent,
                telling.which(order),
                telling.wanted(scene, first.changes),
                telling.wanted(scene, second.changes, name="fallback"),
                telling.pay_with(scene, user, payment),
            ),
            gold=[read_order(order), read_product(item.product_id), second.call(tool, payment)],
            communicate=[amount(second.difference, "price difference")] if second.difference else [],
            instructions="If your first choice is sold out, you take your second choice.",
        )
    return None


@template(
    tools=(*_ITEMS, "modify_pending_order_address"),
    clauses=("1.1", "1.2", "3.1", "3.3", "5.1", "5.3", "5.5"),
    difficulty=3,
)
def change_address_then_items(scene: Scene) -> Draft | None:
    """Both at once: the items must come last. The careless author changes them first."""
    held = scene.held(lambda user, order: pending(user, order) and bool(single(order)))
    found = None if held is None else swap(scene, held[1], count=1)
    payment = None if held is None or found is None else scene.pick(payers(held[0], found.difference) or [None])
    if held is None or found is None or payment is None:
        return None
    user, order = held
    address = new_address(scene)
    elsewhere, modified = sent_to(order, address), found.call("modify_pending_order_items", payment)
    return drafted(
        scene,
        user,
        goal(
            scene,
            "change_items_and_address",
            telling.which(order),
            telling.wanted(scene, found.changes),
            telling.pay_with(scene, user, payment),
            telling.place(scene, address),
        ),
        gold=[*found.reads(), elsewhere, modified],
        communicate=[amount(found.difference, "price difference")] if found.difference else [],
        breach=[*found.reads(), modified, elsewhere],
    )


@template(
    tools=(*_ITEMS, "modify_pending_order_payment"), clauses=("1.1", "1.2", "3.1", "5.2", "5.3", "5.5"), difficulty=3
)
def change_payment_then_item(scene: Scene) -> Draft | None:
    """First another payment for the order, then another item in it."""
    held = scene.held(
        lambda user, order: pending(user, order) and bool(single(order)) and bool(other_payers(user, order))
    )
    found = None if held is None else swap(scene, held[1], count=1)
    cards = [] if held is None else [key for key in other_payers(*held) if key not in stored(held[0], GiftCard)]
    if held is None or found is None or not cards:
        return None
    user, order = held
    card = scene.pick(cards)
    return drafted(
        scene,
        user,
        goal(scene, "change_payment", telling.which(order), telling.pay_with(scene, user, card)),
        goal(
            scene,
            "change_items",
            telling.which(order),
            telling.wanted(scene, found.changes),
            telling.pay_with(scene, user, card),
        ),
        gold=[
            read_order(order),
            repaid(order, card),
            *found.reads()[1:],
            found.call("modify_pending_order_items", card),
        ],
        communicate=[amount(found.difference, "price difference")] if found.difference else [],
    )
