"""Cancelling: both reasons, every way of having paid, misread and lost ids, several orders at once."""

from __future__ import annotations

from eigen_cli.api.domain import Draft
from eigen_cli.api.record import Money
from eigen_cli.api.tasks import Action, CheckCall, Fact, Goal
from eigen_retail.records import REASONS, Order, User
from eigen_retail.templates import telling
from eigen_retail.templates.drafting import (
    NOT_TRANSFERRED,
    Caller,
    Held,
    Scene,
    amount,
    by_name,
    call,
    drafted,
    found_by_name,
    looked_up,
    name_zip_fact,
    read_order,
    template,
)
from eigen_retail.templates.requests import goal
from eigen_retail.templates.situations import delivered, paid_by_gift_card, pending, processed, single

CANCELLED = ("get_order_details", "cancel_pending_order")


def cancelled(order: Order, why: str) -> Action:
    """Return the cancelling call."""
    return call("cancel_pending_order", order_id=order.order_id, reason=why)


def refund(order: Order) -> Money:
    """Return what the cancellation gives back."""
    return order.payment_history[0].amount


def cancel_goal(scene: Scene, why: str, *facts: Fact, wording: str = "") -> Goal:
    """Return the goal of cancelling."""
    return goal(scene, "cancel_order", *facts, telling.reason(scene, why), wording=wording)


def _cancellation(scene: Scene, held: Held | None, *, why: str = "") -> Draft | None:
    if held is None:
        return None
    user, order = held
    why = why or scene.pick(REASONS)
    return drafted(
        scene,
        user,
        cancel_goal(scene, why, telling.which(order)),
        gold=[read_order(order), cancelled(order, why)],
        communicate=[amount(refund(order), "refund")],
    )


@template(tools=CANCELLED, clauses=("1.1", "3.1", "4.1", "4.3"), difficulty=1)
def cancel_not_needed(scene: Scene) -> Draft | None:
    """Paid by card or PayPal: the money takes some days."""
    held = scene.held(lambda user, order: pending(user, order) and not paid_by_gift_card(user, order))
    return _cancellation(scene, held, why="no longer needed")


@template(tools=CANCELLED, clauses=("1.1", "3.1", "4.1", "4.3"), difficulty=1)
def cancel_mistake(scene: Scene) -> Draft | None:
    """Ordered by mistake."""
    return _cancellation(scene, scene.held(pending), why="ordered by mistake")


@template(tools=CANCELLED, clauses=("1.1", "3.1", "4.1", "4.3"), difficulty=1)
def cancel_gift_card_order(scene: Scene) -> Draft | None:
    """Paid by gift card: the money is back at once."""
    return _cancellation(scene, scene.held(lambda user, order: pending(user, order) and paid_by_gift_card(user, order)))


@template(tools=CANCELLED, clauses=("1.1", "2.2", "3.1", "4.1"), difficulty=2)
def cancel_misread_id(scene: Scene) -> Draft | None:
    """The customer misreads the id, is told that it does not exist, and reads it again."""
    held = scene.held(pending)
    if held is None:
        return None
    user, order = held
    wrong, why = _misread(scene, order.order_id), scene.pick(REASONS)
    right = Fact("corrected_order_id", order.order_id)
    return drafted(
        scene,
        user,
        cancel_goal(scene, why, Fact("order_id", wrong), right),
        gold=[read_order(order), cancelled(order, why)],
        communicate=[amount(refund(order), "refund")],
        instructions="You first read out the wrong order id; when told it cannot be found, you read it right.",
    )


def _misread(scene: Scene, order_id: str) -> str:
    """Return the id with one digit wrong, such that it names nothing."""
    while True:
        place = 3 + int(scene.rng.random() * 6)
        wrong = order_id[:place] + scene.pick("0123456789") + order_id[place + 1 :]
        if wrong not in scene.world.table(Order):
            return wrong


@template(tools=CANCELLED, clauses=("1.1", "2.3", "3.1", "4.1"), difficulty=3)
def cancel_lost_id(scene: Scene) -> Draft | None:
    """The customer knows what was ordered, not the id; the agent looks through the profile."""

    def known_by_item(user: User, order: Order) -> bool:
        return pending(user, order) and len(user.orders) > 1 and bool(_telling_items(scene, user, order))

    held = scene.held(known_by_item)
    if held is None:
        return None
    user, order = held
    why = scene.pick(REASONS)
    item = scene.pick([one for one in order.items if one.name in _telling_items(scene, user, order)])
    return drafted(
        scene,
        user,
        cancel_goal(scene, why, telling.things(scene, [item])),
        gold=[*(read_order(other) for other in scene.orders(user)), cancelled(order, why)],
        communicate=[amount(refund(order), "refund")],
        unknown=("order_id",),
        instructions="You do not have the order id at hand; you can only say what is in the order.",
    )


def _telling_items(scene: Scene, user: User, order: Order) -> set[str]:
    """Return names of products that only this order of the customer's holds."""
    elsewhere = {item.name for other in scene.orders(user) if other.order_id != order.order_id for item in other.items}
    return {item.name for item in single(order)} - elsewhere


@template(tools=CANCELLED, clauses=("1.1", "1.4", "3.1", "3.2", "4.1"), difficulty=3)
def cancel_one_of_two(scene: Scene) -> Draft | None:
    """Two orders to cancel, of which one is too far gone."""
    for user in scene.users():
        orders = scene.orders(user)
        good = next((order for order in orders if pending(user, order)), None)
        bad = next((order for order in orders if processed(user, order) or delivered(user, order)), None)
        if good is not None and bad is not None:
            why = scene.pick(REASONS)
            return drafted(
                scene,
                user,
                cancel_goal(scene, why, telling.which(good)),
                cancel_goal(scene, why, telling.which(bad), wording="another_cancellation"),
                gold=[read_order(good), cancelled(good, why), read_order(bad)],
                communicate=[amount(refund(good), "refund")],
                checks=[CheckCall("orders_read", {"order_ids": [good.order_id, bad.order_id]}), NOT_TRANSFERRED],
            )
    return None


@template(tools=CANCELLED, clauses=("1.1", "1.2", "3.1", "4.1"), difficulty=2)
def cancel_two(scene: Scene) -> Draft | None:
    """Two pending orders, one after the other."""
    for user in scene.users():
        orders = [order for order in scene.orders(user) if pending(user, order)]
        if len(orders) > 1:
            first, second = scene.shuffled(orders)[:2]
            why, also = scene.pick(REASONS), scene.pick(REASONS)
            return drafted(
                scene,
                user,
                cancel_goal(scene, why, telling.which(first)),
                cancel_goal(scene, also, telling.which(second), wording="another_cancellation"),
                gold=[read_order(first), cancelled(first, why), read_order(second), cancelled(second, also)],
                communicate=[amount(refund(first), "first refund"), amount(refund(second), "second refund")],
            )
    return None


@template(tools=CANCELLED, clauses=("1.1", "3.1", "4.1"), difficulty=2)
def cancel_old_email(scene: Scene) -> Draft | None:
    """The e-mail address the customer gives is no longer on any profile; name and zip code find them."""
    held = scene.held(lambda user, order: pending(user, order) and found_by_name(scene, user))
    if held is None:
        return None
    user, order = held
    name, why = user.name, scene.pick(REASONS)
    old = f"{name.first_name}{name.last_name}{int(scene.rng.random() * 90) + 10}@oldmail.example".lower()
    known = (
        Fact("identity", old),
        name_zip_fact(scene, user, name="corrected_identity"),
        Fact("full_name", f"{name.first_name} {name.last_name}"),
    )
    return drafted(
        scene,
        Caller(user, known, by_name(user)),
        cancel_goal(scene, why, telling.which(order)),
        gold=[read_order(order), cancelled(order, why)],
        communicate=[amount(refund(order), "refund")],
        checks=[looked_up(order)],
        instructions="You give an e-mail address you no longer use; when nothing is found, you give name and zip code.",
    )
