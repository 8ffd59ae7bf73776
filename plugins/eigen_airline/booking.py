"""Making a booking."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from eigen_airline.identifiers import new_reservation_id
from eigen_airline.payments import pay_booking
from eigen_airline.records import (
    Cabin,
    Flight,
    FlightDay,
    FlightInfo,
    Passenger,
    Payment,
    Reservation,
    ReservationFlight,
    Seats,
    TripType,
    User,
    YesNo,
    day_id,
)
from eigen_airline.rules import BAG_FEE, INSURANCE_FEE
from eigen_airline.search import Readable
from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import money
from eigen_cli.api.world import Transaction


@dataclass(frozen=True)
class BookingRequest:
    """Everything a booking is made of."""

    user_id: str
    origin: str
    destination: str
    flight_type: TripType
    cabin: Cabin
    flights: tuple[FlightInfo, ...]
    passengers: tuple[Passenger, ...]
    payments: tuple[Payment, ...]
    total_baggages: int
    nonfree_baggages: int
    insurance: YesNo


def sold_segment(world: Readable, wanted: FlightInfo, cabin: Cabin, *, seats: int) -> ReservationFlight:
    """Return the segment a flight sells as today. Raises `ToolError` when it is not on sale or too full."""
    flight = world.table(Flight).get(wanted.flight_number)
    if flight is None:
        raise ToolError(f"Flight '{wanted.flight_number}' not found")
    day = world.table(FlightDay).get(day_id(wanted.flight_number, wanted.date))
    if day is None:
        raise ToolError(f"Flight {wanted.flight_number} does not fly on {wanted.date}")
    if day.status != "available":
        raise ToolError(f"Flight {wanted.flight_number} cannot be booked on {wanted.date}: its status is {day.status}")
    if day.available_seats.of(cabin) < seats:
        raise ToolError(f"Flight {wanted.flight_number} has too few {cabin} seats on {wanted.date}")
    return ReservationFlight(
        flight_number=flight.flight_number,
        origin=flight.origin,
        destination=flight.destination,
        date=wanted.date,
        price=day.prices.of(cabin),
    )


def book(world: Transaction, request: BookingRequest) -> Reservation:
    """Sell the seats, charge the payments and return the new reservation. Raises `ToolError`."""
    user = world.table(User).require(request.user_id)
    seats = len(request.passengers)
    if not request.flights or not seats:
        raise ToolError("A reservation needs at least one flight and one passenger")
    require_bags(request.total_baggages, request.nonfree_baggages)
    segments = []
    for wanted in request.flights:
        segments.append(sold_segment(world, wanted, request.cabin, seats=seats))
        _take_seats(world, wanted, request.cabin, seats)
    total = sum(segment.price for segment in segments) * seats + BAG_FEE * request.nonfree_baggages
    if request.insurance == "yes":
        total += INSURANCE_FEE * seats
    user = pay_booking(user, request.payments, total)
    reservation = Reservation(
        reservation_id=new_reservation_id(world),
        user_id=request.user_id,
        origin=request.origin,
        destination=request.destination,
        flight_type=request.flight_type,
        cabin=request.cabin,
        flights=tuple(segments),
        passengers=request.passengers,
        payment_history=tuple(Payment(entry.payment_id, money(entry.amount)) for entry in request.payments),
        created_at=world.now,
        total_baggages=request.total_baggages,
        nonfree_baggages=request.nonfree_baggages,
        insurance=request.insurance,
    )
    world.table(User).put(msgspec.structs.replace(user, reservations=(*user.reservations, reservation.reservation_id)))
    world.table(Reservation).put(reservation)
    return reservation


def require_bags(total: int, nonfree: int) -> None:
    """Raise `ToolError` unless 0 <= nonfree <= total."""
    if not 0 <= nonfree <= total:
        raise ToolError("nonfree_baggages must lie between 0 and total_baggages")


def _take_seats(world: Transaction, wanted: FlightInfo, cabin: Cabin, seats: int) -> None:
    days = world.table(FlightDay)
    day = days.require(day_id(wanted.flight_number, wanted.date))
    left = day.available_seats
    counts = {
        "basic_economy": left.basic_economy,
        "economy": left.economy,
        "business": left.business,
    }
    counts[cabin] -= seats
    days.put(msgspec.structs.replace(day, available_seats=Seats(**counts)))
