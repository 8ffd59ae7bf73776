"""Generating reservations that real customers hold on real flights, paid to the dollar."""

from __future__ import annotations

import datetime
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from eigen_airline.customers import birth_date, drawn, passenger
from eigen_airline.identifiers import NEW_RESERVATION_LETTER, spelled
from eigen_airline.misspellings import as_booked
from eigen_airline.records import (
    Cabin,
    CreditCard,
    Flight,
    GiftCard,
    Passenger,
    Payment,
    Reservation,
    ReservationFlight,
    User,
    YesNo,
)
from eigen_airline.rules import BAG_FEE, INSURANCE_FEE, NOW, free_bags
from eigen_airline.timetable import DATES, PREFIX, TODAY_INDEX, Timetable
from eigen_cli.api.record import money

Situation = Literal["upcoming", "not flying", "delayed", "flown", "partly flown"]
_SITUATIONS: tuple[Situation, ...] = (
    ("upcoming",) * 66 + ("not flying",) * 7 + ("delayed",) * 8 + ("flown",) * 10 + ("partly flown",) * 9
)
_CABINS: tuple[Cabin, ...] = ("basic_economy",) * 3 + ("economy",) * 4 + ("business",) * 3
_PASSENGERS = (1,) * 9 + (2,) * 6 + (3,) * 3 + (4,) * 2
_LAST = len(DATES) - 1
_SPACE = 36**6
_STEP = 1_345_297_447  # prime to 36: walks through every id before repeating one


@dataclass(frozen=True)
class _Leg:
    """One direction of a trip: its flights and the date index of each."""

    flights: tuple[Flight, ...]
    date: int


class TripMaker:
    """Makes reservations on a timetable; ids never repeat within a world."""

    def __init__(self, rng: random.Random, timetable: Timetable, *, slips: random.Random) -> None:
        """`slips` decides by itself who is booked under a misspelt name, so that it moves nothing else."""
        self._rng = rng
        self._slips = slips
        self._timetable = timetable
        self._id = int(rng.random() * _SPACE)
        # What connects with what, worked out once for each flight and each way back.
        self._onward: dict[str, list[Flight]] = {}
        self._ways: dict[tuple[str, ...], list[tuple[Flight, ...]]] = {}

    def reservation_id(self) -> str:
        """Return the next id: six characters with a digit and a letter, unlike a flight number or a new id."""
        while True:
            self._id = (self._id + _STEP) % _SPACE
            candidate = spelled(self._id, 6)
            if (
                candidate[0] != NEW_RESERVATION_LETTER
                and not candidate.isalpha()
                and not candidate.isdigit()
                and not candidate.startswith(PREFIX)
            ):
                return candidate

    def reservation(self, user: User, reservation_id: str) -> Reservation:
        """Return a reservation of the customer."""
        rng = self._rng
        situation = drawn(rng, _SITUATIONS)
        out, back = self._legs(situation)
        cabin = drawn(rng, _CABINS)
        party = self._party(user)
        flights = tuple(self._segment(flight, leg.date, cabin) for leg in (out, back) if leg for flight in leg.flights)
        insurance: YesNo = "yes" if rng.random() < 0.35 else "no"
        free = free_bags(user.membership, cabin, len(party))
        bags = min(int(rng.random() * (free + 2)), 2 * len(party))
        paid_bags = max(0, bags - free)
        total = sum(flight.price for flight in flights) * len(party) + BAG_FEE * paid_bags
        if insurance == "yes":
            total += INSURANCE_FEE * len(party)
        payments = self._payments(user, total)
        cancelled = rng.random() < 0.04
        if cancelled:
            payments += tuple(Payment(paid.payment_id, money(-paid.amount)) for paid in payments)
        return Reservation(
            reservation_id=reservation_id,
            user_id=user.user_id,
            origin=out.flights[0].origin,
            destination=out.flights[-1].destination,
            flight_type="round_trip" if back else "one_way",
            cabin=cabin,
            flights=flights,
            passengers=as_booked(user, party, self._slips),
            payment_history=payments,
            created_at=self._booked_at(out.date, recent=situation == "upcoming" and rng.random() < 0.18),
            total_baggages=bags,
            nonfree_baggages=paid_bags,
            insurance=insurance,
            status="cancelled" if cancelled else None,
        )

    def _legs(self, situation: Situation) -> tuple[_Leg, _Leg | None]:
        rng, table = self._rng, self._timetable
        flight, date = drawn(rng, table.flights), TODAY_INDEX + 1 + int(rng.random() * 13)
        if situation == "not flying" and table.not_flying:
            flight, date = drawn(rng, table.not_flying)
        elif situation == "delayed" and table.delayed:
            flight, date = drawn(rng, table.delayed)
        elif situation == "flown":
            date = int(rng.random() * 10)
        elif situation == "partly flown":
            date = TODAY_INDEX - 1 - int(rng.random() * 5)
        out = _Leg((flight, *self._connecting(flight)), date)
        if situation == "partly flown":
            return out, self._way_back(out, TODAY_INDEX + 1 + int(rng.random() * 9))
        latest = TODAY_INDEX - 1 if situation == "flown" else _LAST
        back = min(date + 1 + int(rng.random() * 7), latest)
        if back <= date or rng.random() < 0.4:
            return out, None
        return out, self._way_back(out, back)

    def _connecting(self, flight: Flight) -> tuple[Flight, ...]:
        """Return an onward flight for a quarter of all trips, where one leaves in time for somewhere new."""
        if self._rng.random() > 0.25:
            return ()
        onward = self._onward.get(flight.flight_number)
        if onward is None:
            routes, origin = self._timetable.by_route, flight.origin
            onward = self._onward[flight.flight_number] = [
                second
                for second in self._timetable.onward[flight.destination]
                if second.destination != origin
                and (origin, second.destination) not in routes
                and _catches(flight, second)
            ]
        return (drawn(self._rng, onward),) if onward else ()

    def _way_back(self, out: _Leg, date: int) -> _Leg | None:
        stops = (*(flight.destination for flight in reversed(out.flights)), out.flights[0].origin)
        ways = self._ways.get(stops)
        if ways is None:
            routes = self._timetable.by_route
            firsts, *onward = (routes.get(route, []) for route in pairwise(stops))
            ways = self._ways[stops] = [
                (first, *rest) for first in firsts for rest in _continued(first, onward[0] if onward else None)
            ]
        return _Leg(drawn(self._rng, ways), date) if ways else None

    def _segment(self, flight: Flight, date: int, cabin: Cabin) -> ReservationFlight:
        price = self._timetable.day(flight, date).prices.of(cabin)
        if self._rng.random() < 0.35:  # fares have moved since it was sold
            price = price * (82 + int(self._rng.random() * 30)) // 100
        return ReservationFlight(flight.flight_number, flight.origin, flight.destination, DATES[date], price)

    def _party(self, user: User) -> tuple[Passenger, ...]:
        rng = self._rng
        size = drawn(rng, _PASSENGERS)
        party = [Passenger(user.name.first_name, user.name.last_name, user.dob)] if rng.random() < 0.9 else []
        for companion in user.saved_passengers:
            if len(party) < size and rng.random() < 0.7:
                party.append(companion)
        while len(party) < size:
            stranger = passenger(rng)
            if rng.random() < 0.5:  # family
                stranger = Passenger(stranger.first_name, user.name.last_name, birth_date(rng))
            if all(stranger.full_name != other.full_name for other in party):
                party.append(stranger)
        return tuple(party)

    def _payments(self, user: User, total: int) -> tuple[Payment, ...]:
        rng = self._rng
        cards = [method for method in user.payment_methods.values() if isinstance(method, CreditCard)]
        gifts = [method for method in user.payment_methods.values() if isinstance(method, GiftCard)]
        card = drawn(rng, cards)
        if gifts and rng.random() < 0.3:
            part = 20 + int(rng.random() * 80)
            if rng.random() < 0.5 or part >= total:
                return (Payment(drawn(rng, gifts).id, money(total)),)
            return (Payment(drawn(rng, gifts).id, money(part)), Payment(card.id, money(total - part)))
        return (Payment(card.id, money(total)),)

    def _booked_at(self, departure: int, *, recent: bool) -> datetime.datetime:
        rng = self._rng
        if recent:
            return NOW - datetime.timedelta(minutes=20 + int(rng.random() * 1360), seconds=int(rng.random() * 60))
        # Never between 24 and 26 hours ago: whether that is still free to cancel would hang on minutes.
        newest = min(NOW - datetime.timedelta(hours=26), datetime.datetime.combine(DATES[departure], datetime.time()))
        return newest - datetime.timedelta(minutes=int(rng.random() * 28_000), seconds=int(rng.random() * 60))


def _continued(first: Flight, seconds: Sequence[Flight] | None) -> list[tuple[Flight, ...]]:
    """Return the ways on from a flight: onto each second flight it catches, or nowhere where it already arrives."""
    return [()] if seconds is None else [(second,) for second in seconds if _catches(first, second)]


def _catches(first: Flight, second: Flight) -> bool:
    arrival = first.scheduled_arrival_time_est
    return not arrival.endswith("+1") and second.scheduled_departure_time_est >= arrival
