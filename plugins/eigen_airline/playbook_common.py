"""What every procedure of the playbook does: find the profile and the reservation, and put things into words.

Procedures see the user's words and tool results, nothing else. Texts may offer alternatives, `<Sure|Of course>`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from eigen_airline import wording
from eigen_airline.airports import CITY
from eigen_airline.playbook_words import Json
from eigen_airline.rules import NOW
from eigen_cli.api.playbook import Ask, Call, CallResult, Refuse, Step, Tell

Procedure = Generator[Step, Any, None]
_TRIES = 2

_NOT_FOUND = (
    "I can't find a reservation {} on your profile. Could you <check|read> the reservation id again?",
    "I'm sorry, there is no {} on your profile either. Could you read the id to me once more, letter by letter?",
)
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
    for tries in range(_TRIES):
        ids = wording.reservation_ids((text or "").upper())
        if not ids:
            return (yield from _by_route(user))
        if ids[0] in user["reservations"]:
            result: CallResult = yield Call("get_reservation_details", {"reservation_id": ids[0]})
            return result
        text = yield Ask("corrected_reservation_id", _NOT_FOUND[tries].format(ids[0]))
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
    yield Tell(f"<I've found it|There it is>: that's reservation {found['reservation_id']}.")
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
