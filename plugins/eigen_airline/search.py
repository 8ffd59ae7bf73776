"""Finding bookable flights."""

from __future__ import annotations

import datetime

from eigen_airline.records import DirectFlight, Flight, FlightDay, day_id
from eigen_cli.api.world import Transaction, WorldView

Readable = WorldView | Transaction
_DAY = datetime.timedelta(days=1)


def direct_flights(world: Readable, date: datetime.date, *, origin: str, destination: str) -> list[DirectFlight]:
    """Return the bookable flights of a date, in the order of the timetable."""
    days = world.table(FlightDay)
    found = []
    for flight in world.table(Flight).find(origin=origin, destination=destination):
        day = days.get(day_id(flight.flight_number, date))
        if day is not None and day.status == "available":
            found.append(_offer(flight, day))
    return found


def connections(
    world: Readable, date: datetime.date, *, origin: str, destination: str
) -> list[tuple[DirectFlight, DirectFlight]]:
    """Return the pairs of bookable flights that change planes once, leaving on a date."""
    flights, days = world.table(Flight), world.table(FlightDay)
    onward: dict[str, list[Flight]] = {}
    for flight in flights.find(destination=destination):
        onward.setdefault(flight.origin, []).append(flight)
    pairs = []
    for first in flights.find(origin=origin):
        day = days.get(day_id(first.flight_number, date)) if first.destination in onward else None
        if day is None or day.status != "available":
            continue
        arrival = first.scheduled_arrival_time_est
        onward_date = date + _DAY if arrival.endswith("+1") else date
        for second in onward[first.destination]:
            if second.scheduled_departure_time_est < arrival:
                continue
            second_day = days.get(day_id(second.flight_number, onward_date))
            if second_day is not None and second_day.status == "available":
                pairs.append((_offer(first, day, dated=True), _offer(second, second_day, dated=True)))
    return pairs


def _offer(flight: Flight, day: FlightDay, *, dated: bool = False) -> DirectFlight:
    return DirectFlight(
        flight_number=flight.flight_number,
        origin=flight.origin,
        destination=flight.destination,
        status=day.status,
        scheduled_departure_time_est=flight.scheduled_departure_time_est,
        scheduled_arrival_time_est=flight.scheduled_arrival_time_est,
        available_seats=day.available_seats,
        prices=day.prices,
        date=day.date if dated else None,
    )
