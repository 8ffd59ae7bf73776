"""Guards that look at orders: what the records say about a call, whatever was said.

A guard passes where a call names what does not exist; the tool refuses such calls itself.
"""

from __future__ import annotations

from eigen_cli.api.domain import GuardContext
from eigen_cli.api.record import money
from eigen_retail.guard_arguments import holder_of, ids_of, order_of, swaps_of, text_of
from eigen_retail.records import GiftCard

_AFTER_DELIVERY = ("return_delivered_order_items", "exchange_delivered_order_items")
_ADDRESS_PARTS = ("address1", "city", "state", "country", "zip")


def read_before(context: GuardContext) -> str | None:
    """Clause 3.1."""
    order = order_of(context)
    if order is None or any(
        call.name == "get_order_details" and call.arguments.get("order_id") == order.order_id
        for call in context.earlier
    ):
        return None
    return f"order {order.order_id} was not looked at before"


def status_allows(context: GuardContext) -> str | None:
    """Clause 3.2; orders with changed items are clause 3.3's."""
    order = order_of(context)
    needed = "delivered" if context.name in _AFTER_DELIVERY else "pending"
    if order is None or order.status in (needed, "pending (item modified)"):
        return None
    return f"the order is {order.status}, not {needed}"


def items_not_changed_yet(context: GuardContext) -> str | None:
    """Clause 3.3."""
    order = order_of(context)
    if order is None or order.status != "pending (item modified)":
        return None
    return "the items of the order were changed already"


def some_item_named(context: GuardContext) -> str | None:
    """Clause 3.4, as far as records decide: which items the customer meant, they do not know."""
    return None if order_of(context) is None or ids_of(context, "item_ids") else "it names no item"


def address_complete(context: GuardContext) -> str | None:
    """Clause 5.1."""
    missing = [part for part in _ADDRESS_PARTS if not text_of(context, part).strip()]
    return f"the address lacks {', '.join(missing)}" if missing else None


def one_other_method(context: GuardContext) -> str | None:
    """Clause 5.2."""
    order, user = order_of(context), holder_of(context)
    if order is None or user is None:
        return None
    payment_id, first = text_of(context, "payment_method_id"), order.payment_history[0]
    method = user.payment_methods.get(payment_id)
    if method is None:
        return f"{payment_id} is not stored on the profile"
    if payment_id == first.payment_method_id:
        return f"the order is paid with {payment_id} already"
    if isinstance(method, GiftCard) and method.balance < first.amount:
        return f"{payment_id} holds {method.balance}, the order costs {first.amount}"
    return None


def swapped_within_product(context: GuardContext) -> str | None:
    """Clause 5.3."""
    for old, new in swaps_of(context):
        if new is None:
            return f"{old} would become an item of another product"
        if new.item_id == old:
            return f"{old} would become what it is"
        if not new.available:
            return f"{new.item_id} is not available"
    return None


def difference_covered(context: GuardContext) -> str | None:
    """Clause 5.4, as far as records decide."""
    order, user = order_of(context), holder_of(context)
    if order is None or user is None:
        return None
    method = user.payment_methods.get(text_of(context, "payment_method_id"))
    if method is None:
        return "the payment method is not stored on the profile"
    prices = {item.item_id: item.price for item in order.items}
    difference = sum((new.price - prices[old] for old, new in swaps_of(context) if new is not None), money(0))
    if isinstance(method, GiftCard) and method.balance < difference:
        return f"{method.id} holds {method.balance}, the difference is {difference}"
    return None


def refund_goes_back(context: GuardContext) -> str | None:
    """Clause 6.1."""
    order, user = order_of(context), holder_of(context)
    if order is None or user is None:
        return None
    payment_id = text_of(context, "payment_method_id")
    stored_gift = isinstance(user.payment_methods.get(payment_id), GiftCard)
    if stored_gift or payment_id == order.payment_history[0].payment_method_id:
        return None
    return f"{payment_id} is neither what the order was paid with nor a stored gift card"
