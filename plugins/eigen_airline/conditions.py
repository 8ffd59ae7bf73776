"""What records say about a reservation: flown, cancellable, entitled to compensation."""

from __future__ import annotations

from eigen_airline.records import FLOWN, DayStatus, FlightDay, Reservation, ReservationFlight, User, day_id
from eigen_airline.rules import FREE_CANCELLATION
from eigen_airline.search import Readable


def segment_status(world: Readable, segment: ReservationFlight) -> DayStatus | None:
    """Return the status of a segment's flight on its date."""
    day = world.table(FlightDay).get(day_id(segment.flight_number, segment.date))
    return None if day is None else day.status


def statuses(world: Readable, reservation: Reservation) -> tuple[DayStatus | None, ...]:
    """Return the status of each segment."""
    return tuple(segment_status(world, segment) for segment in reservation.flights)


def any_flown(world: Readable, reservation: Reservation) -> bool:
    """Whether a segment has departed."""
    return any(status in FLOWN for status in statuses(world, reservation))


def may_cancel(world: Readable, reservation: Reservation) -> bool:
    """Whether a reservation can be cancelled for any reason."""
    return (
        world.now - reservation.created_at <= FREE_CANCELLATION
        or reservation.cabin == "business"
        or "cancelled" in statuses(world, reservation)
    )


def entitled(user: User, reservation: Reservation) -> bool:
    """Whether clause 8.2 lets the customer have compensation for a reservation."""
    return user.membership != "regular" or reservation.insurance == "yes" or reservation.cabin == "business"
