"""What of a record counts when outcomes are compared."""

from __future__ import annotations

import re
from typing import Any

from eigen_cli.api.canonical import canonical_json
from eigen_retail.payments import paid_with
from eigen_retail.records import Address, Order, User

_COUNTRIES = {"us": "usa", "u.s.": "usa", "u.s.a.": "usa", "united states": "usa", "united states of america": "usa"}


def canonical_order(order: Order) -> Any:
    """Return an order as outcomes are compared.

    Payments count by what the order holds of each method in the end; how many entries led there does not. Items count
    with price and options, but not their order. What was asked for after delivery counts whole: which items go back,
    what they become, and which method settles it.
    """
    return {
        "order": (order.order_id, order.user_id, order.status, order.cancel_reason),
        "address": canonical_address(order.address),
        "items": sorted(canonical_json(item).decode() for item in order.items),
        "fulfillments": order.fulfillments,
        "paid": paid_with(order),
        "exchange": (
            sorted(order.exchange_items or ()),
            sorted(order.exchange_new_items or ()),
            order.exchange_payment_method_id,
            order.exchange_price_difference,
        ),
        "return": (sorted(order.return_items or ()), order.return_payment_method_id),
    }


def canonical_user(user: User) -> Any:
    """Return a user as outcomes are compared: the profile with balances; orders are left out, each names its user."""
    return {
        "user": (user.user_id, user.name, user.email),
        "address": canonical_address(user.address),
        "payment_methods": user.payment_methods,
    }


def canonical_address(address: Address) -> tuple[str, ...]:
    """Return an address without regard to capitals, spaces, full stops and the spelling of the country."""
    country = _plain(address.country)
    parts = (address.address1, address.address2, address.city, address.state, address.zip)
    return (*(_plain(part).replace(".", "") for part in parts), _COUNTRIES.get(country, country))


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(" ,").casefold()
