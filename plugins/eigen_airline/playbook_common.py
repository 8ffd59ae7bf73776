"""What every procedure of the playbook does: find the profile and the reservation, and put things into words.

Procedures see the user's words and tool results, nothing else. Texts may offer alternatives, `<Sure|Of course>`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Generator, Iterable, Sequence
from typing import Any

from eigen_airline import wording
from eigen_airline.airports import CITY
from eigen_airline.rules import NOW
from eigen_cli.api.playbook import Ask, Call, CallResult, Refuse, Step, Tell

Json = dict[str, Any]
Procedure = Generator[Step, Any, None]
_TRIES = 2

KEPT = "<All right, I've left everything as it is.|No problem, nothing has been changed.>"
"""Said when the customer does not agree to a change."""


def profile() -> Generator[Step, Any, Json | None]:
    """Identify the caller; return the profile, or None when no profile fits what they say."""
    text: str | None = yield Ask("user_id")
    for _ in range(_TRIES):
        ids = wording.user_ids((text or "").lower())
        if not ids:
            return None
        result: CallResult = yield Call("get_user_details", {"user_id": ids[0]})
        if not result.error:
            found: Json = result.value
            return found
        text = yield Ask(
            "user_id",
            f"I can't find a profile under {ids[0]}. <Could|Would> you check your user id and give it to me again?",
        )
    return None


def greeted() -> Procedure:
    """Open every call: identify the caller and greet them by name."""
    user = yield from profile()
    if user is not None:
        name = user["name"]["first_name"]
        yield Tell(f"<Thank you, {name}.|Thanks, {name}, I have your profile here.|Nice to meet you, {name}.>")


def identified() -> Generator[Step, Any, Json | None]:
    """Return the caller's profile; refuse and return None when there is none."""
    user = yield from profile()
    if user is None:
        yield Refuse(
            "I'm sorry, but without a user id that I can find I'm not able to open an account or change anything on "
            "it.",
            "2.1",
        )
    return user


def reservation_of(user: Json) -> Generator[Step, Any, CallResult | None]:
    """Return the reservation the caller means, or refuse and return None.

    Customers who have lost the id are asked for the route and their own reservations are looked through (clause 2.3);
    one that belongs to someone else is turned down (2.2).
    """
    text: str | None = yield Ask("reservation_id")
    for _ in range(_TRIES):
        ids = wording.reservation_ids((text or "").upper())
        if not ids:
            return (yield from _by_route(user))
        if ids[0] in user["reservations"]:
            result: CallResult = yield Call("get_reservation_details", {"reservation_id": ids[0]})
            return result
        text = yield Ask(
            "corrected_reservation_id",
            f"I can't find a reservation {ids[0]} on your profile. Could you <check|read> the reservation id again?",
        )
    yield Refuse(
        "I'm sorry, there is no reservation with that id on your profile, and I can't open or change anything on "
        "another "
        "customer's account.",
        "2.2",
    )
    ids = wording.reservation_ids((text or "").upper())
    if not ids:
        return None
    careless: CallResult = yield Call("get_reservation_details", {"reservation_id": ids[0]})
    return None if careless.error else careless


def _by_route(user: Json) -> Generator[Step, Any, CallResult | None]:
    if not user["reservations"]:
        yield Refuse(
            "I'm sorry, I can't see any reservation on your profile, so there is nothing I could work on.", "2.3"
        )
        return None
    text: str | None = yield Ask(
        "origin",
        "No problem, <I can look it up for you|we'll find it>. Where are you flying from on that trip, and what is "
        "its destination?",
    )
    other: str | None = yield Ask("destination", "And what is the destination of that trip?")
    start, end = route(text, other)
    matches: list[CallResult] = []
    for reservation_id in user["reservations"]:
        result: CallResult = yield Call("get_reservation_details", {"reservation_id": reservation_id})
        held = result.value
        if (
            not result.error
            and held["origin"] == start
            and held["destination"] == end
            and held["status"] != "cancelled"
        ):
            matches.append(result)
    if not matches:
        yield Refuse(
            "I'm sorry, I can't find a trip on that route on your profile. <Could you look for the reservation id and "
            "call "
            "us again?|With the reservation id I could help you further.>",
            "2.3",
        )
        return None
    found = matches[0].value
    yield Tell(f"I've found it: reservation {found['reservation_id']}, {journey(found)}.")
    return matches[0]


def route(first: str | None, second: str | None = None) -> tuple[str | None, str | None]:
    """Return origin and destination as airport codes, read from one or two answers.

    Words such as `from` and `to` decide where both ends stand in one answer; otherwise the order does.
    """
    origin = destination = None
    places: list[str] = []
    for text in dict.fromkeys((first or "", second or "")):
        for place, side in wording_of_places(text):
            if side == "from":
                origin = origin or place
            elif side == "to":
                destination = destination or place
            if place not in places:
                places.append(place)
    rest = [place for place in places if place not in (origin, destination)]
    origin = origin or next((place for place in rest), None)
    destination = destination or next((place for place in rest if place != origin), None)
    return origin, destination


def wording_of_places(text: str) -> list[tuple[str, str]]:
    """Return the airports a text names, each with `from`, `to` or an empty string for the words before it."""
    found: list[tuple[str, str]] = []
    before = 0
    for code in wording.airports(text):
        spelt = [at for name in (code, CITY[code]) if (at := text.find(name, before)) >= 0]
        start = min(spelt, default=before)
        lead = text[before:start].lower().split()[-3:]
        side = (
            "from"
            if {"from", "of", "leaving", "start", "in"} & set(lead)
            else "to"
            if {"to", "into"} & set(lead)
            else ""
        )
        if text[start:].startswith(f"{CITY[code]} is where I'm headed") or text[start:].startswith(
            f"{code} is where I'm"
        ):
            side = "to"
        found.append((code, side))
        before = start + 3
    return found


# Words


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
    """Return `Denver to Boston on May 22 in economy`, with the date of the way back for a round trip."""
    first, last = reservation["flights"][0], reservation["flights"][-1]
    start, end = city(reservation["origin"]), city(reservation["destination"])
    cabin = reservation["cabin"].replace("_", " ")
    if reservation["flight_type"] == "round_trip" and last["date"] != first["date"]:
        return f"{start} to {end} and back, {spoken_date(first['date'])} to {spoken_date(last['date'])}, in {cabin}"
    return f"{start} to {end} on {spoken_date(first['date'])} in {cabin}"


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


def has_departed(flight: Json) -> bool:
    """Whether a segment's date leaves open that it has departed; later ones need no look at their status."""
    return bool(flight["date"] <= NOW.date().isoformat())


def refuse_closed(reservation: Json) -> Procedure:
    """Refuse where a reservation is cancelled already (clause 6.7)."""
    if reservation["status"] == "cancelled":
        yield Refuse(
            f"I'm sorry, reservation {reservation['reservation_id']} has already been cancelled. A cancelled "
            "reservation is "
            "closed, so I can't change anything on it.",
            "6.7",
        )


def open_reservation() -> Generator[Step, Any, tuple[Json, Json] | None]:
    """Return profile and reservation of a caller whose reservation can be worked on; refuse otherwise."""
    user = yield from identified()
    if user is None:
        return None
    found = yield from reservation_of(user)
    if found is None:
        return None
    yield from refuse_closed(found.value)
    return user, found.value


def any_flown(segments: Sequence[Json]) -> Generator[Step, Any, bool]:
    """Look up the segments that may have departed; return whether one is flown."""
    for segment in segments:
        if has_departed(segment):
            status = yield from status_of(segment)
            if status in ("flying", "landed"):
                return True
    return False


def status_of(flight: Json) -> Generator[Step, Any, str]:
    """Return a segment's status, empty where it is not known."""
    result: CallResult = yield Call(
        "get_flight_status", {"flight_number": flight["flight_number"], "date": flight["date"]}
    )
    return "" if result.error else str(result.value)


def reason_of(result: CallResult) -> str:
    """Return why a tool refused, for use inside a sentence."""
    text = str(result.value).removeprefix("Error: ").strip(" .")
    return text[:1].lower() + text[1:]
