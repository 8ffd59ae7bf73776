"""Changing and cancelling reservations.

As in tau2-bench, seats are neither taken by a changed flight nor given back by a cancelled one, a cancellation notes
refunds in the payment history without touching balances, and the tools leave it to the agent whether a change is
allowed.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from eigen_airline.booking import require_bags, sold_segment
from eigen_airline.payments import pay_change
from eigen_airline.records import Cabin, FlightInfo, Passenger, Payment, Reservation, ReservationFlight, User
from eigen_airline.rules import BAG_FEE
from eigen_airline.search import Readable
from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import Money, money
from eigen_cli.api.world import Transaction


def cancel(world: Transaction, reservation_id: str) -> Reservation:
    """Cancel a reservation whole: every payment made is noted as given back."""
    reservations = world.table(Reservation)
    reservation = reservations.require(reservation_id)
    refunds = tuple(Payment(paid.payment_id, money(-paid.amount)) for paid in reservation.payment_history)
    cancelled = msgspec.structs.replace(
        reservation, payment_history=reservation.payment_history + refunds, status="cancelled"
    )
    reservations.put(cancelled)
    return cancelled


def refund_of(reservation: Reservation) -> Money:
    """Return what `cancel` gives back in all."""
    return money(sum((paid.amount for paid in reservation.payment_history), money(0)))


def change_flights(
    world: Transaction, reservation_id: str, *, cabin: Cabin, flights: Sequence[FlightInfo], payment_id: str
) -> Reservation:
    """Replace all segments. Those kept in the same cabin keep their fare, others are sold at today's."""
    reservation = world.table(Reservation).require(reservation_id)
    segments = _segments_after(world, reservation, cabin=cabin, flights=flights)
    changed = msgspec.structs.replace(reservation, flights=segments, cabin=cabin)
    return _charged(world, changed, payment_id, _difference(reservation, segments))


def fare_difference(world: Readable, reservation: Reservation, *, cabin: Cabin, flights: Sequence[FlightInfo]) -> int:
    """Return what `change_flights` charges for all passengers; negative is paid back. Raises `ToolError`."""
    return _difference(reservation, _segments_after(world, reservation, cabin=cabin, flights=flights))


def change_bags(world: Transaction, reservation_id: str, *, total: int, nonfree: int, payment_id: str) -> Reservation:
    """Set the bag counts and charge the paid bags that are new; fewer paid bags give nothing back."""
    reservation = world.table(Reservation).require(reservation_id)
    require_bags(total, nonfree)
    changed = msgspec.structs.replace(reservation, total_baggages=total, nonfree_baggages=nonfree)
    return _charged(world, changed, payment_id, bag_charge(reservation, nonfree))


def bag_charge(reservation: Reservation, nonfree: int) -> int:
    """Return what `change_bags` charges for a new count of paid bags."""
    return BAG_FEE * max(0, nonfree - reservation.nonfree_baggages)


def change_passengers(world: Transaction, reservation_id: str, passengers: Sequence[Passenger]) -> Reservation:
    """Replace the passenger list by one of the same length."""
    reservations = world.table(Reservation)
    reservation = reservations.require(reservation_id)
    if len(passengers) != len(reservation.passengers):
        raise ToolError(
            f"Reservation {reservation_id} is for {len(reservation.passengers)} passengers, not {len(passengers)}"
        )
    changed = msgspec.structs.replace(reservation, passengers=tuple(passengers))
    reservations.put(changed)
    return changed


def _segments_after(
    world: Readable, reservation: Reservation, *, cabin: Cabin, flights: Sequence[FlightInfo]
) -> tuple[ReservationFlight, ...]:
    if not flights:
        raise ToolError("A reservation needs at least one flight")
    kept = {(segment.flight_number, segment.date): segment for segment in reservation.flights}
    segments = []
    for wanted in flights:
        segment = kept.get((wanted.flight_number, wanted.date)) if cabin == reservation.cabin else None
        segments.append(segment or sold_segment(world, wanted, cabin, seats=len(reservation.passengers)))
    return tuple(segments)


def _difference(reservation: Reservation, segments: Sequence[ReservationFlight]) -> int:
    fares = sum(segment.price for segment in segments) - sum(segment.price for segment in reservation.flights)
    return fares * len(reservation.passengers)


def _charged(world: Transaction, reservation: Reservation, payment_id: str, amount: int) -> Reservation:
    users = world.table(User)
    user, entries = pay_change(users.require(reservation.user_id), payment_id, amount)
    changed = msgspec.structs.replace(reservation, payment_history=reservation.payment_history + entries)
    if entries:
        users.put(user)
    world.table(Reservation).put(changed)
    return changed
