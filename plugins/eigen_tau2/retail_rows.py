"""The shop's rows as the benchmark writes them, and our records that stand for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from eigen_cli.api.record import FrozenMap, Record
from eigen_retail.records import (
    REASONS,
    Address,
    CreditCard,
    Fulfillment,
    GiftCard,
    Name,
    Order,
    OrderItem,
    OrderPayment,
    PaymentMethod,
    Paypal,
    Product,
    User,
    Variant,
)
from eigen_tau2.coercion import flag, list_of, map_of, one_of, real, shaped, text
from eigen_tau2.rows import Form, Row, exact, tables_of

STATUSES = (
    "processed",
    "pending",
    "pending (item modified)",
    "delivered",
    "cancelled",
    "exchange requested",
    "return requested",
)
ADDRESS = shaped(dict.fromkeys(("address1", "address2", "city", "country", "state", "zip"), text))
PAYMENT = shaped(
    {"transaction_type": one_of("payment", "refund"), "amount": real, "payment_method_id": text},
)
_VARIANT = shaped({"item_id": text, "options": map_of(text), "available": flag, "price": real})
_ITEM = shaped({"name": text, "product_id": text, "item_id": text, "price": real, "options": map_of(text)})
_METHODS = {
    "credit_card": shaped({"source": text, "id": text, "brand": text, "last_four": text}),
    "gift_card": shaped({"source": text, "id": text, "balance": real}),
    "paypal": shaped({"source": text, "id": text}),
}


def _method(value: Any) -> Row:
    source = one_of(*_METHODS)(value.get("source") if isinstance(value, dict) else value)
    return cast(Row, _METHODS[source](value))


def _product(_key: str, row: Row) -> Product:
    variants = {
        key: Variant(one["item_id"], FrozenMap(one["options"]), one["available"], exact(one["price"]))
        for key, one in row["variants"].items()
    }
    return Product(row["name"], row["product_id"], FrozenMap(variants))


def written_variant(variant: Variant) -> Row:
    """Return an item of a product as the benchmark writes it."""
    return {
        "item_id": variant.item_id,
        "options": dict(variant.options),
        "available": variant.available,
        "price": float(variant.price),
    }


def _written_product(product: Product) -> Row:
    variants = {key: written_variant(variant) for key, variant in product.variants.items()}
    return {"name": product.name, "product_id": product.product_id, "variants": variants}


def _user(_key: str, row: Row) -> User:
    return User(
        user_id=row["user_id"],
        name=Name(**row["name"]),
        address=Address(**row["address"]),
        email=row["email"],
        payment_methods=FrozenMap({key: _stored(method) for key, method in row["payment_methods"].items()}),
        orders=tuple(row["orders"]),
    )


def _stored(method: Row) -> PaymentMethod:
    if method["source"] == "credit_card":
        return CreditCard(method["id"], method["brand"], method["last_four"])
    if method["source"] == "paypal":
        return Paypal(method["id"])
    return GiftCard(method["id"], exact(method["balance"]))


def _written_user(user: User) -> Row:
    return {
        "user_id": user.user_id,
        "name": _fields(user.name),
        "address": _fields(user.address),
        "email": user.email,
        "payment_methods": {key: _written_method(method) for key, method in user.payment_methods.items()},
        "orders": list(user.orders),
    }


def _written_method(method: PaymentMethod) -> Row:
    if isinstance(method, CreditCard):
        return {"source": "credit_card", "id": method.id, "brand": method.brand, "last_four": method.last_four}
    if isinstance(method, Paypal):
        return {"source": "paypal", "id": method.id}
    return {"source": "gift_card", "id": method.id, "balance": float(method.balance)}


def _order(_key: str, row: Row) -> Order:
    difference = row["exchange_price_difference"]
    return Order(
        order_id=row["order_id"],
        user_id=row["user_id"],
        address=Address(**row["address"]),
        items=tuple(_item(item) for item in row["items"]),
        status=row["status"],
        fulfillments=tuple(
            Fulfillment(tuple(parcel["tracking_id"]), tuple(parcel["item_ids"])) for parcel in row["fulfillments"]
        ),
        payment_history=tuple(
            OrderPayment(paid["transaction_type"], exact(paid["amount"]), paid["payment_method_id"])
            for paid in row["payment_history"]
        ),
        cancel_reason=row["cancel_reason"],
        exchange_items=_listed(row["exchange_items"]),
        exchange_new_items=_listed(row["exchange_new_items"]),
        exchange_payment_method_id=row["exchange_payment_method_id"],
        exchange_price_difference=None if difference is None else exact(difference),
        return_items=_listed(row["return_items"]),
        return_payment_method_id=row["return_payment_method_id"],
    )


def _item(row: Row) -> OrderItem:
    return OrderItem(row["name"], row["product_id"], row["item_id"], exact(row["price"]), FrozenMap(row["options"]))


def _written_order(order: Order) -> Row:
    difference = order.exchange_price_difference
    return {
        "order_id": order.order_id,
        "user_id": order.user_id,
        "address": _fields(order.address),
        "items": [{**_fields(item), "price": float(item.price), "options": dict(item.options)} for item in order.items],
        "status": order.status,
        "fulfillments": [
            {"tracking_id": list(parcel.tracking_id), "item_ids": list(parcel.item_ids)}
            for parcel in order.fulfillments
        ],
        "payment_history": [{**_fields(paid), "amount": float(paid.amount)} for paid in order.payment_history],
        "cancel_reason": order.cancel_reason,
        "exchange_items": _relisted(order.exchange_items),
        "exchange_new_items": _relisted(order.exchange_new_items),
        "exchange_payment_method_id": order.exchange_payment_method_id,
        "exchange_price_difference": None if difference is None else float(difference),
        "return_items": _relisted(order.return_items),
        "return_payment_method_id": order.return_payment_method_id,
    }


def _listed(items: list[str] | None) -> tuple[str, ...] | None:
    return None if items is None else tuple(items)


def _relisted(items: tuple[str, ...] | None) -> list[str] | None:
    return None if items is None else list(items)


def _fields(record: Record) -> Row:
    return {name: getattr(record, name) for name in record.__struct_fields__}


PRODUCTS = Form(
    table="products",
    kind=Product,
    key="product_id",
    checked=shaped({"name": text, "product_id": text, "variants": map_of(_VARIANT)}),
    written=_written_product,
    record=_product,
)
USERS = Form(
    table="users",
    kind=User,
    key="user_id",
    checked=shaped(
        {
            "user_id": text,
            "name": shaped({"first_name": text, "last_name": text}),
            "address": ADDRESS,
            "email": text,
            "payment_methods": map_of(_method),
            "orders": list_of(text),
        }
    ),
    written=_written_user,
    record=_user,
)
ORDERS = Form(
    table="orders",
    kind=Order,
    key="order_id",
    checked=shaped(
        {
            "order_id": text,
            "user_id": text,
            "address": ADDRESS,
            "items": list_of(_ITEM),
            "status": one_of(*STATUSES),
            "fulfillments": list_of(shaped({"tracking_id": list_of(text), "item_ids": list_of(text)})),
            "payment_history": list_of(PAYMENT),
        },
        {
            "cancel_reason": one_of(*REASONS),
            "exchange_items": list_of(text),
            "exchange_new_items": list_of(text),
            "exchange_payment_method_id": text,
            "exchange_price_difference": real,
            "return_items": list_of(text),
            "return_payment_method_id": text,
        },
    ),
    written=_written_order,
    record=_order,
)


def database_records(database: Mapping[str, Any]) -> Iterator[Record]:
    """Yield the records of a database, in its order; raises `ConfigError` for another schema."""
    tables = tables_of(database, "products", "users", "orders")
    for form in (PRODUCTS, USERS, ORDERS):
        for key, raw in tables[form.table].items():
            yield from form.records(key, raw)
