"""Generating flights and their days: routes through four hubs, times and fares from rough distances."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from eigen_airline.airports import CODES, HUBS, miles
from eigen_airline.records import DayStatus, Flight, FlightDay, Prices, Seats, day_id
from eigen_airline.rules import NOW
from eigen_cli.api.canonical import derive_rng

FIRST_DAY = datetime.date(2024, 5, 1)
DATES: tuple[datetime.date, ...] = tuple(FIRST_DAY + datetime.timedelta(days=offset) for offset in range(30))
TODAY = NOW.date()
TODAY_INDEX = (TODAY - FIRST_DAY).days
PREFIX = "HRN"
_NOW_CLOCK = f"{NOW:%H:%M:%S}"


@dataclass
class Timetable:
    """Flights and their days, arranged for drawing trips."""

    flights: list[Flight]
    by_route: dict[tuple[str, str], list[Flight]]
    onward: dict[str, list[Flight]]
    """Flights leaving an airport."""
    days: dict[str, FlightDay] = field(default_factory=dict)
    not_flying: list[tuple[Flight, int]] = field(default_factory=list)
    """Cancelled by us, today or later: flight and date index."""
    delayed: list[tuple[Flight, int]] = field(default_factory=list)
    """Delayed today."""

    def day(self, flight: Flight, date: int) -> FlightDay:
        """Return a flight's day by date index."""
        return self.days[day_id(flight.flight_number, DATES[date])]


def make_timetable(seed: int, *, flights: int) -> Timetable:
    """Return a timetable without days; `make_days` adds them."""
    rng = derive_rng("airline", seed, "flights")
    routes = _routes(rng, flights)
    table = Timetable(flights=[], by_route={}, onward={})
    per_route = -(-flights // len(routes))
    for number in range(flights):
        origin, destination = routes[number % len(routes)]
        flight = _flight(rng, number, origin=origin, destination=destination, band=(number // len(routes), per_route))
        table.flights.append(flight)
        table.by_route.setdefault((origin, destination), []).append(flight)
        table.onward.setdefault(origin, []).append(flight)
    return table


def make_days(seed: int, timetable: Timetable) -> Iterator[FlightDay]:
    """Yield every flight's days, noting them in the timetable."""
    rng = derive_rng("airline", seed, "days")
    for flight in timetable.flights:
        base = 40 + miles(flight.origin, flight.destination) * 6 // 100
        for index, date in enumerate(DATES):
            # Two draws a day: digits of one number give the seats, of another status and fares.
            first, second = int(rng.random() * 2**40), int(rng.random() * 2**40)
            seats = Seats(max(0, first % 22 - 1), max(0, first // 22 % 22 - 1), max(0, first // 484 % 14 - 1))
            basic = base * (80 + second % 70) // 100
            economy = basic + 30 + second // 70 % 80
            business = economy * (200 + second // 5600 % 120) // 100
            status = _status(flight, index, second // 672_000 % 100)
            day = FlightDay(
                day_id(flight.flight_number, date),
                flight.flight_number,
                date,
                status,
                seats,
                Prices(basic, economy, business),
            )
            timetable.days[day.id] = day
            if index >= TODAY_INDEX and status == "cancelled":
                timetable.not_flying.append((flight, index))
            elif status == "delayed":
                timetable.delayed.append((flight, index))
            yield day


def _routes(rng: random.Random, flights: int) -> list[tuple[str, str]]:
    """Return directed routes, both ways of a pair next to each other, at least two flights each."""
    pairs = [(hub, other) for place, hub in enumerate(HUBS) for other in HUBS[place + 1 :]]
    spokes = [code for code in CODES if code not in HUBS]
    rng.shuffle(spokes)
    near = {spoke: sorted(HUBS, key=lambda hub: miles(spoke, hub)) for spoke in spokes}
    for rank in range(3):
        pairs += [(spoke, near[spoke][rank]) for spoke in spokes]
    kept = pairs[: max(3, min(len(pairs), flights // 4))]
    return [route for one, two in kept for route in ((one, two), (two, one))]


def _flight(rng: random.Random, number: int, *, origin: str, destination: str, band: tuple[int, int]) -> Flight:
    turn, turns = band
    # Half-hours from 06:00 to 21:30; a route's flights spread over the day.
    width = max(1, 31 // turns)
    slot = min(31, turn * width + int(rng.random() * width))
    departure = 360 + slot * 30
    minutes = 45 + miles(origin, destination) * 2 // 15
    arrival = departure + minutes - minutes % 5
    return Flight(
        flight_number=f"{PREFIX}{number + 1:03d}",
        origin=origin,
        destination=destination,
        scheduled_departure_time_est=_clock(departure),
        scheduled_arrival_time_est=_clock(arrival),
    )


def _clock(minutes: int) -> str:
    day, minute = divmod(minutes, 1440)
    return f"{minute // 60:02d}:{minute % 60:02d}:00" + ("+1" if day else "")


def _status(flight: Flight, index: int, chance: int) -> DayStatus:
    if index > TODAY_INDEX:
        return "cancelled" if chance < 4 else "available"
    if index < TODAY_INDEX:
        return "cancelled" if chance < 8 else "landed"
    if chance < 8:
        return "cancelled"
    if flight.scheduled_departure_time_est > _NOW_CLOCK:
        return "delayed" if chance < 45 else "on time"
    if chance < 20:
        return "delayed"
    return "landed" if flight.scheduled_arrival_time_est <= _NOW_CLOCK else "flying"
