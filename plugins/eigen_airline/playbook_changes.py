"""Changing what is booked: flights, cabin, bags and passengers."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from eigen_airline import wording
from eigen_airline.playbook_common import KEPT, Procedure, any_flown, open_reservation
from eigen_airline.playbook_flights import WISH, Found, Leg, chosen
from eigen_airline.playbook_payments import change_payment
from eigen_airline.playbook_words import (
    Json,
    city,
    counted,
    dollars,
    journey,
    listed,
    method_name,
    reason_of,
    spoken_date,
)
from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Refuse, Step, Tell


def directions(reservation: Json) -> tuple[list[Json], list[Json]]:
    """Return the segments out and the segments back (none for one way)."""
    flights = reservation["flights"]
    turn = next(
        (place for place, flight in enumerate(flights, 1) if flight["destination"] == reservation["destination"]),
        len(flights),
    )
    return flights[:turn], flights[turn:]


# Flights


def change_flights() -> Procedure:
    """Move one or both directions to other flights and settle the difference."""
    opened = yield from open_reservation()
    if opened is None:
        return
    user, reservation = opened
    if reservation["cabin"] == "basic_economy":
        yield Refuse(
            f"I'm sorry, reservation {reservation['reservation_id']} is in basic economy, and the flights of a basic "
            "economy "
            "reservation can't be changed.",
            "6.1",
        )
    out, back = directions(reservation)
    moves_out, moves_back = yield from _scope(reservation, back)
    flown = yield from any_flown([*(out if moves_out else []), *(back if moves_back else [])])
    if flown:
        yield Refuse(
            f"I'm sorry, that part of reservation {reservation['reservation_id']} has already been flown, and a flown "
            "segment "
            "can't be replaced any more.",
            "6.6",
        )
    dates = yield from _new_dates(out if moves_out else [], back if moves_back else [])
    wish: str | None = yield Ask("flights_wanted", WISH)
    legs: list[tuple[Found | None, list[Json]]] = []
    for place, (leg, moves) in enumerate(((out, moves_out), (back, moves_back))):
        if not moves or not leg:
            legs.append((None, leg))
            continue
        search = Leg(leg[0]["origin"], leg[-1]["destination"], dates.get(place, leg[0]["date"]))
        found = yield from chosen(
            search, wish, cabin=reservation["cabin"], seats=len(reservation["passengers"]), place=place * moves_out
        )
        if found is None:
            yield _no_seats(search, reservation["cabin"])
            return
        legs.append((found, leg))
    yield from _settle_flights(user, reservation, legs)


def _scope(reservation: Json, back: list[Json]) -> Generator[Step, Any, tuple[bool, bool]]:
    """Return whether the way out and the way back are to change."""
    if not back:
        return True, False
    answer: str | None = yield Ask(
        "change_scope",
        f"That's your trip {journey(reservation)}. Which part would you like to change: the outbound, the return or "
        "both "
        "directions?",
    )
    text = (answer or "").lower()
    both = "both" in text or "whole" in text or ("outbound" in text and "return" in text)
    moves_back = both or "return" in text or "back" in text
    return both or not moves_back, moves_back


def _new_dates(out: list[Json], back: list[Json]) -> Generator[Step, Any, dict[int, str]]:
    """Return the new date by direction (0 out, 1 back); directions that keep their date are left out."""
    dates: dict[int, str] = {}
    if out:
        text: str | None = yield Ask(
            "departure_date",
            f"The outbound flight is on {spoken_date(out[0]['date'])} now. To which date should it move, or does it "
            "stay on the same day?",
        )
        found = wording.dates(text or "")
        if found:
            dates[0] = found[0].isoformat()
    if back:
        text = yield Ask(
            "return_date",
            f"Your way back is on {spoken_date(back[0]['date'])} now. To which date should the return move, or does it "
            "stay on the same day?",
        )
        found = wording.dates(text or "")
        if found:
            dates[1] = found[-1].isoformat()
    return dates


def _settle_flights(user: Json, reservation: Json, legs: Sequence[tuple[Found | None, list[Json]]]) -> Procedure:
    people = len(reservation["passengers"])
    flights = [flight for new, old in legs for flight in (new.flights if new is not None else _as_named(old))]
    fare = sum(new.fare if new is not None else _sold_for(old) for new, old in legs)
    difference = (fare - _sold_for(reservation["flights"])) * people
    payment_id = yield from change_payment(user, difference)
    if payment_id is None:
        return
    moved = "; ".join(new.text for new, _ in legs if new is not None)
    yield from _make_change(
        user,
        reservation,
        what=f"<I would change|Here is the change:> reservation {reservation['reservation_id']} to {moved}",
        cabin=reservation["cabin"],
        flights=flights,
        difference=difference,
        payment_id=payment_id,
        done=f"reservation {reservation['reservation_id']} has been changed to {listed(_numbers(legs))}",
    )


def _numbers(legs: Sequence[tuple[Found | None, list[Json]]]) -> list[str]:
    return [
        f"{flight['flight_number']} on {spoken_date(flight['date'])}"
        for new, _ in legs
        if new is not None
        for flight in new.flights
    ]


def _make_change(
    user: Json,
    reservation: Json,
    *,
    what: str,
    cabin: str,
    flights: list[Json],
    difference: int,
    payment_id: str,
    done: str,
) -> Procedure:
    """Lay out a change of flights or cabin, make it after a yes, and tell what it came to."""
    people = counted(len(reservation["passengers"]), "passenger")
    method = method_name(payment_id, user["payment_methods"])
    money = "At no extra cost" if not difference else f"The difference of {dollars(abs(difference))} for {people}"
    way = "" if not difference else f" would be {'charged to' if difference > 0 else 'refunded to'} {method}"
    agreed: bool = yield Confirm(f"{what}. {money}{way}.")
    if not agreed:
        yield Tell(KEPT)
        return
    result: CallResult = yield Call(
        "update_reservation_flights",
        {
            "reservation_id": reservation["reservation_id"],
            "cabin": cabin,
            "flights": flights,
            "payment_id": payment_id,
        },
    )
    if result.error:
        yield Refuse(f"I'm sorry, I can't make this change: {reason_of(result)}.", "3.3")
        return
    paid = "There was nothing to pay." if not difference else f"{dollars(abs(difference))} "
    if difference:
        paid += f"was charged to {method}." if difference > 0 else f"will be refunded to {method}."
    yield Tell(f"<That's done:|All set:> {done}. {paid}")


def _as_named(segments: Sequence[Json]) -> list[Json]:
    return [{"flight_number": segment["flight_number"], "date": segment["date"]} for segment in segments]


def _sold_for(segments: Sequence[Json]) -> int:
    return sum(int(segment["price"]) for segment in segments)


def _no_seats(leg: Leg, cabin: str) -> Refuse:
    return Refuse(
        f"I'm sorry, there is no flight from {city(leg.origin)} to {city(leg.destination)} on {spoken_date(leg.date)} "
        "with "
        f"enough seats in {cabin.replace('_', ' ')}, so I can't make that change.",
        "3.3",
    )


# Cabin


def change_cabin() -> Procedure:
    """Reprice every flight in the new cabin and settle the difference."""
    opened = yield from open_reservation()
    if opened is None:
        return
    user, reservation = opened
    text: str | None = yield Ask(
        "cabin", f"That's your trip {journey(reservation)}. Which cabin would you like to move to?"
    )
    cabin = wording.cabin(text or "")
    if cabin is None or cabin == reservation["cabin"]:
        yield Refuse(
            f"I'm sorry, I can't see what to change: the trip is in {reservation['cabin'].replace('_', ' ')} already.",
            "6.4",
        )
        return
    flown = yield from any_flown(reservation["flights"])
    if flown:
        yield Refuse(
            f"I'm sorry, part of reservation {reservation['reservation_id']} has already been flown, and the cabin "
            "can't be "
            "changed any more once a trip has begun.",
            "6.4",
        )
    fare = yield from _fare_in(reservation, cabin)
    if fare is None:
        yield Refuse(
            f"I'm sorry, not every flight of your trip has enough seats left in {cabin.replace('_', ' ')}, and all "
            "flights have "
            "to be in the same cabin, so I can't make this change.",
            "6.4",
        )
        return
    difference = (fare - _sold_for(reservation["flights"])) * len(reservation["passengers"])
    payment_id = yield from change_payment(user, difference)
    if payment_id is None:
        return
    spoken = cabin.replace("_", " ")
    yield from _make_change(
        user,
        reservation,
        what="<I would move|Here is the change: I'd move> all flights of reservation "
        f"{reservation['reservation_id']} from "
        f"{reservation['cabin'].replace('_', ' ')} to {spoken}, at today's fares",
        cabin=cabin,
        flights=_as_named(reservation["flights"]),
        difference=difference,
        payment_id=payment_id,
        done=f"reservation {reservation['reservation_id']} has been moved to {spoken}",
    )


def _fare_in(reservation: Json, cabin: str) -> Generator[Step, Any, int | None]:
    """Return today's fare of all flights in a cabin, or None where one is not for sale or too full."""
    total = 0
    for segment in reservation["flights"]:
        arguments = {name: segment[name] for name in ("origin", "destination", "date")}
        result: CallResult = yield Call("search_direct_flight", arguments)
        offers = result.value if not result.error and isinstance(result.value, list) else []
        offer = next((one for one in offers if one["flight_number"] == segment["flight_number"]), None)
        if offer is None or offer["available_seats"][cabin] < len(reservation["passengers"]):
            return None
        total += int(offer["prices"][cabin])
    return total
