"""Items: changing them while an order is pending, exchanging and returning them after delivery."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Refuse, Step, Tell
from eigen_retail import wording
from eigen_retail.playbook_common import (
    KEPT,
    Json,
    Procedure,
    described,
    dollars,
    exact,
    items_named,
    method_named,
    order_in,
    reason_of,
    sum_of,
    when_refunded,
)
from eigen_retail.playbook_payments import difference_method, method_for
from eigen_retail.playbook_pending import send_to, wanted_address

_TRIES = 2


@dataclass(frozen=True)
class Swapped:
    """An item of an order and the item it is to become."""

    old: Json
    new: Json

    @property
    def text(self) -> str:
        """The change in words."""
        return f"the {self.old['name']} from {described(self.old['options'])} to {described(self.new['options'])}"


def difference_of(swaps: Sequence[Swapped]) -> Decimal:
    """Return what the new items cost more."""
    return sum((exact(one.new["price"]) - exact(one.old["price"]) for one in swaps), Decimal(0))


# Changing and exchanging


def change_items() -> Procedure:
    """Change items of a pending order, all in one call."""
    opened = yield from order_in("pending", "changed")
    if opened is not None:
        yield from _swap(*opened, tool="modify_pending_order_items")


def exchange_items() -> Procedure:
    """Exchange items of a delivered order, all in one call."""
    opened = yield from order_in("delivered", "returned or exchanged")
    if opened is not None:
        yield from _swap(*opened, tool="exchange_delivered_order_items")


def change_items_and_address() -> Procedure:
    """The address first: changed items close the order (clause 5.5)."""
    opened = yield from order_in("pending", "changed")
    if opened is None:
        return
    user, order = opened
    yield Tell("<I'll start with the address, because|The address comes first, as> changed items close an order.")
    address = yield from wanted_address(user)
    if address is None:
        return
    sent = yield from send_to(order, address)
    if sent:
        yield from _swap(user, order, tool="modify_pending_order_items")


def _swap(user: Json, order: Json, *, tool: str) -> Procedure:
    modifying = tool == "modify_pending_order_items"
    swaps = yield from _agreed_swaps(order)
    if swaps is None:
        return
    difference, methods = difference_of(swaps), user["payment_methods"]
    payment_id = yield from difference_method(user, difference)
    if payment_id is None:
        return
    method = method_named(payment_id, methods)
    cost = "The price stays the same" if not difference else f"{dollars(difference)} would be charged to {method}"
    if difference < 0:
        cost = f"{dollars(difference)} would be refunded to {method}"
    closing = "Nothing else on the order can be changed afterwards." if modifying else "This works once an order."
    verb = "change" if modifying else "exchange"
    agreed: bool = yield Confirm(
        f"In order {order['order_id']}, I would {verb} {wording.listed(one.text for one in swaps)}. {cost}. {closing}"
    )
    if not agreed:
        yield Tell(KEPT)
        return
    result: CallResult = yield Call(
        tool,
        {
            "order_id": order["order_id"],
            "item_ids": [one.old["item_id"] for one in swaps],
            "new_item_ids": [one.new["item_id"] for one in swaps],
            "payment_method_id": payment_id,
        },
    )
    if result.error:
        yield Refuse(f"I'm sorry, I can't {verb} that: {reason_of(result)}.", "5.3")
        return
    yield Tell(_swapped(order, swaps, difference, method=method, modifying=modifying))


def _swapped(order: Json, swaps: Sequence[Swapped], difference: Decimal, *, method: str, modifying: bool) -> str:
    way = "charged to" if difference > 0 else "refunded to"
    money = f"The difference of {dollars(difference)} is {way} {method}." if difference else "There was nothing to pay."
    if modifying:
        return f"<Done:|That's done:> order {order['order_id']} has been updated. {money}"
    return (
        f"<Done:|That's done:> the exchange of {items_named(one.old for one in swaps)} from order {order['order_id']} "
        f"has been requested and registered. {money} You will get an e-mail about how to send things back."
    )


def _agreed_swaps(order: Json) -> Generator[Step, Any, list[Swapped] | None]:
    """Return what is to become what, every item in stock; refuse and return None where nothing can be agreed."""
    text: str | None = yield Ask(
        "changes",
        "Which items should change, and which new options should each of them have? Please name all of them, as this "
        "works only once an order.",
    )
    for tries in range(_TRIES):
        wanted = wording.changes(text or "")
        problem = _foreign(order, wanted)
        if problem is not None:
            yield problem
            return None
        swaps, missing = yield from _matched(order, wanted)
        if not missing:
            return swaps
        if tries + 1 < _TRIES:
            text = yield Ask(
                "fallback",
                f"{missing} is sold out at the moment, I'm afraid. Which other options would you take?",
            )
            if text is None:
                break
    yield Refuse("I'm sorry, what you want is not available at the moment, so I can't make that change.", "5.3")
    return None


def _foreign(order: Json, wanted: Sequence[wording.Change]) -> Refuse | None:
    """Return the refusal of a wish that names nothing of the order (clause 5.3)."""
    names = {item["name"] for item in order["items"]}
    other = next((name for name, _ in wanted if name not in names), None)
    if wanted and other is None:
        return None
    held = items_named(order["items"])
    if other is None:
        return Refuse(f"I'm sorry, I can't make out what should change. The order holds {held}.", "3.4")
    return Refuse(
        f"I'm sorry, an item can only become another version of the same product. Order {order['order_id']} holds "
        f"{held}, so I can't turn anything into the {other}.",
        "5.3",
    )


def _matched(order: Json, wanted: Sequence[wording.Change]) -> Generator[Step, Any, tuple[list[Swapped], str]]:
    """Return the swaps wished for, and what of it is not in stock, in words."""
    swaps: list[Swapped] = []
    for name, options in wanted:
        item = next(one for one in order["items"] if one["name"] == name)
        product: CallResult = yield Call("get_product_details", {"product_id": item["product_id"]})
        target = {**item["options"], **options}
        variants = () if product.error else product.value["variants"].values()
        new = next((one for one in variants if one["options"] == target and one["available"]), None)
        if new is None or new["item_id"] == item["item_id"]:
            return swaps, f"The {name} with {described(options) or 'other options'}"
        swaps.append(Swapped(item, new))
    return swaps, ""


# Returning


def return_items() -> Procedure:
    """Take back items of a delivered order; the refund goes where clause 6.1 lets it."""
    opened = yield from order_in("delivered", "returned or exchanged")
    if opened is None:
        return
    user, order = opened
    text: str | None = yield Ask(
        "items",
        f"Order {order['order_id']} holds {items_named(order['items'])}. Which items would you like to send back? "
        "Please name all of them, as this works only once an order.",
    )
    items = _meant(order, text or "")
    if not items:
        yield Refuse(f"I'm sorry, I can't find that in the order. It holds {items_named(order['items'])}.", "3.4")
        return
    methods, original = user["payment_methods"], order["payment_history"][0]["payment_method_id"]

    def problem(payment_id: str) -> str:
        if payment_id == original or methods[payment_id]["source"] == "gift_card":
            return ""
        return "a refund goes only to the method the order was paid with or to a gift card"

    payment_id = yield from method_for(
        user,
        f"That would be {dollars(sum_of(items))} back. Which payment method should the refund go to?",
        problem_of=problem,
        clause="6.1",
    )
    if payment_id is not None:
        yield from _take_back(user, order, items, payment_id=payment_id)


def _take_back(user: Json, order: Json, items: Sequence[Json], *, payment_id: str) -> Procedure:
    methods, back = user["payment_methods"], dollars(sum_of(items))
    method = method_named(payment_id, methods)
    agreed: bool = yield Confirm(
        f"I would request the return of {items_named(items)} from order {order['order_id']}, with a refund of {back} "
        f"to {method}. This works once an order."
    )
    if not agreed:
        yield Tell(KEPT)
        return
    arguments = {
        "order_id": order["order_id"],
        "item_ids": [item["item_id"] for item in items],
        "payment_method_id": payment_id,
    }
    result: CallResult = yield Call("return_delivered_order_items", arguments)
    if result.error:
        yield Refuse(f"I'm sorry, I can't take that back: {reason_of(result)}.", "3.2")
        return
    yield Tell(
        f"<Done:|That's done:> the return of {items_named(items)} from order {order['order_id']} has been requested "
        f"and registered. You will get an e-mail about how to send things back; {back} will then go to {method} "
        f"{when_refunded(payment_id, methods)}."
    )


def _meant(order: Json, text: str) -> list[Json]:
    """Return the items of the order that a text means: as many of each product as it says, else all of them."""
    if not wording.items(text):
        everything = any(word in text.lower() for word in ("everything", "all of", "whole", "entire"))
        return list(order["items"]) if everything else []
    held = Counter(item["name"] for item in order["items"])
    left = {name: held[name] if count is None else count for name, count in wording.items(text)}
    meant: list[Json] = []
    for item in order["items"]:
        if left.get(item["name"], 0) > 0:
            left[item["name"]] -= 1
            meant.append(item)
    return meant
