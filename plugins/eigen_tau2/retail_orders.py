"""Changing orders as the benchmark's shop does it, in floats, so that amounts come out digit for digit.

Each function changes an order's row, which its caller saves, and saves the customer's row itself where money moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from eigen_cli.api.errors import ToolError
from eigen_cli.api.world import Transaction
from eigen_retail.items import variant_of
from eigen_tau2.coercion import names, within
from eigen_tau2.retail_rows import PRODUCTS, USERS, written_variant
from eigen_tau2.rows import Row, Rows


def item_details(world: Transaction, item_id: Any) -> Row:
    """Return an item of whatever product. Raises `ToolError`."""
    variant = variant_of(world, item_id) if isinstance(item_id, str) else None
    if variant is None:
        raise ToolError(f"No product has an item {item_id!r}")
    return written_variant(variant)


def refund(rows: Rows, order: Row) -> None:
    """Give back every entry of the payment history, refunds too (defect `refunds_refunded`)."""
    user = rows.get(USERS, order["user_id"])
    history = order["payment_history"]
    for entry in history:
        _move(_method(user, entry["payment_method_id"]), entry["amount"])
    order["payment_history"] = history + [{**entry, "transaction_type": "refund"} for entry in history]
    rows.put(USERS, user["user_id"], user)


def pay_otherwise(rows: Rows, order: Row, payment_id: Any) -> None:
    """Pay an order with another method and give its one payment back."""
    user, history = rows.get(USERS, order["user_id"]), order["payment_history"]
    method = _method(user, payment_id)
    if len(history) != 1 or history[0]["transaction_type"] != "payment":
        raise ToolError(f"Order {order['order_id']} has not exactly one payment, so its payment cannot be changed")
    amount, before = history[0]["amount"], history[0]["payment_method_id"]
    if before == payment_id:
        raise ToolError(f"Order {order['order_id']} is paid with '{payment_id}' already")
    _require_balance(method, amount)
    _move(method, -amount)
    _move(_method(user, before), amount)
    order["payment_history"] = [*history, _entry("payment", amount, payment_id), _entry("refund", amount, before)]
    rows.put(USERS, user["user_id"], user)


def change_items(rows: Rows, order: Row, item_ids: Any, *, new_item_ids: Any, payment_id: Any) -> None:
    """Swap items; every one gets price and options of the last new one (defect `last_variant_for_all`).

    The difference is noted unrounded (defect `unrounded_difference`).
    """
    olds, news = _asked(order, item_ids), within("new_item_ids", names, new_item_ids)
    pairs = list(_pairs(rows, order, olds, news))
    if any(old["item_id"] == new["item_id"] for old, new in pairs):
        raise ToolError("A new item is the same as the old one")
    difference = _difference(pairs)
    user = rows.get(USERS, order["user_id"])
    method = _method(user, payment_id)
    _require_balance(method, difference)
    _move(method, -difference)
    order["payment_history"].append(
        _entry("payment" if difference > 0 else "refund", float(abs(difference)), payment_id)
    )
    for old_id, (_, new) in zip(olds, pairs, strict=True):
        item = next(item for item in order["items"] if item["item_id"] == old_id)
        last = pairs[-1][1]
        item.update(item_id=new["item_id"], price=last["price"], options=last["options"])
    order["status"] = "pending (item modified)"
    rows.put(USERS, user["user_id"], user)


def note_return(rows: Rows, order: Row, item_ids: Any, *, payment_id: Any) -> None:
    """Note items as to be returned, the refund going to the first payment's method or to a gift card."""
    method = _method(rows.get(USERS, order["user_id"]), payment_id)
    first = [entry["payment_method_id"] for entry in order["payment_history"][:1]]
    if method["source"] != "gift_card" and payment_id not in first:
        raise ToolError(f"A refund goes to the method order {order['order_id']} was paid with or to a gift card")
    order["return_items"] = sorted(_asked(order, item_ids))
    order["status"], order["return_payment_method_id"] = "return requested", payment_id


def note_exchange(rows: Rows, order: Row, item_ids: Any, *, new_item_ids: Any, payment_id: Any) -> None:
    """Note items as to be exchanged for others of the same product, and who pays the difference."""
    olds, news = _asked(order, item_ids), within("new_item_ids", names, new_item_ids)
    # Without items this is a whole 0, as the benchmark stores it (defect `whole_zero_difference`).
    difference = round(_difference(_pairs(rows, order, olds, news)), 2)
    _require_balance(_method(rows.get(USERS, order["user_id"]), payment_id), difference)
    order.update(
        status="exchange requested",
        exchange_items=sorted(olds),
        exchange_new_items=sorted(news),
        exchange_payment_method_id=payment_id,
        exchange_price_difference=difference,
    )


def _asked(order: Row, item_ids: Any) -> Sequence[Any]:
    """Return the items a call names, each at most as often as the order holds it."""
    asked: Sequence[Any] = within("item_ids", names, item_ids)
    if isinstance(item_ids, dict) and asked:
        raise ToolError(f"item_ids should be a list, not {item_ids!r}")
    held = [item["item_id"] for item in order["items"]]
    for item_id in asked:
        if asked.count(item_id) > held.count(item_id):
            raise ToolError(f"Order {order['order_id']} holds item {item_id!r} {held.count(item_id)} times")
    return asked


def _pairs(rows: Rows, order: Row, olds: Sequence[Any], news: Sequence[Any]) -> Iterator[tuple[Row, Row]]:
    """Yield each item of the order with the item it becomes; one named twice is the same item twice."""
    if len(olds) != len(news):
        raise ToolError(f"{len(olds)} items cannot become {len(news)}; name one new item for each")
    for old_id, new_id in zip(olds, news, strict=True):
        old = next(item for item in order["items"] if item["item_id"] == old_id)
        variants = rows.get(PRODUCTS, old["product_id"])["variants"]
        new = variants.get(new_id) if isinstance(new_id, str) else None
        if new is None or not new["available"]:
            raise ToolError(f"Item {new_id!r} is no available {old['name']}")
        # A variant goes by the key it is listed under.
        yield old, {**new, "item_id": new_id}


def _difference(pairs: Iterable[tuple[Row, Row]]) -> float:
    difference = 0
    for old, new in pairs:  # added one by one: newer Pythons' `sum` rounds better than the benchmark adds
        difference += new["price"] - old["price"]
    return difference


def _method(user: Row, payment_id: Any) -> Row:
    method: Row | None = user["payment_methods"].get(payment_id) if isinstance(payment_id, str) else None
    if method is None:
        raise ToolError(f"Payment method {payment_id!r} is not in the profile of {user['user_id']}")
    return method


def _require_balance(method: Row, amount: float) -> None:
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise ToolError(f"Gift card '{method['id']}' holds only {method['balance']}, not {amount}")


def _move(method: Row, amount: float) -> None:
    if method["source"] == "gift_card":
        method["balance"] = round(method["balance"] + amount, 2)


def _entry(kind: str, amount: float, payment_id: str) -> Row:
    return {"transaction_type": kind, "amount": amount, "payment_method_id": payment_id}
