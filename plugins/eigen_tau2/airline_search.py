"""Finding flights as the benchmark's airline does it, and the airports it lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eigen_airline.records import Flight
from eigen_cli.api.errors import ToolError
from eigen_cli.api.world import Transaction
from eigen_tau2.airline_timetable import DAYS, FLIGHTS
from eigen_tau2.rows import Row, row_of

AIRPORTS = (
    ("SFO", "San Francisco"),
    ("JFK", "New York"),
    ("LAX", "Los Angeles"),
    ("ORD", "Chicago"),
    ("DFW", "Dallas"),
    ("DEN", "Denver"),
    ("SEA", "Seattle"),
    ("ATL", "Atlanta"),
    ("MIA", "Miami"),
    ("BOS", "Boston"),
    ("PHX", "Phoenix"),
    ("IAH", "Houston"),
    ("LAS", "Las Vegas"),
    ("MCO", "Orlando"),
    ("EWR", "Newark"),
    ("CLT", "Charlotte"),
    ("MSP", "Minneapolis"),
    ("DTW", "Detroit"),
    ("PHL", "Philadelphia"),
    ("LGA", "LaGuardia"),
)


def direct_flights(world: Transaction, date: Any, *, origin: Any, destination: Any) -> list[Row]:
    """Return the bookable flights of a date; an origin or destination of None is any."""
    return list(_offers(world, date, origin=origin, destination=destination))


def connections(world: Transaction, date: Any, *, origin: Any, destination: Any) -> list[tuple[Row, Row]]:
    """Return the pairs of bookable flights that change planes once.

    After an arrival past midnight the onward date is the next number in May, without leading zero or next month.
    """
    pairs = []
    for first in _offers(world, date, origin=origin, destination=None):
        arrival = first["scheduled_arrival_time_est"]
        onward = f"2024-05-{int(date[-2:]) + 1}" if "+1" in arrival else date
        for second in _offers(world, onward, origin=first["destination"], destination=destination):
            if second["scheduled_departure_time_est"] >= arrival:
                pairs.append(({**first, "date": date}, {**second, "date": onward}))
    return pairs


def _offers(world: Transaction, date: Any, *, origin: Any, destination: Any) -> Iterator[Row]:
    for flight in _between(world, origin, destination):
        if isinstance(date, list | dict):
            raise ToolError(f"date should be a text, not {date!r}")
        day = row_of(world, DAYS, f"{flight.flight_number} {date}")
        if day is not None and day["status"] == "available":
            yield {
                **FLIGHTS.written(flight),
                "status": "available",
                "date": None,
                "available_seats": day["available_seats"],
                "prices": day["prices"],
            }


def _between(world: Transaction, origin: Any, destination: Any) -> list[Flight]:
    wanted = {name: value for name, value in (("origin", origin), ("destination", destination)) if value is not None}
    flights = world.table(Flight)
    if not wanted:
        return list(flights.values())
    # Whatever else is no text is no airport either, and finds nothing.
    return flights.find(**wanted) if all(isinstance(value, str) for value in wanted.values()) else []
