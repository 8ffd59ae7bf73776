"""Booking a trip and quoting a price."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass

from eigen_airline import wording
from eigen_airline.playbook_common import Procedure, identified, route
from eigen_airline.playbook_flights import WISH, Found, Leg, chosen
from eigen_airline.playbook_payments import booking_payments, paid_with
from eigen_airline.playbook_words import Json, city, count_in, counted, dollars, names, reason_of, spoken_date
from eigen_airline.rules import BAG_FEE, INSURANCE_FEE, MAX_PASSENGERS, paid_bags
from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Refuse, Step, Tell

_WHERE = "Where are you flying from, and what is your destination?"
_NO = re.compile(r"\b(?:no|not|don't|without|none|skip|leave)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Trip:
    """What the customer wants to book, before flights are found."""

    origin: str
    destination: str
    dates: tuple[str, ...]
    passengers: list[Json]
    cabin: str

    @property
    def flight_type(self) -> str:
        """`one_way` or `round_trip`."""
        return "round_trip" if len(self.dates) > 1 else "one_way"

    def legs(self) -> list[Leg]:
        """Return the directions to search."""
        out = Leg(self.origin, self.destination, self.dates[0])
        return [out] if len(self.dates) < 2 else [out, Leg(self.destination, self.origin, self.dates[1])]


def book_flight() -> Procedure:
    """Collect the trip, find flights, price them, and book after a yes."""
    user = yield from identified()
    if user is None:
        return
    trip = yield from _trip()
    if trip is None:
        return
    wish: str | None = yield Ask("flights_wanted", WISH)
    found: list[Found] = []
    for place, leg in enumerate(trip.legs()):
        flights = yield from chosen(leg, wish, cabin=trip.cabin, seats=len(trip.passengers), place=place)
        if flights is None:
            yield _sold_out(leg, trip.cabin)
            return
        found.append(flights)
    bags_text: str | None = yield Ask("bags", "How many checked bags will there be in all?")
    bags = count_in(bags_text)
    insurance_text: str | None = yield Ask(
        "insurance", f"Would you like travel insurance for ${INSURANCE_FEE} a passenger?"
    )
    insured = insurance_text is not None and wants_insurance(insurance_text)
    yield from _book(user, trip, found, bags=bags, insured=insured)


def _trip() -> Generator[Step, None, Trip | None]:
    first: str | None = yield Ask("origin", _WHERE)
    second: str | None = yield Ask("destination", "And what is your destination?")
    origin, destination = route(first, second)
    if origin is None or destination is None:
        yield Refuse("I'm sorry, I can't find an airport of ours there, so I'm not able to book that trip.", "3.1")
        return None
    kind: str | None = yield Ask("trip_type", "Is it one way or a round trip?")
    dates = yield from _dates(round_trip=wording.trip_type(kind or "") == "round_trip")
    if not dates:
        yield Refuse("I'm sorry, without a date I can't look for flights. Please call again when you know it.", "3.1")
        return None
    who: str | None = yield Ask("passengers")
    passengers = wording.passengers(who or "")
    if not passengers:
        yield Refuse("I'm sorry, I need each passenger's first name, last name and date of birth to book.", "3.2")
        return None
    if len(passengers) > MAX_PASSENGERS:
        yield Refuse(
            f"I'm sorry, but I can't put {len(passengers)} passengers on one reservation: five is the most a "
            "reservation "
            "can hold, so I'm not able to book this trip for all of you together.",
            "3.2",
        )
    cabin: str | None = yield Ask("cabin")
    return Trip(origin, destination, dates, passengers, wording.cabin(cabin or "") or "economy")


def _dates(*, round_trip: bool) -> Generator[Step, None, tuple[str, ...]]:
    question = "On which date would you like to leave?"
    if round_trip:
        question = "On which date would you like to leave, and on which date do you come back?"
    out: str | None = yield Ask("departure_date", question)
    leaving = wording.dates(out or "")
    if not round_trip or not leaving:
        return (leaving[0].isoformat(),) if leaving else ()
    back: str | None = yield Ask("return_date")
    returning = wording.dates(back or "")
    return (leaving[0].isoformat(), returning[-1].isoformat()) if returning else ()


def wants_insurance(text: str) -> bool:
    """Whether an answer takes the insurance."""
    return _NO.search(text) is None


def _sold_out(leg: Leg, cabin: str) -> Refuse:
    return Refuse(
        f"I'm sorry, there is no flight from {city(leg.origin)} to {city(leg.destination)} on {spoken_date(leg.date)} "
        "with "
        f"enough seats in {cabin.replace('_', ' ')}, so I can't book that.",
        "3.3",
    )


def _book(user: Json, trip: Trip, found: list[Found], *, bags: int, insured: bool) -> Procedure:
    people = len(trip.passengers)
    paid = paid_bags(user["membership"], trip.cabin, passengers=people, total=bags)  # type: ignore[arg-type]
    fares = sum(one.fare for one in found) * people
    total = fares + INSURANCE_FEE * people * insured + BAG_FEE * paid
    payments = yield from booking_payments(user, total)
    if payments is None:
        return
    agreed: bool = yield Confirm(_laid_out(user, trip, found, bags=bags, paid=paid, insured=insured, payments=payments))
    if not agreed:
        yield Tell("<All right, I haven't booked anything.|No problem, nothing has been booked.>")
        return
    result: CallResult = yield Call(
        "book_reservation",
        {
            "user_id": user["user_id"],
            "origin": trip.origin,
            "destination": trip.destination,
            "flight_type": trip.flight_type,
            "cabin": trip.cabin,
            "flights": [flight for one in found for flight in one.flights],
            "passengers": trip.passengers,
            "payment_methods": payments,
            "total_baggages": bags,
            "nonfree_baggages": paid,
            "insurance": "yes" if insured else "no",
        },
    )
    if result.error:
        yield Refuse(f"I'm sorry, I can't complete the booking: {reason_of(result)}.", "3.3")
        return
    yield Tell(
        f"<Your trip is booked.|Good news, you're booked.> Your new reservation is {result.value['reservation_id']}, "
        "for a "
        f"total of {dollars(total)}."
    )


def _laid_out(
    user: Json, trip: Trip, found: list[Found], *, bags: int, paid: int, insured: bool, payments: list[Json]
) -> str:
    people = len(trip.passengers)
    total = sum(entry["amount"] for entry in payments)
    checked = "no checked bags"
    if bags:
        fee = "free of charge"
        if paid:
            fee = f"${BAG_FEE * paid} for {'all of them' if paid == bags else f'the {paid} beyond the free ones'}"
            fee = f"for ${BAG_FEE}" if bags == 1 else fee
        checked = f"{counted(bags, 'checked bag')}, {fee}"
    insurance = f"with travel insurance (${INSURANCE_FEE * people})" if insured else "without travel insurance"
    kind = "round trip" if len(found) > 1 else "one-way trip"
    return "\n".join(
        (
            f"<Here is what I would book|This is the trip as I have it>, a {kind} in {trip.cabin.replace('_', ' ')}:",
            *(f"- {one.text}" for one in found),
            f"- {'Passenger' if people == 1 else 'Passengers'}: {names(trip.passengers)}",
            f"- {checked[0].upper()}{checked[1:]}, {insurance}",
            f"- Total {dollars(total)}: {paid_with(payments, user['payment_methods'])}",
        )
    )


def price_quote() -> Procedure:
    """Search and tell number and price; book nothing."""
    first: str | None = yield Ask("origin", _WHERE)
    second: str | None = yield Ask("destination", "And what is your destination?")
    origin, destination = route(first, second)
    when: str | None = yield Ask("departure_date")
    dates = wording.dates(when or "")
    cabin_text: str | None = yield Ask("cabin")
    cabin = wording.cabin(cabin_text or "") or "economy"
    wish: str | None = yield Ask("flights_wanted", WISH)
    if origin is None or destination is None or not dates:
        yield Refuse("I'm sorry, I can't quote a price without the two airports and a date.", "3.1")
        return
    leg = Leg(origin, destination, dates[0].isoformat())
    found = yield from chosen(leg, wish, cabin=cabin, seats=1)
    if found is None:
        yield Refuse(
            f"I'm sorry, I can't find such a flight from {city(origin)} to {city(destination)} on "
            f"{spoken_date(leg.date)} "
            f"in {cabin.replace('_', ' ')}.",
            "3.3",
        )
        return
    yield Tell(f"<I've looked that up for you|Here is what I found>: in {cabin.replace('_', ' ')}, {found.text}.")
