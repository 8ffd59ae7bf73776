"""The seeded world generator: a timetable first, then customers one by one, each with all of their reservations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eigen_airline.customers import CustomerMaker, birth_date, drawn
from eigen_airline.records import User
from eigen_airline.timetable import DATES, make_days, make_timetable
from eigen_airline.trips import TripMaker
from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.record import Record

DEFAULT_FLIGHTS, DEFAULT_USERS = 300, 500
LEAST_FLIGHTS, MOST_FLIGHTS = 12, 600
"""Worlds grow by customers, not by flights, so that searches stay as long as an agent can read."""
_RESERVATIONS = (1, 2, 3, 3, 4, 5)
_RECORDS_PER_USER = 1 + sum(_RESERVATIONS) / len(_RESERVATIONS)
_RECORDS_PER_FLIGHT = 1 + len(DATES)
_DEFAULT_SIZE = DEFAULT_FLIGHTS * _RECORDS_PER_FLIGHT + DEFAULT_USERS * _RECORDS_PER_USER


def world_shape(size: int) -> tuple[int, int]:
    """Return how many flights and users a world of about `size` records has; 0 is the default size."""
    if size <= 0:
        return DEFAULT_FLIGHTS, DEFAULT_USERS
    flights = min(MOST_FLIGHTS, max(LEAST_FLIGHTS, round(DEFAULT_FLIGHTS * size / _DEFAULT_SIZE)))
    users = round((size - flights * _RECORDS_PER_FLIGHT) / _RECORDS_PER_USER)
    return flights, max(20, users)


def generate(*, seed: int, size: int) -> Iterator[Record]:
    """Yield flights, their days, then each user followed by their reservations; only the timetable is kept."""
    flights, users = world_shape(size)
    timetable = make_timetable(seed, flights=flights)
    yield from timetable.flights
    yield from make_days(seed, timetable)
    rng = derive_rng("airline", seed, "customers")
    customers = CustomerMaker(rng)
    trips = TripMaker(rng, timetable, slips=derive_rng("airline", seed, "slips"))
    for _ in range(users):
        user_id, name = customers.profile()
        profile: dict[str, Any] = {
            "user_id": user_id,
            "name": name,
            "address": customers.address(),
            "email": f"{name.first_name}.{name.last_name}{10 + int(rng.random() * 9990)}@mail.example".lower(),
            "dob": birth_date(rng),
            "payment_methods": customers.payment_methods(),
            "saved_passengers": customers.saved_passengers(),
            "membership": customers.membership(),
            "reservations": tuple(trips.reservation_id() for _ in range(drawn(rng, _RESERVATIONS))),
        }
        user = User(**profile)
        yield user
        for reservation_id in user.reservations:
            yield trips.reservation(user, reservation_id)
