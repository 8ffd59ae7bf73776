"""Several wishes in one call, over several orders, some granted, some not."""

from __future__ import annotations

from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import CheckCall
from eigen_retail.records import REASONS, Order, User
from eigen_retail.templates import telling
from eigen_retail.templates.afterwards import returned, worth
from eigen_retail.templates.cancelling import cancel_goal, cancelled, refund
from eigen_retail.templates.changes import moved_to, new_address
from eigen_retail.templates.drafting import (
    NOT_TRANSFERRED,
    Fits,
    Scene,
    amount,
    drafted,
    looked_up,
    payers,
    read_order,
    template,
)
from eigen_retail.templates.requests import goal
from eigen_retail.templates.situations import delivered, payer, pending, single
from eigen_retail.templates.swaps import swap


def _pair(scene: Scene, first: Fits, second: Fits) -> tuple[User, Order, Order] | None:
    """Return a customer with two orders that fit."""
    for user in scene.users():
        orders = scene.shuffled(scene.orders(user))
        one = next((order for order in orders if first(user, order)), None)
        two = next((order for order in orders if order is not one and second(user, order)), None)
        if one is not None and two is not None:
            return user, one, two
    return None


def _some_single(user: User, order: Order) -> bool:
    return delivered(user, order) and bool(single(order))


@template(
    tools=("get_order_details", "cancel_pending_order", "return_delivered_order_items"),
    clauses=("1.1", "1.2", "3.1", "4.1", "4.3", "6.1"),
    difficulty=3,
)
def cancel_and_return(scene: Scene) -> Draft | None:
    """One order is called off, something from another goes back."""
    found = _pair(scene, pending, _some_single)
    if found is None:
        return None
    user, open_order, arrived = found
    why, item = scene.pick(REASONS), scene.pick(single(arrived))
    return drafted(
        scene,
        user,
        cancel_goal(scene, why, telling.which(open_order)),
        goal(
            scene,
            "return_items",
            telling.which(arrived),
            telling.things(scene, [item]),
            telling.pay_with(scene, user, payer(arrived)),
        ),
        gold=[
            read_order(open_order),
            cancelled(open_order, why),
            read_order(arrived),
            returned(arrived, [item], payer(arrived)),
        ],
        communicate=[amount(refund(open_order), "refund"), amount(item.price, "refund of the return")],
    )


@template(
    tools=("get_order_details", "get_product_details", "exchange_delivered_order_items", "modify_user_address"),
    clauses=("1.1", "1.2", "3.1", "5.1", "5.3", "5.4"),
    difficulty=3,
)
def exchange_and_move(scene: Scene) -> Draft | None:
    """An exchange, and another address on the profile."""
    held = scene.held(_some_single)
    found = None if held is None else swap(scene, held[1], count=1)
    payment = None if held is None or found is None else scene.pick(payers(held[0], found.difference) or [None])
    if held is None or found is None or payment is None:
        return None
    user, order = held
    address = new_address(scene)
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
        goal(scene, "change_default_address", telling.place(scene, address)),
        gold=[
            *found.reads(),
            found.call("exchange_delivered_order_items", payment),
            moved_to(user, address),
        ],
        communicate=[amount(found.difference, "price difference")] if found.difference else [],
    )


@template(
    tools=("get_order_details", "cancel_pending_order"), clauses=("1.1", "1.4", "3.1", "3.2", "4.1"), difficulty=3
)
def return_refused_then_cancel(scene: Scene) -> Draft | None:
    """What has not arrived cannot go back, but it can be cancelled."""
    held = scene.held(lambda user, order: pending(user, order) and bool(single(order)))
    if held is None:
        return None
    user, order = held
    why = scene.pick(REASONS)
    return drafted(
        scene,
        user,
        goal(
            scene,
            "return_items",
            telling.which(order),
            telling.things(scene, [scene.pick(single(order))]),
            telling.pay_with(scene, user, payer(order)),
        ),
        cancel_goal(scene, why, telling.which(order)),
        gold=[read_order(order), cancelled(order, why)],
        communicate=[amount(refund(order), "refund")],
        checks=[looked_up(order), NOT_TRANSFERRED],
        instructions="You thought it had been delivered. If it cannot be returned, you ask to cancel the order.",
    )


@template(
    tools=("get_order_details", "cancel_pending_order"), clauses=("1.1", "1.4", "3.1", "4.1", "4.2"), difficulty=3
)
def remove_item_refused_then_cancel(scene: Scene) -> Draft | None:
    """One item cannot be taken out; then the whole order is to go."""
    held = scene.held(lambda user, order: pending(user, order) and len(single(order)) > 1)
    if held is None:
        return None
    user, order = held
    why = scene.pick(REASONS)
    return drafted(
        scene,
        user,
        goal(scene, "remove_item", telling.which(order), telling.things(scene, [scene.pick(single(order))])),
        cancel_goal(scene, why, telling.which(order)),
        gold=[read_order(order), cancelled(order, why)],
        communicate=[amount(refund(order), "refund")],
        checks=[looked_up(order), CheckCall("written_only", {"tools": ["cancel_pending_order"]})],
        instructions="If the item cannot be taken out, you want the whole order cancelled.",
    )


@template(
    tools=("get_order_details", "return_delivered_order_items"), clauses=("1.1", "1.2", "3.1", "6.1"), difficulty=3
)
def return_from_two_orders(scene: Scene) -> Draft | None:
    """Something from each of two orders."""
    found = _pair(scene, _some_single, _some_single)
    if found is None:
        return None
    user, first, second = found
    one, two = scene.pick(single(first)), scene.pick(single(second))
    wishes = [
        goal(
            scene,
            "return_items",
            telling.which(order),
            telling.things(scene, [item]),
            telling.pay_with(scene, user, payer(order)),
        )
        for order, item in ((first, one), (second, two))
    ]
    return drafted(
        scene,
        user,
        *wishes,
        gold=[
            read_order(first),
            returned(first, [one], payer(first)),
            read_order(second),
            returned(second, [two], payer(second)),
        ],
        communicate=[amount(worth([one]), "first refund"), amount(worth([two]), "second refund")],
    )
