"""Generating orders: what was bought, how it was paid, and what has happened since."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from eigen_cli.api.record import Money, money
from eigen_retail.customers import drawn
from eigen_retail.items import sold
from eigen_retail.records import (
    REASONS,
    Address,
    Fulfillment,
    GiftCard,
    Order,
    OrderItem,
    OrderPayment,
    OrderStatus,
    Product,
    User,
)

_STATUSES: tuple[OrderStatus, ...] = (
    ("pending",) * 38
    + ("delivered",) * 38
    + ("processed",) * 9
    + ("cancelled",) * 6
    + ("pending (item modified)",) * 3
    + ("return requested",) * 3
    + ("exchange requested",) * 3
)
_SIZES = (1, 2, 2, 3, 3, 4, 5)
_TWICE, _ELSEWHERE, _EARLIER_PRICE = 0.12, 0.15, 0.2
_STEP = 3_141_593  # prime to 9,000,000, so that order ids never repeat within a world


class OrderMaker:
    """Makes orders of the products in stock."""

    def __init__(self, rng: random.Random, products: Sequence[Product]) -> None:
        self._rng = rng
        self._products = products
        # One record an item for all orders that hold it at today's price.
        self._stock = [
            tuple(sold(product.name, product.product_id, item) for item in product.variants.values())
            for product in products
        ]
        self._number = int(rng.random() * 9_000_000)

    def order_id(self) -> str:
        """Return a new order id."""
        self._number = (self._number + _STEP) % 9_000_000
        return f"#W{1_000_000 + self._number}"

    def order(self, user: User, order_id: str, *, elsewhere: Callable[[], Address]) -> Order:
        """Return an order of a customer; some go to another address than the customer's own."""
        rng = self._rng
        status, items = drawn(rng, _STATUSES), self._items()
        total = money(sum((item.price for item in items), money(0)))
        paid = OrderPayment("payment", total, self._payer(user))
        order: dict[str, Any] = {
            "order_id": order_id,
            "user_id": user.user_id,
            "address": elsewhere() if rng.random() < _ELSEWHERE else user.address,
            "items": items,
            "status": status,
            "fulfillments": () if status.startswith("pending") else (self._parcel(items),),
            "payment_history": (paid,),
        }
        return Order(**{**order, **self._since(status, items, paid)})

    def _items(self) -> tuple[OrderItem, ...]:
        rng, found = self._rng, []
        for place in rng.sample(range(len(self._products)), drawn(rng, _SIZES)):
            item = drawn(rng, self._stock[place])
            if rng.random() < _EARLIER_PRICE:
                item = OrderItem(item.name, item.product_id, item.item_id, self._earlier(item.price), item.options)
            found.append(item)
        if rng.random() < _TWICE:
            found.append(found[0])
        return tuple(found)

    def _earlier(self, price: Money) -> Money:
        return money(int(price * 100 * (90 + int(self._rng.random() * 20))) // 100) / 100

    def _payer(self, user: User) -> str:
        """Return how it was paid: mostly by card or PayPal, sometimes by gift card."""
        gifts = [key for key, method in user.payment_methods.items() if isinstance(method, GiftCard)]
        others = [key for key in user.payment_methods if key not in gifts]
        return drawn(self._rng, gifts if gifts and self._rng.random() < 0.35 else others)

    def _parcel(self, items: Sequence[OrderItem]) -> Fulfillment:
        tracking = str(100_000_000_000 + int(self._rng.random() * 899_999_999_999))
        return Fulfillment((tracking,), tuple(item.item_id for item in items))

    def _since(self, status: OrderStatus, items: Sequence[OrderItem], paid: OrderPayment) -> dict[str, Any]:
        """Return the fields that tell what has happened to an order since it was placed."""
        if status == "cancelled":
            refund = OrderPayment("refund", paid.amount, paid.payment_method_id)
            return {"cancel_reason": drawn(self._rng, REASONS), "payment_history": (paid, refund)}
        if status == "return requested":
            return {"return_items": (items[0].item_id,), "return_payment_method_id": paid.payment_method_id}
        if status in ("exchange requested", "pending (item modified)"):
            return self._swapped(status, items, paid)
        return {}

    def _swapped(self, status: OrderStatus, items: Sequence[OrderItem], paid: OrderPayment) -> dict[str, Any]:
        old = items[0]
        product = next(product for product in self._products if product.product_id == old.product_id)
        new = drawn(self._rng, [one for one in product.variants.values() if one.item_id != old.item_id])
        difference = money(new.price - old.price)
        if status == "exchange requested":
            return {
                "exchange_items": (old.item_id,),
                "exchange_new_items": (new.item_id,),
                "exchange_payment_method_id": paid.payment_method_id,
                "exchange_price_difference": difference,
            }
        settled = OrderPayment(
            "payment" if difference > 0 else "refund", money(abs(difference)), paid.payment_method_id
        )
        swapped = (sold(product.name, product.product_id, new), *items[1:])
        return {"items": swapped, "payment_history": (paid, settled)}
