"""The shop's records. Field names and shapes are those of tau2-bench, so that results read the same there and here.

Amounts are exact `Money`: prices have cents, and sums of them must not drift. E-mail addresses are stored in lower
case. No tool makes a record of its own: orders are only ever changed.
"""

from __future__ import annotations

from typing import Literal

from eigen_cli.api.record import FrozenMap, Money, Record

OrderStatus = Literal[
    "pending",
    "pending (item modified)",
    "processed",
    "delivered",
    "cancelled",
    "return requested",
    "exchange requested",
]
CancelReason = Literal["no longer needed", "ordered by mistake"]
REASONS: tuple[CancelReason, ...] = ("no longer needed", "ordered by mistake")


class Name(Record, frozen=True):
    """A person's name."""

    first_name: str
    last_name: str


class Address(Record, frozen=True):
    """A postal address; `address2` is empty where there is no second line."""

    address1: str
    address2: str
    city: str
    country: str
    state: str
    zip: str


class CreditCard(Record, frozen=True, tag_field="source", tag="credit_card"):
    """A stored credit card; it has no balance."""

    id: str
    brand: str
    last_four: str


class Paypal(Record, frozen=True, tag_field="source", tag="paypal"):
    """A linked PayPal account; it has no balance."""

    id: str


class GiftCard(Record, frozen=True, tag_field="source", tag="gift_card"):
    """A gift card and what is left on it."""

    id: str
    balance: Money


PaymentMethod = CreditCard | Paypal | GiftCard


class User(Record, frozen=True):
    """A customer's profile."""

    user_id: str
    name: Name
    address: Address
    email: str
    payment_methods: FrozenMap[str, PaymentMethod]
    orders: tuple[str, ...]


class Variant(Record, frozen=True):
    """One item of a product: a choice of every option, at a price, in stock or not."""

    item_id: str
    options: FrozenMap[str, str]
    available: bool
    price: Money


class Product(Record, frozen=True):
    """A type of product with the items it comes in, by item id. Product ids and item ids have nothing in common."""

    name: str
    product_id: str
    variants: FrozenMap[str, Variant]


class OrderItem(Record, frozen=True):
    """An item of an order at the price it was sold for."""

    name: str
    product_id: str
    item_id: str
    price: Money
    options: FrozenMap[str, str]


class Fulfillment(Record, frozen=True):
    """A parcel: what is in it, and under which numbers it is tracked."""

    tracking_id: tuple[str, ...]
    item_ids: tuple[str, ...]


class OrderPayment(Record, frozen=True):
    """Money taken from a payment method, or given back to it; the amount is never negative."""

    transaction_type: Literal["payment", "refund"]
    amount: Money
    payment_method_id: str


class Order(Record, frozen=True):
    """An order. The last fields say what was asked for after it was placed; they are None until then."""

    order_id: str
    user_id: str
    address: Address
    items: tuple[OrderItem, ...]
    status: OrderStatus
    fulfillments: tuple[Fulfillment, ...]
    payment_history: tuple[OrderPayment, ...]
    cancel_reason: CancelReason | None = None
    exchange_items: tuple[str, ...] | None = None
    exchange_new_items: tuple[str, ...] | None = None
    exchange_payment_method_id: str | None = None
    exchange_price_difference: Money | None = None
    return_items: tuple[str, ...] | None = None
    return_payment_method_id: str | None = None
