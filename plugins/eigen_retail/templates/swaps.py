"""Choosing what items become: other items of their products, told by the options that differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eigen_cli.api.record import Money, money
from eigen_cli.api.tasks import Action
from eigen_retail.records import Order, OrderItem, Variant
from eigen_retail.templates.drafting import Scene, call, read_order, read_product
from eigen_retail.templates.situations import single
from eigen_retail.wording import Change


@dataclass(frozen=True)
class Swap:
    """Items of an order and what each is to become."""

    order: Order
    old: tuple[OrderItem, ...]
    new: tuple[Variant, ...]

    @property
    def difference(self) -> Money:
        """What the new items cost more."""
        return money(sum((new.price - old.price for old, new in zip(self.old, self.new, strict=True)), money(0)))

    @property
    def changes(self) -> list[Change]:
        """What the customer says: each product with the options that are to be others."""
        return [told(old, new) for old, new in zip(self.old, self.new, strict=True)]

    def reads(self) -> list[Action]:
        """Return the reading of the order and of every product concerned."""
        return [read_order(self.order), *(read_product(item.product_id) for item in self.old)]

    def call(self, tool: str, payment_id: str) -> Action:
        """Return the changing (or exchanging) call."""
        return call(
            tool,
            order_id=self.order.order_id,
            item_ids=[item.item_id for item in self.old],
            new_item_ids=[variant.item_id for variant in self.new],
            payment_method_id=payment_id,
        )


def told(old: OrderItem, new: Variant) -> Change:
    """Return an item's product with the options that differ."""
    return old.name, {option: value for option, value in new.options.items() if old.options[option] != value}


def others(scene: Scene, item: OrderItem, *, available: bool = True) -> list[Variant]:
    """Return the other items of an item's product, in stock or sold out."""
    variants = scene.product(item.product_id).variants.values()
    return [one for one in variants if one.available == available and one.options != item.options]


def swap(scene: Scene, order: Order, *, count: int) -> Swap | None:
    """Return a change of `count` items, each to one that is in stock."""
    items = [item for item in scene.shuffled(single(order)) if others(scene, item)][:count]
    if len(items) < count:
        return None
    return Swap(order, tuple(items), tuple(scene.pick(others(scene, item)) for item in items))


def dear_swap(scene: Scene, order: Order, *, above: Money) -> Swap | None:
    """Return a change of one item that costs more than an amount."""
    choices: Sequence[tuple[OrderItem, Variant]] = [
        (item, one) for item in single(order) for one in others(scene, item) if one.price - item.price > above
    ]
    if not choices:
        return None
    item, new = scene.pick(choices)
    return Swap(order, (item,), (new,))
