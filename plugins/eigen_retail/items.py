"""Finding items of an order, and the items they can become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import Money, money
from eigen_cli.api.world import Transaction, WorldView
from eigen_retail.records import Order, OrderItem, Product, Variant

Readable = WorldView | Transaction


def matched(order: Order, item_ids: Sequence[str]) -> list[int]:
    """Return where in an order the items stand; one named twice is found twice. Raises `ToolError`."""
    left: dict[str, list[int]] = {}
    for place, item in enumerate(order.items):
        left.setdefault(item.item_id, []).append(place)
    for item_id, count in Counter(item_ids).items():
        held = len(left.get(item_id, ()))
        if count > held:
            raise ToolError(f"Order {order.order_id} holds item {item_id} {held} times, not {count}")
    return [left[item_id].pop(0) for item_id in item_ids]


def exchanged(
    world: Readable, order: Order, places: Sequence[int], *, new_item_ids: Sequence[str]
) -> tuple[OrderItem, ...]:
    """Return the order's items after those at `places` became the new ones, in order. Raises `ToolError`.

    A new item must be of the same product and in stock.
    """
    if len(places) != len(new_item_ids):
        raise ToolError(f"{len(places)} items cannot become {len(new_item_ids)}; name one new item for each")
    items = list(order.items)
    for place, new_item_id in zip(places, new_item_ids, strict=True):
        old = items[place]
        product = world.table(Product).get(old.product_id)
        variant = None if product is None else product.variants.get(new_item_id)
        if variant is None:
            raise ToolError(f"Item {new_item_id} is no {old.name}")
        if not variant.available:
            raise ToolError(f"Item {new_item_id} is not available")
        items[place] = sold(old.name, old.product_id, variant)
    return tuple(items)


def sold(name: str, product_id: str, variant: Variant) -> OrderItem:
    """Return a variant as an order holds it, at today's price."""
    return OrderItem(name, product_id, variant.item_id, variant.price, variant.options)


def price_difference(order: Order, items: Sequence[OrderItem]) -> Money:
    """Return what an order with these items costs more; negative where it costs less."""
    return money(sum((item.price for item in items), money(0)) - sum((item.price for item in order.items), money(0)))


def variant_of(world: Readable, item_id: str) -> Variant | None:
    """Return the item with an id, of whatever product; the shop has few products, so looking through them is quick."""
    for product in world.table(Product).values():
        if item_id in product.variants:
            return product.variants[item_id]
    return None
