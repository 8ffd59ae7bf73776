"""Amounts, dates, trips and people as an agent says them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from typing import Any

from eigen_airline import wording
from eigen_airline.airports import CITY
from eigen_cli.api.playbook import CallResult

Json = dict[str, Any]


def dollars(amount: float) -> str:
    """Return `$1,234` or `$12.50`."""
    return f"${amount:,.0f}" if amount == int(amount) else f"${amount:,.2f}"


def spoken_date(iso: str) -> str:
    """Return `May 22`."""
    return wording.say_date(datetime.date.fromisoformat(iso))


def spoken_time(clock: str) -> str:
    """Return `8:10 am`; arrivals after midnight say so."""
    hour, minute = int(clock[:2]), clock[3:5]
    half = "am" if hour < 12 else "pm"
    return f"{hour % 12 or 12}:{minute} {half}" + (" the next day" if clock.endswith("+1") else "")


def city(code: str) -> str:
    """Return the city of an airport."""
    return CITY.get(code, code)


def journey(reservation: Json) -> str:
    """Return `from Denver to Boston on May 22 in economy`, with the date of the way back for a round trip."""
    first, last = reservation["flights"][0], reservation["flights"][-1]
    start, end = city(reservation["origin"]), city(reservation["destination"])
    cabin = reservation["cabin"].replace("_", " ")
    if reservation["flight_type"] == "round_trip" and last["date"] != first["date"]:
        return (
            f"from {start} to {end} and back, {spoken_date(first['date'])} to {spoken_date(last['date'])}, in {cabin}"
        )
    return f"from {start} to {end} on {spoken_date(first['date'])} in {cabin}"


def listed(parts: Iterable[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    items = list(parts)
    return "".join(items) if len(items) < 2 else f"{', '.join(items[:-1])} and {items[-1]}"


def count_in(text: str | None) -> int:
    """Return the count an answer gives: in digits if there are any, else in the words of its last sentence; 0 if "
    "none."""
    if match := re.search(r"\b\d{1,2}\b", text or ""):
        return int(match[0])
    return wording.number(re.split(r"[.!?]\s+", (text or "").strip())[-1]) or 0


def counted(count: int, what: str) -> str:
    """Return `1 bag` or `3 bags`."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def names(passengers: Sequence[Json]) -> str:
    """Return the names of passengers."""
    return listed(f"{person['first_name']} {person['last_name']}" for person in passengers)


def method_name(payment_id: str, methods: Json) -> str:
    """Return a payment method as customers know it, with its id."""
    method = methods.get(payment_id, {})
    if method.get("source") == "credit_card":
        return f"your {method['brand'].title()} ending in {method['last_four']} ({payment_id})"
    return f"your {method.get('source', 'payment method').replace('_', ' ')} {payment_id}"


def money_back(payments: Sequence[Json]) -> float:
    """Return the sum of a payment history."""
    return float(sum(payment["amount"] for payment in payments))


def reason_of(result: CallResult) -> str:
    """Return why a tool refused, for use inside a sentence."""
    text = str(result.value).removeprefix("Error: ").strip(" .")
    return text[:1].lower() + text[1:]
