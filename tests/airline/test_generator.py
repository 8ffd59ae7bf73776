"""The generated world: pure, consistent, varied, and of the size asked for."""

from __future__ import annotations

import datetime
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from eigen_airline.conditions import any_flown, statuses
from eigen_airline.domain import Airline
from eigen_airline.generator import generate
from eigen_airline.misspellings import misbooked
from eigen_airline.records import CreditCard, Flight, FlightDay, Reservation, User, day_id
from eigen_airline.rules import BAG_FEE, INSURANCE_FEE, NOW, paid_bags
from eigen_airline.wording import RESERVATION_ID, USER_ID
from eigen_cli.api.canonical import content_hash
from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.world import World


def test_same_seed_same_world_other_seed_another() -> None:
    first, again, other = (list(generate(seed=seed, size=1000)) for seed in (3, 3, 4))
    assert [content_hash(record) for record in first] == [content_hash(record) for record in again]
    assert content_hash(first) != content_hash(other)


def test_default_size(generated: Any) -> None:
    world = generated(1)
    assert len(world.table(Flight)) == 300
    assert len(world.table(FlightDay)) == 9000
    assert len(world.table(User)) == 500
    assert 1300 <= len(world.table(Reservation)) <= 1700


@pytest.mark.parametrize("size", [1000, 5000, 40_000])
def test_size_is_about_what_was_asked(size: int) -> None:
    count = sum(1 for _ in generate(seed=2, size=size))
    assert abs(count - size) < 0.05 * size


def test_flights_lead_both_ways_and_fly_every_day(generated: Any) -> None:
    world = generated(1)
    routes = {(flight.origin, flight.destination) for flight in world.table(Flight).values()}
    assert all((destination, origin) in routes for origin, destination in routes)
    for flight in world.table(Flight).values():
        assert flight.scheduled_departure_time_est < flight.scheduled_arrival_time_est or (
            flight.scheduled_arrival_time_est.endswith("+1")
        )
        days = [
            world.table(FlightDay).get(day_id(flight.flight_number, datetime.date(2024, 5, day))) for day in (1, 30)
        ]
        assert None not in days


def test_days_fit_the_clock(generated: Any) -> None:
    world = generated(1)
    for day in world.table(FlightDay).values():
        departure = world.table(Flight).get(day.flight_number).scheduled_departure_time_est
        if day.date < NOW.date():
            assert day.status in ("landed", "cancelled")
        elif day.date > NOW.date():
            assert day.status in ("available", "cancelled")
        else:
            assert day.status != "available"
            assert (day.status in ("landed", "flying")) <= (departure <= "15:00:00")
        assert day.prices.basic_economy < day.prices.economy < day.prices.business
        assert min(day.available_seats.basic_economy, day.available_seats.economy, day.available_seats.business) >= 0


def test_reservations_are_real_trips_of_real_customers(generated: Any) -> None:
    world = generated(1)
    flights, users = world.table(Flight), world.table(User)
    for reservation in world.table(Reservation).values():
        user = users.get(reservation.user_id)
        assert reservation.reservation_id in user.reservations
        for segment in reservation.flights:
            flight = flights.get(segment.flight_number)
            assert (flight.origin, flight.destination) == (segment.origin, segment.destination)
            assert world.table(FlightDay).get(day_id(segment.flight_number, segment.date)) is not None
        assert all(one.destination == two.origin and one.date <= two.date for one, two in pairwise(reservation.flights))
        places = [reservation.flights[0].origin, *(segment.destination for segment in reservation.flights)]
        assert places[0] == reservation.origin and reservation.destination in places
        assert places[-1] == (
            reservation.origin if reservation.flight_type == "round_trip" else reservation.destination
        )
        assert reservation.created_at < NOW
        assert reservation.created_at.date() <= reservation.flights[0].date
        names = [person.full_name for person in reservation.passengers]
        assert 1 <= len(names) <= 4


def test_every_dollar_is_accounted_for(generated: Any) -> None:
    world = generated(1)
    for reservation in world.table(Reservation).values():
        user, people = world.table(User).get(reservation.user_id), len(reservation.passengers)
        paid_for = paid_bags(user.membership, reservation.cabin, passengers=people, total=reservation.total_baggages)
        assert reservation.nonfree_baggages == paid_for
        price = sum(segment.price for segment in reservation.flights) * people + BAG_FEE * paid_for
        price += INSURANCE_FEE * people * (reservation.insurance == "yes")
        paid = sum(payment.amount for payment in reservation.payment_history)
        assert paid == (0 if reservation.status == "cancelled" else price)
        for payment in reservation.payment_history:
            assert payment.payment_id in user.payment_methods


def test_ids_have_their_shapes(generated: Any) -> None:
    import re

    world = generated(1)
    assert all(re.fullmatch(USER_ID, key) for key in world.table(User).keys())  # noqa: SIM118
    for key in world.table(Reservation).keys():  # noqa: SIM118
        assert re.fullmatch(RESERVATION_ID, key) and key[0] != "Q"
    payment_ids = [key for user in world.table(User).values() for key in user.payment_methods]
    assert len(payment_ids) == len(set(payment_ids))


def test_the_world_holds_what_scenarios_need(generated: Any) -> None:
    world = generated(1)
    reservations = list(world.table(Reservation).values())
    found = Counter[str]()
    for reservation in reservations:
        states = statuses(world, reservation)
        found["called off"] += "cancelled" in states
        found["delayed"] += "delayed" in states
        found["begun"] += any_flown(world, reservation) and reservation.flights[-1].date > NOW.date()
        found["recent"] += (NOW - reservation.created_at) <= datetime.timedelta(hours=24)
        found["connection"] += len(reservation.flights) - (reservation.flight_type == "round_trip") > 1
        found["closed"] += reservation.status == "cancelled"
        found["misspelt name"] += bool(misbooked(world.table(User).get(reservation.user_id), reservation))
        found["several payments"] += len(reservation.payment_history) > 1
        found[reservation.cabin] += 1
        found[reservation.flight_type] += 1
        found[f"{len(reservation.passengers)} passengers"] += 1
    share = {name: count / len(reservations) for name, count in found.items()}
    assert all(share[name] > 0.03 for name in share), share
    assert len(share) == 8 + 3 + 2 + 4
    # No booking is so close to the 24-hour line that the clock's minutes decide.
    assert not any(24 * 3600 < (NOW - one.created_at).total_seconds() < 26 * 3600 for one in reservations)
    memberships = Counter(user.membership for user in world.table(User).values())
    assert set(memberships) == {"regular", "silver", "gold"}
    assert all(
        any(isinstance(method, CreditCard) for method in user.payment_methods.values())
        for user in world.table(User).values()
    )


def test_a_small_world_still_drafts(airline: Airline) -> None:
    from eigen_cli.api.canonical import derive_rng

    world = World(build_base(airline, WorldRef(5, 1000), freeze=False))
    drafted = [
        template.name
        for template in airline.templates
        if any(template.draft(world, derive_rng(template.name, n)) for n in range(6))
    ]
    assert len(drafted) > 0.8 * len(airline.templates)
