"""A generated world, and a small one written by hand whose every number a test can state."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from eigen_airline.domain import Airline
from eigen_airline.records import (
    Address,
    Cabin,
    Certificate,
    CreditCard,
    DayStatus,
    Flight,
    FlightDay,
    GiftCard,
    Membership,
    Name,
    Passenger,
    Payment,
    Prices,
    Reservation,
    ReservationFlight,
    Seats,
    User,
    day_id,
)
from eigen_cli.api.messages import RecordChange
from eigen_cli.api.record import FrozenMap, Record, money
from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World

ADA, IAN = Passenger("Ada", "Moss", datetime.date(1988, 2, 14)), Passenger("Ian", "Moss", datetime.date(1990, 11, 3))
BOB = Passenger("Bob", "Kerr", datetime.date(1971, 6, 30))
_ADDRESS = Address("1 Mill Avenue", "Denver", "USA", "CO", "80201")


def _user(user_id: str, person: Passenger, membership: Membership, *methods: Any, reservations: Iterable[str]) -> User:
    return User(
        user_id=user_id,
        name=Name(person.first_name, person.last_name),
        address=_ADDRESS,
        email=f"{user_id}@mail.example",
        dob=person.dob,
        payment_methods=FrozenMap({method.id: method for method in methods}),
        saved_passengers=(),
        membership=membership,
        reservations=tuple(reservations),
    )


def _day(number: str, day: int, status: DayStatus = "available", *, seats: int = 9) -> FlightDay:
    date = datetime.date(2024, 5, day)
    return FlightDay(day_id(number, date), number, date, status, Seats(seats, seats, 2), Prices(50, 100, 300))


def _segment(number: str, origin: str, destination: str, day: int, price: int) -> ReservationFlight:
    return ReservationFlight(number, origin, destination, datetime.date(2024, 5, day), price)


def _reservation(
    reservation_id: str,
    user_id: str,
    cabin: Cabin,
    *flights: ReservationFlight,
    people: tuple[Passenger, ...] = (ADA,),
    paid: tuple[Payment, ...],
    created: datetime.datetime = datetime.datetime(2024, 5, 1, 8, 0, 0),
    bags: tuple[int, int] = (1, 0),
    **more: Any,
) -> Reservation:
    return Reservation(
        reservation_id=reservation_id,
        user_id=user_id,
        origin=flights[0].origin,
        destination=flights[0].destination,
        flight_type="round_trip" if len(flights) > 1 else "one_way",
        cabin=cabin,
        flights=flights,
        passengers=people,
        payment_history=paid,
        created_at=created,
        total_baggages=bags[0],
        nonfree_baggages=bags[1],
        insurance=more.pop("insurance", "no"),
        **more,
    )


def handmade_records() -> Iterable[Record]:
    """Yield a world in which every fare is 50, 100 or 300 dollars."""
    times = {"HRN001": ("08:00:00", "09:30:00"), "HRN002": ("10:00:00", "11:30:00"), "HRN005": ("12:00:00", "13:30:00")}
    routes = {"HRN001": ("DEN", "ORD"), "HRN002": ("ORD", "DEN"), "HRN003": ("DEN", "ORD"), "HRN004": ("ORD", "BOS")}
    routes["HRN005"] = ("DEN", "BOS")
    for number, (origin, destination) in routes.items():
        departure, arrival = times.get(number, ("20:00:00", "00:30:00+1"))
        yield Flight(number, origin, destination, departure, arrival)
        for day in range(10, 26):
            status: DayStatus = "landed" if day < 15 else "available"
            if (number, day) in (("HRN001", 19), ("HRN002", 10)):
                status = "cancelled"
            elif day == 15:
                status = "delayed" if number == "HRN005" else "flying"
            yield _day(number, day, status, seats=1 if (number, day) == ("HRN003", 20) else 9)
    yield _user(
        "ada_moss_1234",
        ADA,
        "silver",
        CreditCard("credit_card_1111111", "visa", "4242"),
        CreditCard("credit_card_2222222", "amex", "7007"),
        GiftCard("gift_card_3333333", money(80)),
        GiftCard("gift_card_4444444", money(500)),
        Certificate("certificate_5555555", money(150)),
        Certificate("certificate_6666666", money(40)),
        reservations=("AAAA01", "AAAA02", "AAAA03", "AAAA04", "AAAA05", "AAAA06"),
    )
    yield _user(
        "bob_kerr_5678",
        BOB,
        "regular",
        CreditCard("credit_card_7777777", "visa", "1000"),
        reservations=("BBBB01", "BBBB02"),
    )
    card = "credit_card_1111111"
    both = (ADA, IAN)
    there, back = _segment("HRN001", "DEN", "ORD", 20, 90), _segment("HRN002", "ORD", "DEN", 22, 110)
    yield _reservation(
        "AAAA01", "ada_moss_1234", "economy", there, back, people=both, paid=(Payment(card, money(400)),), bags=(2, 0)
    )
    yield _reservation(
        "AAAA02", "ada_moss_1234", "basic_economy", there, paid=(Payment("gift_card_3333333", money(90)),)
    )
    flown = _segment("HRN001", "DEN", "ORD", 12, 100)
    yield _reservation("AAAA03", "ada_moss_1234", "economy", flown, back, paid=(Payment(card, money(210)),))
    off = _segment("HRN001", "DEN", "ORD", 19, 100)
    yield _reservation("AAAA04", "ada_moss_1234", "economy", off, people=both, paid=(Payment(card, money(200)),))
    late = _segment("HRN005", "DEN", "BOS", 15, 100)
    yield _reservation("AAAA05", "ada_moss_1234", "economy", late, paid=(Payment(card, money(100)),))
    split = (Payment("gift_card_4444444", money(60)), Payment(card, money(-160)), Payment(card, money(100)))
    yield _reservation("AAAA06", "ada_moss_1234", "economy", there, paid=split, status="cancelled")
    bobs = (Payment("credit_card_7777777", money(130)),)
    yield _reservation("BBBB01", "bob_kerr_5678", "economy", there, people=(BOB,), paid=bobs, insurance="yes")
    yield _reservation(
        "BBBB02",
        "bob_kerr_5678",
        "economy",
        off,
        people=(BOB,),
        paid=bobs,
        created=datetime.datetime(2024, 5, 14, 16, 0, 0),
    )


class HandmadeAirline(Airline):
    """The airline over the handmade world."""

    def generate(self, *, seed: int, size: int) -> Iterable[Record]:
        """Yield the handmade records, whatever the seed."""
        del seed, size
        return handmade_records()


@dataclass
class Desk:
    """A world being worked on: calls go in, JSON and the changed world come out."""

    world: World
    toolbox: Toolbox
    changes: tuple[RecordChange, ...] = ()

    def call(self, name: str, **arguments: Any) -> Any:
        """Run a call that must succeed and return its parsed result."""
        outcome = self.toolbox.call(self.world, name, arguments)
        assert not outcome.error, outcome.content
        self.world, self.changes = outcome.world, outcome.changes
        try:
            return msgspec.json.decode(outcome.content)
        except msgspec.DecodeError:
            return outcome.content

    def refused(self, name: str, **arguments: Any) -> str:
        """Run a call that must be refused, and change nothing; return its text."""
        outcome = self.toolbox.call(self.world, name, arguments)
        assert outcome.error and outcome.defect is None, outcome
        assert outcome.world is self.world
        return outcome.content


_AIRLINE, _HANDMADE = Airline(), HandmadeAirline()
_TOOLBOX = Toolbox(_AIRLINE)
_HANDMADE_BASE = build_base(_HANDMADE, WorldRef(0, 0), freeze=False)
_GENERATED: dict[int, World] = {}


@pytest.fixture
def airline() -> Airline:
    """The domain."""
    return _AIRLINE


@pytest.fixture
def toolbox() -> Toolbox:
    """The domain's tools."""
    return _TOOLBOX


@pytest.fixture
def desk() -> Desk:
    """A fresh handmade world."""
    return Desk(World(_HANDMADE_BASE), _TOOLBOX)


@pytest.fixture
def generated() -> Any:
    """Return a generated default world by seed, each built once."""

    def world(seed: int) -> World:
        if seed not in _GENERATED:
            _GENERATED[seed] = World(build_base(_AIRLINE, WorldRef(seed, 0), freeze=False))
        return _GENERATED[seed]

    return world
