"""In what state an order is, in the terms clauses use; templates draw by these."""

from __future__ import annotations

from collections import Counter

from eigen_retail.records import GiftCard, Order, OrderItem, User


def pending(_: User, order: Order) -> bool:
    """Not packed, and nothing changed yet."""
    return order.status == "pending"


def delivered(_: User, order: Order) -> bool:
    """Arrived, and nothing requested yet."""
    return order.status == "delivered"


def processed(_: User, order: Order) -> bool:
    """Packed, not arrived."""
    return order.status == "processed"


def items_changed(_: User, order: Order) -> bool:
    """Pending, but closed by an earlier change of items."""
    return order.status == "pending (item modified)"


def single(order: Order) -> list[OrderItem]:
    """Return the items whose product the order holds once: their product's name says which item is meant."""
    counts = Counter(item.name for item in order.items)
    return [item for item in order.items if counts[item.name] == 1]


def double(order: Order) -> OrderItem | None:
    """Return an item the order holds twice."""
    counts = Counter(item.item_id for item in order.items)
    return next((item for item in order.items if counts[item.item_id] == 2), None)


def payer(order: Order) -> str:
    """Return what the order was paid with."""
    return order.payment_history[0].payment_method_id


def paid_by_gift_card(user: User, order: Order) -> bool:
    """Whether an order was paid with a gift card."""
    return isinstance(user.payment_methods.get(payer(order)), GiftCard)
