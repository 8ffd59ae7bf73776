"""The airline's records. Field names are those of tau2-bench, so that tool results read the same there and here.

One difference in layout: a flight's dates are rows of their own (`FlightDay`), so that selling a seat touches one
small record. Fares are whole dollars; balances and payments are exact `Money`.
"""

from __future__ import annotations

import datetime
from typing import Annotated, Literal, cast

from eigen_cli.api.record import FrozenMap, Money, Record
from eigen_cli.api.tools import Ref

Cabin = Literal["business", "economy", "basic_economy"]
TripType = Literal["round_trip", "one_way"]
Membership = Literal["gold", "silver", "regular"]
YesNo = Literal["yes", "no"]
DayStatus = Literal["available", "on time", "delayed", "flying", "landed", "cancelled"]

CABINS: tuple[Cabin, ...] = ("basic_economy", "economy", "business")
FLOWN: tuple[DayStatus, ...] = ("flying", "landed")


class Name(Record, frozen=True):
    """A person's name."""

    first_name: str
    last_name: str


class Address(Record, frozen=True):
    """A postal address."""

    address1: str
    city: str
    country: str
    state: str
    zip: str
    address2: str | None = None


class Passenger(Record, frozen=True):
    """Someone who flies, or whom a customer has saved for later bookings."""

    first_name: str
    last_name: str
    dob: datetime.date

    @property
    def full_name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}"


class CreditCard(Record, frozen=True, tag_field="source", tag="credit_card"):
    """A stored credit card; it has no balance."""

    id: str
    brand: str
    last_four: str


class GiftCard(Record, frozen=True, tag_field="source", tag="gift_card"):
    """A gift card; what is left on it stays usable."""

    id: str
    amount: Money


class Certificate(Record, frozen=True, tag_field="source", tag="certificate"):
    """A travel certificate; using it once uses it up."""

    id: str
    amount: Money


PaymentMethod = CreditCard | GiftCard | Certificate


class User(Record, frozen=True):
    """A customer's profile."""

    user_id: str
    name: Name
    address: Address
    email: str
    dob: datetime.date
    payment_methods: FrozenMap[str, PaymentMethod]
    saved_passengers: tuple[Passenger, ...]
    membership: Membership
    reservations: tuple[str, ...]


class Flight(Record, frozen=True):
    """A flight number: its route and its daily times. Arrivals after midnight end in `+1`."""

    flight_number: str
    origin: str
    destination: str
    scheduled_departure_time_est: str
    scheduled_arrival_time_est: str


class Seats(Record, frozen=True):
    """Seats left in each cabin."""

    basic_economy: int
    economy: int
    business: int

    def of(self, cabin: Cabin) -> int:
        """Return the seats left in a cabin."""
        return cast(int, getattr(self, cabin))


class Prices(Record, frozen=True):
    """Today's fare per passenger in each cabin, in dollars."""

    basic_economy: int
    economy: int
    business: int

    def of(self, cabin: Cabin) -> int:
        """Return the fare in a cabin."""
        return cast(int, getattr(self, cabin))


class FlightDay(Record, frozen=True):
    """One flight on one date. Seats and prices are sold only while the status is `available`."""

    id: str
    flight_number: str
    date: datetime.date
    status: DayStatus
    available_seats: Seats
    prices: Prices


class ReservationFlight(Record, frozen=True):
    """A segment of a reservation, at the fare it was sold for (per passenger)."""

    flight_number: str
    origin: str
    destination: str
    date: datetime.date
    price: int


class Payment(Record, frozen=True):
    """An amount taken from a payment method; negative amounts went back to it."""

    payment_id: str
    amount: Money


class FlightInfo(Record, frozen=True):
    """A flight on a date, as agents name it in calls."""

    flight_number: Annotated[str, Ref("flights")]
    date: datetime.date


class Reservation(Record, frozen=True):
    """A booking. `status` is None while it stands."""

    reservation_id: str
    user_id: str
    origin: str
    destination: str
    flight_type: TripType
    cabin: Cabin
    flights: tuple[ReservationFlight, ...]
    passengers: tuple[Passenger, ...]
    payment_history: tuple[Payment, ...]
    created_at: datetime.datetime
    total_baggages: int
    nonfree_baggages: int
    insurance: YesNo
    status: Literal["cancelled"] | None = None


class DirectFlight(Record, frozen=True):
    """A bookable flight as searches return it; `date` is null for direct ones, whose date is the one searched."""

    flight_number: str
    origin: str
    destination: str
    status: DayStatus
    scheduled_departure_time_est: str
    scheduled_arrival_time_est: str
    available_seats: Seats
    prices: Prices
    date: datetime.date | None = None


class Airport(Record, frozen=True):
    """An airport we serve."""

    iata: str
    city: str


def day_id(flight_number: str, date: datetime.date) -> str:
    """Return the key of a flight's day."""
    return f"{flight_number} {date.isoformat()}"
