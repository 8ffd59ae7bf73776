"""Choosing flights the way a customer describes them, and cutting reservations into directions."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from eigen_airline.records import Cabin, DirectFlight, FlightDay, Reservation, ReservationFlight, day_id
from eigen_airline.search import connections, direct_flights
from eigen_airline.templates.drafting import Scene, call
from eigen_airline.timetable import DATES, TODAY_INDEX
from eigen_cli.api.tasks import Action
from eigen_cli.api.world import WorldView

CHEAPEST, EARLIEST, CONNECTION = "the cheapest nonstop", "the earliest nonstop", "the cheapest connection"
ON_SALE: tuple[datetime.date, ...] = DATES[TODAY_INDEX + 1 :]


@dataclass(frozen=True)
class Chosen:
    """Flights of one direction: what the customer calls them, what they cost a passenger, how to find them."""

    wanted: str
    flights: tuple[dict[str, str], ...]
    fare: int
    date: datetime.date
    search: Action


def choose(
    world: WorldView, date: datetime.date, wanted: str, *, route: tuple[str, str], cabin: Cabin, seats: int
) -> Chosen | None:
    """Return the flights a phrase means, among those with enough seats; None unless exactly one choice is best."""
    origin, destination = route
    ways: list[Sequence[DirectFlight]]
    if wanted == CONNECTION:
        ways = [
            way
            for way in connections(world, date, origin=origin, destination=destination)
            if all(flight.available_seats.of(cabin) >= seats for flight in way)
        ]
        search = "search_onestop_flight"
    else:
        ways = [
            (flight,)
            for flight in direct_flights(world, date, origin=origin, destination=destination)
            if flight.available_seats.of(cabin) >= seats
        ]
        search = "search_direct_flight"
    best = _only_best(ways, _departure if wanted == EARLIEST else lambda way: _fare(way, cabin))
    if best is None:
        return None
    looked = call(search, origin=origin, destination=destination, date=date.isoformat())
    flights = tuple(
        {"flight_number": flight.flight_number, "date": (flight.date or date).isoformat()} for flight in best
    )
    return Chosen(wanted, flights, _fare(best, cabin), date, looked)


def _only_best(
    ways: Sequence[Sequence[DirectFlight]], rank: Callable[[Sequence[DirectFlight]], Any]
) -> Sequence[DirectFlight] | None:
    ranked = sorted(ways, key=rank)
    if not ranked or (len(ranked) > 1 and rank(ranked[0]) == rank(ranked[1])):
        return None
    return ranked[0]


def _fare(way: Sequence[DirectFlight], cabin: Cabin) -> int:
    return sum(flight.prices.of(cabin) for flight in way)


def _departure(way: Sequence[DirectFlight]) -> str:
    return way[0].scheduled_departure_time_est


def directions(reservation: Reservation) -> tuple[tuple[ReservationFlight, ...], tuple[ReservationFlight, ...]]:
    """Return the segments out and the segments back (empty for one way)."""
    flights = reservation.flights
    turn = next(place for place, flight in enumerate(flights, 1) if flight.destination == reservation.destination)
    return flights[:turn], flights[turn:]


def kept(flights: Sequence[ReservationFlight]) -> tuple[dict[str, str], ...]:
    """Return segments as calls name them."""
    return tuple({"flight_number": flight.flight_number, "date": flight.date.isoformat()} for flight in flights)


def repriced(world: WorldView, reservation: Reservation, cabin: Cabin) -> int | None:
    """Return today's fare of all segments in another cabin; None when one is not on sale or too full."""
    total = 0
    for segment in reservation.flights:
        day = world.table(FlightDay).get(day_id(segment.flight_number, segment.date))
        if day is None or day.status != "available" or day.available_seats.of(cabin) < len(reservation.passengers):
            return None
        total += day.prices.of(cabin)
    return total


def sold_for(flights: Sequence[ReservationFlight]) -> int:
    """Return the fares segments were sold at, for one passenger."""
    return sum(flight.price for flight in flights)


def searches(reservation: Reservation) -> list[Action]:
    """Return the searches that show today's fares of every segment."""
    return [
        call(
            "search_direct_flight",
            origin=segment.origin,
            destination=segment.destination,
            date=segment.date.isoformat(),
        )
        for segment in reservation.flights
    ]


def another_day(
    scene: Scene, *, after: datetime.date, before: datetime.date, but: datetime.date
) -> datetime.date | None:
    """Return a day on sale strictly between two dates, other than one."""
    days = [date for date in ON_SALE if after < date < before and date != but]
    return scene.pick(days) if days else None
