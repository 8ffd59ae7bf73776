"""Changing and cancelling orders that have not been processed yet.

As in tau2-bench, an order whose items were changed can still get another address, or another payment if it has only
one: whether that is allowed is the agent's to know (clause 3.3).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import money
from eigen_cli.api.world import Transaction
from eigen_retail.items import exchanged, matched, price_difference
from eigen_retail.payments import able_to_pay, moved, paid_with, save_if_changed
from eigen_retail.records import REASONS, Address, Order, OrderPayment, User


def cancel(world: Transaction, order_id: str, reason: str) -> Order:
    """Cancel an order and note as refunded what it still holds; gift cards have it back at once.

    tau2-bench refunds every entry of the payment history, refunds too, which pays twice after a change of payment.
    """
    order = world.table(Order).require(order_id)
    if order.status != "pending":
        raise ToolError(f"Order {order_id} is {order.status}; only pending orders can be cancelled")
    if reason not in REASONS:
        raise ToolError(f"'{reason}' is no reason to cancel; it must be one of: {', '.join(REASONS)}")
    before = user = world.table(User).require(order.user_id)
    held = paid_with(order)
    for payment_id, amount in held.items():
        user = moved(user, payment_id, amount)
    refunds = tuple(OrderPayment("refund", amount, payment_id) for payment_id, amount in held.items())
    save_if_changed(world, before, user)
    return _saved(
        world,
        msgspec.structs.replace(
            order, status="cancelled", cancel_reason=reason, payment_history=order.payment_history + refunds
        ),
    )


def change_address(world: Transaction, order_id: str, address: Address) -> Order:
    """Send an order somewhere else."""
    order = _still_pending(world, order_id)
    return _saved(world, msgspec.structs.replace(order, address=address))


def change_payment(world: Transaction, order_id: str, payment_id: str) -> Order:
    """Pay the whole order with another method and give the first payment back."""
    order = _still_pending(world, order_id)
    before = world.table(User).require(order.user_id)
    first, *others = order.payment_history
    if others or first.transaction_type != "payment":
        raise ToolError(f"Order {order_id} has not exactly one payment, so its payment cannot be changed")
    if first.payment_method_id == payment_id:
        raise ToolError(f"Order {order_id} is paid with '{payment_id}' already")
    able_to_pay(before, payment_id, first.amount)
    user = moved(moved(before, payment_id, money(-first.amount)), first.payment_method_id, first.amount)
    save_if_changed(world, before, user)
    entries = (
        OrderPayment("payment", first.amount, payment_id),
        OrderPayment("refund", first.amount, first.payment_method_id),
    )
    return _saved(world, msgspec.structs.replace(order, payment_history=order.payment_history + entries))


def change_items(
    world: Transaction, order_id: str, item_ids: Sequence[str], *, new_item_ids: Sequence[str], payment_id: str
) -> Order:
    """Swap items for others of the same product and settle the difference; afterwards the order is closed to more.

    tau2-bench gives every changed item price and options of the last new one; here each has its own.
    """
    order = world.table(Order).require(order_id)
    if order.status != "pending":
        raise ToolError(f"Order {order_id} is {order.status}; items can be changed once, while it is pending")
    places = matched(order, item_ids)
    items = exchanged(world, order, places, new_item_ids=new_item_ids)
    if any(old == new for old, new in zip(item_ids, new_item_ids, strict=True)):
        raise ToolError("A new item is the same as the old one")
    difference = price_difference(order, items)
    before = world.table(User).require(order.user_id)
    able_to_pay(before, payment_id, difference)
    save_if_changed(world, before, moved(before, payment_id, money(-difference)))
    entry = OrderPayment("payment" if difference > 0 else "refund", money(abs(difference)), payment_id)
    return _saved(
        world,
        msgspec.structs.replace(
            order, items=items, status="pending (item modified)", payment_history=(*order.payment_history, entry)
        ),
    )


def _still_pending(world: Transaction, order_id: str) -> Order:
    order = world.table(Order).require(order_id)
    if order.status not in ("pending", "pending (item modified)"):
        raise ToolError(f"Order {order_id} is {order.status}; only pending orders can be changed")
    return order


def _saved(world: Transaction, order: Order) -> Order:
    world.table(Order).put(order)
    return order
