"""What every procedure of the playbook does: find the profile and the order, and put things into words.

Procedures see the user's words and tool results, nothing else. Texts may offer alternatives, `<Sure|Of course>`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from decimal import Decimal
from typing import Any

from eigen_cli.api.playbook import Ask, Call, CallResult, Refuse, Step, Tell
from eigen_retail import wording

Json = dict[str, Any]
Procedure = Generator[Step, Any, None]
_TRIES = 2

_NOT_FOUND = (
    "I can't find order {} on your profile. Could you <check|read> the order id again?",
    "I'm sorry, there is no order {} on your profile either. Could you read the id to me once more?",
)
KEPT = "<All right, I've left everything as it is.|No problem, nothing has been changed.>"
"""Said when the customer does not agree to a change."""


# Finding the profile and the order


def profile() -> Generator[Step, Any, Json | None]:
    """Look the caller up by what they give; return the profile, or None when nothing fits it."""
    text: str | None = yield Ask("identity")
    for _ in range(_TRIES):
        look_up = _look_up(text or "")
        if look_up is None:
            return None
        found: CallResult = yield look_up
        # Someone who has just moved is no longer found by the old zip code, but was before.
        known = [str(found.value)] if not found.error else wording.user_ids(" ".join(map(str, found.earlier)))
        if known:
            result: CallResult = yield Call("get_user_details", {"user_id": known[-1]})
            return None if result.error else dict(result.value)
        text = yield Ask("corrected_identity")
    return None


def _look_up(text: str) -> Call | None:
    addresses = wording.emails(text)
    if addresses:
        return Call("find_user_id_by_email", {"email": addresses[0]})
    person = wording.name_zip(text)
    if person is None:
        return None
    first, last, code = person
    return Call("find_user_id_by_name_zip", {"first_name": first, "last_name": last, "zip": code})


def greeted() -> Procedure:
    """Open every call: look the caller up and greet them by name."""
    user = yield from profile()
    if user is not None:
        name = user["name"]["first_name"]
        yield Tell(f"<Thank you, {name}.|Thanks, {name}, I have your profile here.|Hello {name}, I've found you.>")


def identified() -> Generator[Step, Any, Json | None]:
    """Return the caller's profile; refuse and return None when there is none."""
    user = yield from profile()
    if user is None:
        yield Refuse(
            "I'm sorry, but as long as I can't find your profile I'm not able to open or change anything. I need the "
            "e-mail address on it, or your full name and zip code.",
            "2.1",
        )
    return user


def order_of(user: Json) -> Generator[Step, Any, Json | None]:
    """Return the order the caller means, or refuse and return None.

    Customers who have lost the id are asked what is in it and their own orders are looked through (clause 2.3); an
    order that is not on the profile is turned down (2.2).
    """
    text: str | None = yield Ask("order_id")
    for tries in range(_TRIES):
        ids = wording.order_ids(text or "")
        if not ids:
            return (yield from _by_item(user))
        if ids[0] in user["orders"]:
            result: CallResult = yield Call("get_order_details", {"order_id": ids[0]})
            return None if result.error else dict(result.value)
        text = yield Ask("corrected_order_id", _NOT_FOUND[tries].format(ids[0]))
    yield Refuse(
        "I'm sorry, that order is not on your profile, and I can't open or change anything on another customer's "
        "account.",
        "2.2",
    )
    ids = wording.order_ids(text or "")
    careless: CallResult | None = (yield Call("get_order_details", {"order_id": ids[0]})) if ids else None
    return None if careless is None or careless.error else dict(careless.value)


def _by_item(user: Json) -> Generator[Step, Any, Json | None]:
    text: str | None = yield Ask(
        "items", "No problem, <I can look it up for you|we'll find it>. Which items are in that order?"
    )
    names = {name for name, _ in wording.items(text or "")}
    for order_id in user["orders"] if names else ():
        result: CallResult = yield Call("get_order_details", {"order_id": order_id})
        if not result.error and names & {item["name"] for item in result.value["items"]}:
            yield Tell(f"<I've found it|There it is>: that's order {order_id}.")
            return dict(result.value)
    yield Refuse(
        "I'm sorry, I can't find such an order on your profile. <With the order id I could help you further.|Could you "
        "look for the order id and call again?>",
        "2.3",
    )
    return None


def own_order() -> Generator[Step, Any, tuple[Json, Json] | None]:
    """Return the caller's profile and the order they mean; refuse where there is none."""
    user = yield from identified()
    if user is None:
        return None
    order = yield from order_of(user)
    return None if order is None else (user, order)


def order_in(status: str, doing: str) -> Generator[Step, Any, tuple[Json, Json] | None]:
    """Return profile and order where the order's state lets something be done (clauses 3.2 and 3.3); else refuse."""
    opened = yield from own_order()
    if opened is None:
        return None
    _, order = opened
    if order["status"] == "pending (item modified)" and status == "pending":
        yield Refuse(
            f"I'm sorry, the items of order {order['order_id']} were changed already. That closes an order, so it "
            f"can't be {doing} any more.",
            "3.3",
        )
    elif order["status"] != status:
        yield Refuse(
            f"I'm sorry, order {order['order_id']} is {order['status']}. Only {status} orders can be {doing}, so I "
            "can't do that.",
            "3.2",
        )
    return opened


# Words


def exact(amount: float) -> Decimal:
    """Return an amount of a tool result without the noise of binary fractions."""
    return Decimal(str(amount))


def dollars(amount: float | Decimal) -> str:
    """Return `$1,234` or `$12.50`; signs are left to the words around it."""
    value = abs(Decimal(str(amount)))
    return f"${value:,.0f}" if value == int(value) else f"${value:,.2f}"


def sum_of(items: Iterable[Json]) -> Decimal:
    """Return what items add up to."""
    return sum((exact(item["price"]) for item in items), Decimal(0))


def items_named(items: Iterable[Json]) -> str:
    """Return items by their products' names, `the Rain Jacket and the Tea Pot (2 of them)`."""
    counts = Counter(item["name"] for item in items)
    return wording.listed(
        f"the {name}" if count == 1 else f"the {name} ({count} of them)" for name, count in counts.items()
    )


def described(options: Json) -> str:
    """Return options as `color navy, size L`."""
    return ", ".join(f"{option} {value}" for option, value in options.items())


def address_named(address: Json) -> str:
    """Return an address on one line."""
    second = f"{address['address2']}, " if address["address2"] else ""
    place = f"{address['city']}, {address['state']} {address['zip']}, {address['country']}"
    return f"{address['address1']}, {second}{place}"


def method_named(payment_id: str, methods: Json) -> str:
    """Return a payment method as customers know it, with its id."""
    method = methods.get(payment_id, {})
    if method.get("source") == "credit_card":
        return f"your {method['brand'].title()} ending in {method['last_four']} ({payment_id})"
    kind = {"paypal": "PayPal account", "gift_card": "gift card"}.get(method.get("source", ""), "payment method")
    return f"your {kind} {payment_id}"


def when_refunded(payment_id: str, methods: Json) -> str:
    """Return how long a refund takes (clause 4.3)."""
    gift = methods.get(payment_id, {}).get("source") == "gift_card"
    return "at once" if gift else "within 5 to 7 business days"


def reason_of(result: CallResult) -> str:
    """Return why a tool refused, for use inside a sentence."""
    text = str(result.value).removeprefix("Error: ").strip(" .")
    return text[:1].lower() + text[1:]
