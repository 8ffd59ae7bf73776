"""Returning and exchanging what was delivered. Both only note the request: money moves when the parcel is back."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from eigen_cli.api.errors import ToolError
from eigen_cli.api.world import Transaction
from eigen_retail.items import exchanged, matched, price_difference
from eigen_retail.payments import able_to_pay, stored
from eigen_retail.records import GiftCard, Order, User


def return_items(world: Transaction, order_id: str, item_ids: Sequence[str], *, payment_id: str) -> Order:
    """Note items as to be returned, the refund going to the first payment's method or to a gift card."""
    order, user = _delivered(world, order_id)
    method = stored(user, payment_id)
    if not isinstance(method, GiftCard) and payment_id != order.payment_history[0].payment_method_id:
        raise ToolError(f"A refund goes to the method order {order_id} was paid with or to a gift card")
    matched(order, item_ids)
    returned = msgspec.structs.replace(
        order, status="return requested", return_items=tuple(sorted(item_ids)), return_payment_method_id=payment_id
    )
    world.table(Order).put(returned)
    return returned


def exchange_items(
    world: Transaction, order_id: str, item_ids: Sequence[str], *, new_item_ids: Sequence[str], payment_id: str
) -> Order:
    """Note items as to be exchanged for others of the same product, and who pays the difference."""
    order, user = _delivered(world, order_id)
    items = exchanged(world, order, matched(order, item_ids), new_item_ids=new_item_ids)
    difference = price_difference(order, items)
    able_to_pay(user, payment_id, difference)
    changed = msgspec.structs.replace(
        order,
        status="exchange requested",
        exchange_items=tuple(sorted(item_ids)),
        exchange_new_items=tuple(sorted(new_item_ids)),
        exchange_payment_method_id=payment_id,
        exchange_price_difference=difference,
    )
    world.table(Order).put(changed)
    return changed


def _delivered(world: Transaction, order_id: str) -> tuple[Order, User]:
    order = world.table(Order).require(order_id)
    if order.status != "delivered":
        raise ToolError(f"Order {order_id} is {order.status}; only delivered orders can be returned or exchanged")
    return order, world.table(User).require(order.user_id)
