"""Reading a call's arguments as models write them: JSON text for lists, ids as numbers.

Every reader gives up quietly: the tool itself refuses what cannot be read.
"""

from __future__ import annotations

import msgspec

from eigen_cli.api.domain import GuardContext
from eigen_retail.records import Order, Product, User, Variant


def text_of(context: GuardContext, name: str) -> str:
    """Return an argument as text, empty where it is missing."""
    return str(context.arguments.get(name, ""))


def order_of(context: GuardContext) -> Order | None:
    """Return the order a call names."""
    return context.world.table(Order).get(text_of(context, "order_id"))


def holder_of(context: GuardContext) -> User | None:
    """Return the customer whose order a call names."""
    order = order_of(context)
    return None if order is None else context.world.table(User).get(order.user_id)


def ids_of(context: GuardContext, name: str) -> list[str]:
    """Return a list of ids."""
    value = context.arguments.get(name, [])
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            return []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def swaps_of(context: GuardContext) -> list[tuple[str, Variant | None]]:
    """Return old item ids, each with the item of the same product it is to become (None: there is none such)."""
    order = order_of(context)
    products = {} if order is None else {item.item_id: item.product_id for item in order.items}
    found = []
    for old, new in zip(ids_of(context, "item_ids"), ids_of(context, "new_item_ids"), strict=False):
        product = context.world.table(Product).get(products.get(old, ""))
        if product is not None:
            found.append((old, product.variants.get(new)))
    return found
