"""Rows survive being split into records and remainders, however odd they are."""

from __future__ import annotations

from typing import Any

import pytest
from engine_pairs import airline_pair, airline_pair_of, retail_pair

from eigen_cli.api.record import from_json, to_json
from eigen_cli.api.tasks import RecordPatch
from eigen_tau2.airline_rows import RESERVATIONS, USERS
from eigen_tau2.airline_timetable import DAYS
from eigen_tau2.canonical_form import canonical_hash
from eigen_tau2.retail_rows import ORDERS
from eigen_tau2.rows import Form, merged, row_of

ODD: tuple[tuple[Form[Any], dict[str, Any]], ...] = (
    (RESERVATIONS, {"total_baggages": "three"}),
    (RESERVATIONS, {"total_baggages": 0.0}),
    (RESERVATIONS, {"total_baggages": False}),
    (RESERVATIONS, {"nonfree_baggages": 2**60}),
    (RESERVATIONS, {"nonfree_baggages": None}),
    (RESERVATIONS, {"cabin": ["economy"]}),
    (RESERVATIONS, {"passengers": "ab"}),
    (RESERVATIONS, {"passengers": [{"first_name": "Ada", "last_name": "Moss", "dob": "5 May 1990"}]}),
    (RESERVATIONS, {"created_at": "2024-05-01"}),
    (RESERVATIONS, {"created_at": "2024-05-01T10:00:00Z"}),
    (RESERVATIONS, {"payment_history": [{"payment_id": "credit_card_1", "amount": 10**30}]}),
    (USERS, {"payment_methods": {"gift_card_1": {"source": "gift_card", "id": "gift_card_1", "amount": float("inf")}}}),
    (USERS, {"dob": "unknown"}),
    (USERS, {"dob": "19900105"}),
)


def _row(form: Form[Any]) -> dict[str, Any]:
    pair = airline_pair()
    row = row_of(pair.initial, form, next(iter(pair.initial.table(form.kind).keys())))
    assert row is not None
    return row


@pytest.mark.parametrize(("form", "change"), ODD, ids=lambda part: str(getattr(part, "table", part)))
def test_odd_values_are_kept(form: Form[Any], change: dict[str, Any]) -> None:
    row = _row(form) | change
    key = row[form.key]
    record, remainder = form.split(key, row)
    assert remainder is not None and set(remainder.fields) == set(change)
    joined = form.joined(record, remainder)
    assert canonical_hash(joined) == canonical_hash(row)
    # Stored and read back, as journals and registries do.
    stored = [from_json(to_json(part), type(part)) for part in (record, remainder)]
    assert stored == [record, remainder] and form.joined(*stored) == row


def test_plain_rows_leave_nothing() -> None:
    for form in (RESERVATIONS, USERS):
        assert form.split("key", _row(form))[1] is None
    order = row_of(retail_pair().initial, ORDERS, "#W2611340")
    assert order is not None and ORDERS.split("#W2611340", order)[1] is None


def test_times_of_a_landed_flight_are_kept() -> None:
    row = row_of(airline_pair().initial, DAYS, "HAT001 2024-05-01")
    assert row is not None and set(row) == {"status", "actual_departure_time_est", "actual_arrival_time_est"}


def test_odd_databases_are_equal_to_the_benchmark() -> None:
    raw = airline_pair().domain.files.database()
    user = raw["users"]["mia_li_3668"]
    reservation = raw["reservations"][user["reservations"][0]]
    flight = raw["flights"][reservation["flights"][0]["flight_number"]]
    user |= {"dob": "June 1979", "address": {**user["address"], "address2": None}}
    reservation |= {"created_at": "yesterday", "total_baggages": "2", "nonfree_baggages": 1.0, "status": "cancelled"}
    flight["dates"] = {
        **flight["dates"],
        "May 1": {"status": "available", "available_seats": {"economy": 3}, "prices": {"economy": "99"}},
    }
    database = {
        "flights": {flight["flight_number"]: flight},
        "users": {user["user_id"]: user},
        "reservations": {reservation["reservation_id"]: reservation},
    }
    pair = airline_pair_of(database)
    assert canonical_hash(pair.domain.sides(pair.initial)["agent"]) == pair.initial_hash


def test_initial_data_is_laid_over_rows_as_upstream_does() -> None:
    pair = airline_pair()
    domain, number = pair.domain, "HAT001"
    delayed = {
        "status": "delayed",
        "estimated_departure_time_est": "2024-05-16T09:00:00",
        "estimated_arrival_time_est": "2024-05-16T10:00:00",
    }
    change = {
        "flights": {number: {"origin": "JFK", "dates": {"2024-05-16": delayed}}},
        "users": {"mia_li_3668": {"membership": "gold", "address": {"zip": "1"}, "dob": "1 June"}},
    }
    patches = domain.initial_patch({"initialization_data": {"agent_data": change, "user_data": None}}, pair.initial)
    world = pair.initial.patched(patches)
    expected = merged(domain.files.database(), change)
    # Laid over an available day, a new status keeps the day's seats; the benchmark's models then drop them.
    assert pair.row(world, "flights", number)["dates"]["2024-05-16"] == delayed
    assert pair.row(world, "flights", number)["origin"] == "JFK"
    mia = pair.row(world, "users", "mia_li_3668")
    assert mia == expected["users"]["mia_li_3668"]
    assert domain.touched_sides(world)["agent"]["users"] == {"mia_li_3668": mia}
    again = domain.initial_patch(
        {"initialization_data": {"agent_data": {"users": {"mia_li_3668": {"dob": "1990-01-05"}}}}}, world
    )
    assert RecordPatch("remainders", "users/mia_li_3668") in again
    assert pair.row(world.patched(again), "users", "mia_li_3668")["dob"] == "1990-01-05"


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"initialization_actions": [{"func_name": "sink_ship"}]}, "it calls sink_ship; this domain starts from data"),
        ({"initialization_data": {"user_data": {"device": 1}}}, "users of this domain have no database"),
        (
            {"initialization_data": {"agent_data": {"planes": {}}}},
            "there is no table planes; there are products, users",
        ),
        ({"initialization_data": {"agent_data": {"users": {"a": 1}}}}, "users should hold objects by key"),
        (
            {"initialization_data": {"agent_data": {"orders": {"#W2611340": {"status": "lost"}}}}},
            "orders #W2611340: status: should be one of",
        ),
        ({"initialization_data": {"agent_data": {"orders": {"#W1": {}}}}}, "orders #W1: lacks order_id"),
    ],
)
def test_initial_states_that_cannot_be(state: dict[str, Any], message: str) -> None:
    pair = retail_pair()
    with pytest.raises(ValueError, match=message):
        pair.domain.initial_patch(state, pair.initial)


def test_no_assertions() -> None:
    with pytest.raises(ValueError, match="tau2-retail has no environment assertions, and so no 'assert_paid'"):
        retail_pair().domain.check_of({"func_name": "assert_paid"})
