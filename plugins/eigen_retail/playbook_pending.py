"""Pending orders and the profile: cancelling, other addresses, another payment."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Refuse, Step, Tell
from eigen_retail import wording
from eigen_retail.playbook_common import (
    KEPT,
    Json,
    Procedure,
    address_named,
    dollars,
    exact,
    identified,
    items_named,
    method_named,
    order_in,
    reason_of,
    when_refunded,
)
from eigen_retail.playbook_payments import covers, method_for

_PARTS = ("address1", "address2", "city", "state", "country", "zip")


def cancel_order() -> Procedure:
    """Look at the order, ask why, then cancel or refuse."""
    opened = yield from order_in("pending", "cancelled")
    if opened is None:
        return
    user, order = opened
    text: str | None = yield Ask(
        "cancel_reason",
        f"That's your order with {items_named(order['items'])}. May I ask for the reason why you want to cancel it?",
    )
    reason = wording.cancel_reason(text or "")
    if reason is None:
        yield Refuse(
            "I'm sorry, but an order can be cancelled only because it is no longer needed or was ordered by mistake. "
            f"Any other reason does not count, so I can't cancel order {order['order_id']}.",
            "4.1",
        )
    yield from _cancel(user, order, reason or "no longer needed")


def _cancel(user: Json, order: Json, reason: str) -> Procedure:
    paid = order["payment_history"][0]
    back = dollars(paid["amount"])
    method = method_named(paid["payment_method_id"], user["payment_methods"])
    when = when_refunded(paid["payment_method_id"], user["payment_methods"])
    agreed: bool = yield Confirm(
        f"I would cancel the whole of order {order['order_id']} as {reason} and refund {back} to {method}, {when}."
    )
    if not agreed:
        yield Tell(KEPT)
        return
    result: CallResult = yield Call("cancel_pending_order", {"order_id": order["order_id"], "reason": reason})
    if result.error:
        yield Refuse(f"I'm sorry, I can't cancel this order: {reason_of(result)}.", "3.2")
        return
    yield Tell(
        f"<Done:|That's done:> order {order['order_id']} has been cancelled. {back} will be back on {method} {when}."
    )


# Addresses


def change_order_address() -> Procedure:
    """Send a pending order elsewhere."""
    opened = yield from order_in("pending", "changed")
    if opened is None:
        return
    user, order = opened
    address = yield from wanted_address(user)
    if address is not None:
        yield from send_to(order, address)


def change_default_address() -> Procedure:
    """Change the address on the profile."""
    user = yield from identified()
    if user is None:
        return
    address = yield from wanted_address(user)
    if address is None:
        return
    agreed: bool = yield Confirm(
        f"I would change the default address of your profile {user['user_id']} to {address_named(address)}. Orders "
        "placed before keep their address."
    )
    if not agreed:
        yield Tell(KEPT)
        return
    result: CallResult = yield Call("modify_user_address", {"user_id": user["user_id"], **address})
    if result.error:
        yield Refuse(f"I'm sorry, I can't change your address: {reason_of(result)}.", "5.1")
        return
    yield Tell(f"<Done:|All set:> the address on your profile has been changed to {address_named(address)}.")


def wanted_address(user: Json) -> Generator[Step, Any, Json | None]:
    """Return the address the customer wants, spelt out or the one on the profile; refuse where it is incomplete."""
    text: str | None = yield Ask("new_address")
    if wording.means_profile(text or ""):
        return {part: user["address"][part] for part in _PARTS}
    address = wording.address(text or "")
    if address is None:
        yield Refuse(
            "I'm sorry, I can't change an address without street, city, state and zip code of the new one.", "5.1"
        )
    return address


def send_to(order: Json, address: Json) -> Generator[Step, Any, bool]:
    """Lay out, agree on and make a change of an order's address; return whether it was made."""
    agreed: bool = yield Confirm(
        f"I would send order {order['order_id']} to {address_named(address)}. Your profile stays as it is."
    )
    if not agreed:
        yield Tell(KEPT)
        return False
    result: CallResult = yield Call("modify_pending_order_address", {"order_id": order["order_id"], **address})
    if result.error:
        yield Refuse(f"I'm sorry, I can't change that address: {reason_of(result)}.", "3.2")
        return False
    yield Tell(f"<Done:|All set:> order {order['order_id']} has been changed to go to {address_named(address)}.")
    return True


# Payments


def change_payment() -> Procedure:
    """Pay a pending order with another stored method."""
    opened = yield from order_in("pending", "changed")
    if opened is None:
        return
    user, order = opened
    methods, first = user["payment_methods"], order["payment_history"][0]
    total, old = exact(first["amount"]), first["payment_method_id"]
    enough = covers(user, total)

    def problem(payment_id: str) -> str:
        return "the order is paid with that already" if payment_id == old else enough(payment_id)

    payment_id = yield from method_for(
        user,
        f"Order {order['order_id']} comes to {dollars(total)}. Which payment method should pay for it?",
        problem_of=problem,
        clause="5.2",
    )
    if payment_id is None:
        return
    agreed: bool = yield Confirm(
        f"I would charge the {dollars(total)} of order {order['order_id']} to {method_named(payment_id, methods)} and "
        f"refund {method_named(old, methods)} {when_refunded(old, methods)}."
    )
    if not agreed:
        yield Tell(KEPT)
        return
    result: CallResult = yield Call(
        "modify_pending_order_payment", {"order_id": order["order_id"], "payment_method_id": payment_id}
    )
    if result.error:
        yield Refuse(f"I'm sorry, I can't change the payment: {reason_of(result)}.", "5.2")
        return
    yield Tell(
        f"<Done:|All set:> the payment of order {order['order_id']}, {dollars(total)}, has been moved to "
        f"{method_named(payment_id, methods)}."
    )
