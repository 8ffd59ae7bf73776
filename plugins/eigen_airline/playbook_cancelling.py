"""Cancelling reservations and compensating for what went wrong."""

from __future__ import annotations

import datetime
import re
from collections.abc import Generator
from typing import Any

from eigen_airline.playbook_common import (
    Procedure,
    has_departed,
    identified,
    open_reservation,
    reservation_of,
    status_of,
)
from eigen_airline.playbook_words import Json, counted, dollars, journey, money_back, spoken_date
from eigen_airline.rules import (
    CANCELLED_FLIGHT_COMPENSATION,
    DELAYED_FLIGHT_COMPENSATION,
    FREE_CANCELLATION,
    NOW,
)
from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Handover, Refuse, Step, Tell

_INSURED = re.compile(
    r"\b(?:health|ill|sick|medical|doctor|hospital|injur\w+|surgery|flu|weather|storm|snow|hurricane)\b", re.IGNORECASE
)
_BY_US = re.compile(r"\b(?:airline|you|they|flight (?:was|got|has been)|heron)\b[^.]*\bcancel", re.IGNORECASE)
_DELAY = re.compile(r"\b(?:delay\w*|late)\b", re.IGNORECASE)
_CANCELLED = re.compile(r"\bcancel\w*\b", re.IGNORECASE)


# Cancelling


def cancel_reservation() -> Procedure:
    """Ask why, look what decides, then cancel, refuse, or pass a started trip on."""
    opened = yield from open_reservation()
    if opened is None:
        return
    _, reservation = opened
    reason: str | None = yield Ask(
        "cancel_reason",
        f"That's your trip {journey(reservation)}. May I ask for the reason why you want to cancel it?",
    )
    found = yield from _statuses(reservation, all_of_them=_BY_US.search(reason or "") is not None)
    if found & {"flying", "landed"}:
        yield Tell("I see that part of this trip has already been flown.")
        yield Handover(
            f"The customer wants to cancel reservation {reservation['reservation_id']}, but part of the trip is flown "
            "already."
        )
        return
    why = _ground(reservation, reason or "", found)
    if not why:
        found |= yield from _statuses(reservation, all_of_them=True)
        why = _ground(reservation, reason or "", found)
    if not why:
        yield _not_cancellable(reservation)
    yield from _cancel(reservation, why)


def _statuses(reservation: Json, *, all_of_them: bool) -> Generator[Step, Any, set[str]]:
    found: set[str] = set()
    for flight in reservation["flights"]:
        if all_of_them or has_departed(flight):
            status = yield from status_of(flight)
            found.add(status)
    return found


def _ground(reservation: Json, reason: str, statuses: set[str]) -> str:
    """Return why clause 7.3 allows the cancellation, in words; empty where it does not."""
    created = datetime.datetime.fromisoformat(reservation["created_at"])
    if NOW - created <= FREE_CANCELLATION:
        return "It was booked within the last 24 hours"
    if reservation["cabin"] == "business":
        return "It is a business trip"
    if "cancelled" in statuses:
        return "We cancelled one of its flights"
    if reservation["insurance"] == "yes" and _INSURED.search(reason):
        return "Your travel insurance covers that reason"
    return ""


def _not_cancellable(reservation: Json) -> Refuse:
    insured = (
        "your insurance covers only health and weather"
        if reservation["insurance"] == "yes"
        else "there is no travel insurance on it"
    )
    return Refuse(
        f"I'm sorry, but I can't cancel reservation {reservation['reservation_id']}. It was booked more than 24 hours "
        "ago, it is "
        f"not in business, none of its flights has been cancelled by us, and {insured}.",
        "7.3",
    )


def _cancel(reservation: Json, why: str) -> Procedure:
    refund = money_back(reservation["payment_history"])
    allowed = f"{why}, so I can cancel it. " if why else ""
    agreed: bool = yield Confirm(
        f"{allowed}I would cancel the whole of reservation {reservation['reservation_id']} and refund "
        f"{dollars(refund)} to the "
        "original payment methods, within 5 to 7 business days."
    )
    if not agreed:
        yield Tell("<All right, your reservation stays as it is.|No problem, I've left the reservation as it is.>")
        return
    result: CallResult = yield Call("cancel_reservation", {"reservation_id": reservation["reservation_id"]})
    if result.error:
        yield Refuse(
            "I'm sorry, the system does not let me go through with it, so I can't cancel the reservation.", "7.3"
        )
        return
    yield Tell(
        f"<Your|Done, your> reservation {reservation['reservation_id']} has been cancelled. {dollars(refund)} will be "
        "back on "
        "the original payment methods within 5 to 7 business days."
    )


# Compensating


def compensation() -> Procedure:
    """Look up what happened and who is entitled; send a certificate where clauses 8.2 to 8.4 allow it."""
    user = yield from identified()
    if user is None:
        return
    yield Tell(
        "<I'm sorry to hear about the trouble with your flight.|I'm sorry that your trip did not go as planned.>"
    )
    result = yield from reservation_of(user)
    if result is None:
        return
    reservation: Json = result.value
    complaint: str | None = yield Ask("complaint", "What happened, was the flight delayed or cancelled?")
    delay = _DELAY.search(complaint or "") is not None and _CANCELLED.search(complaint or "") is None
    handled = _handled(result)
    trouble = yield from _troubled(reservation, handled, "delayed" if delay else "cancelled")
    people = len(reservation["passengers"])
    each = DELAYED_FLIGHT_COMPENSATION if delay else CANCELLED_FLIGHT_COMPENSATION
    refusal = _refusal(user, reservation, trouble, delay=delay, handled=bool(handled))
    if refusal is not None:
        yield refusal
    yield from _send(user, reservation, amount=each * people, people=people, each=each)


def _handled(result: CallResult) -> list[Json]:
    """Return the segments that this call has already changed away or cancelled."""
    reservation = result.value
    before = [flight for earlier in result.earlier for flight in earlier["flights"]]
    if reservation["status"] == "cancelled":
        return list(reservation["flights"]) if any(one["status"] is None for one in result.earlier) else []
    now = {(flight["flight_number"], flight["date"]) for flight in reservation["flights"]}
    return [flight for flight in before if (flight["flight_number"], flight["date"]) not in now]


def _troubled(reservation: Json, handled: list[Json], status: str) -> Generator[Step, Any, Json | None]:
    """Return the segment, of those booked or just changed away, that was cancelled or delayed."""
    flights = [*handled, *reservation["flights"]]
    seen: set[tuple[str, str]] = set()
    for flight in flights:
        key = (flight["flight_number"], flight["date"])
        if key in seen:
            continue
        seen.add(key)
        found = yield from status_of(flight)
        if found == status:
            return dict(flight)
    return None


def _refusal(user: Json, reservation: Json, trouble: Json | None, *, delay: bool, handled: bool) -> Refuse | None:
    what = "delayed" if delay else "cancelled by us"
    if trouble is None:
        return Refuse(
            f"I'm sorry, I've checked every flight of reservation {reservation['reservation_id']} and none of them "
            f"was {what}, "
            "so I can't offer compensation.",
            "8.5",
        )
    entitled = (
        user["membership"] != "regular" or reservation["insurance"] == "yes" or reservation["cabin"] == "business"
    )
    where = f"I can see that flight {trouble['flight_number']} on {spoken_date(trouble['date'])} was {what}"
    if not entitled:
        return Refuse(
            f"{where}, and I'm sorry about that. Compensation is for silver and gold members, insured trips and "
            "business "
            "passengers, though, so I can't offer you any.",
            "8.2",
        )
    if delay and not handled:
        return Refuse(
            f"{where}, and I'm sorry about that. For a delay I can't offer compensation as long as the trip stays as "
            "it is: it is "
            "only paid once the reservation has had to be changed or cancelled.",
            "8.4",
        )
    return None


def _send(user: Json, reservation: Json, *, amount: int, people: int, each: int) -> Procedure:
    agreed: bool = yield Confirm(
        f"For reservation {reservation['reservation_id']} I can send a travel certificate of {dollars(amount)}, that "
        "is "
        f"{dollars(each)} for {counted(people, 'passenger')}, to your profile {user['user_id']}. The amount is fixed."
    )
    if not agreed:
        yield Tell("<All right, I won't send a certificate then.|No problem, I haven't sent anything.>")
        return
    result: CallResult = yield Call("send_certificate", {"user_id": user["user_id"], "amount": amount})
    if result.error:
        yield Refuse("I'm sorry, the system does not let me send the certificate, so I can't complete this.", "8.3")
        return
    yield Tell(f"<Done!|That's done.> A certificate of {dollars(amount)} has been added to your profile.")
