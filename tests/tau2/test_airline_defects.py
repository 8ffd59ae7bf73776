"""Each known defect of the benchmark's airline: the bridge has it as the benchmark does, corrected it has not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from engine_pair import EnginePair
from engine_pairs import airline_pair, airline_pair_of
from three_worlds import played, row

from eigen_tau2.defects import DEFECTS

Database = dict[str, Any]


@pytest.fixture(scope="module")
def pair() -> EnginePair:
    return airline_pair()


@pytest.fixture(scope="module")
def database(pair: EnginePair) -> Database:
    return pair.domain.files.database()


def _user(database: Database, source: str, *, amount: float = 0) -> tuple[dict[str, Any], str]:
    """Return a customer with a payment method of a kind, and the method's id."""
    for user in database["users"].values():
        for key, method in user["payment_methods"].items():
            if method["source"] == source and method.get("amount", 0) >= amount and user["reservations"]:
                return user, key
    raise AssertionError(f"nobody has a {source}")


def _day(database: Database, *, most: int = 9) -> tuple[dict[str, str], dict[str, Any]]:
    """Return a flight on sale with few economy seats left, and its day."""
    for number, flight in database["flights"].items():
        for date, day in flight["dates"].items():
            if day["status"] == "available" and 2 <= day["available_seats"]["economy"] <= most:
                return {"flight_number": number, "date": date}, day
    raise AssertionError("every flight is empty or full")


def _booking(user: dict[str, Any], flights: list[Any], payments: list[tuple[str, int]], **more: Any) -> Any:
    arguments = {
        "user_id": user["user_id"],
        "origin": "SFO",
        "destination": "JFK",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": flights,
        "passengers": [{"first_name": "Ada", "last_name": "Moss", "dob": "1990-01-05"}],
        "payment_methods": [{"payment_id": key, "amount": amount} for key, amount in payments],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    return "book_reservation", {**arguments, **more}


def test_every_defect_is_shown_here() -> None:
    shown = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {defect.name for defect in DEFECTS if "airline" in defect.domains} <= shown | {"calculator_is_python"}


def test_three_bookings(pair: EnginePair, database: Database) -> None:
    user, card = _user(database, "credit_card")
    plenty = next(
        ({"flight_number": number, "date": date}, one)
        for number, found in database["flights"].items()
        for date, one in found["dates"].items()
        if one["status"] == "available" and one["available_seats"]["economy"] >= 4
    )
    calls = [_booking(user, [plenty[0]], [(card, plenty[1]["prices"]["economy"])]) for _ in range(4)]
    worlds = played(pair, calls)
    assert worlds.refused == [False, False, False, True]
    assert worlds.corrected_refused == [False] * 4
    assert row(pair, worlds.official, "users", user["user_id"])["reservations"][-3:] == ["HATHAT", "HATHAU", "HATHAV"]


def test_three_certificates(pair: EnginePair, database: Database) -> None:
    user, _ = _user(database, "credit_card")
    calls = [("send_certificate", {"user_id": user["user_id"], "amount": 50})] * 4
    worlds = played(pair, calls)
    assert worlds.refused == [False, False, False, True]
    assert worlds.corrected_refused == [False] * 4
    methods = row(pair, worlds.official, "users", user["user_id"])["payment_methods"]
    assert methods["certificate_3221324"] == {"source": "certificate", "id": "certificate_3221324", "amount": 50.0}


@pytest.mark.parametrize("amount", [0, -100, 12.5])
def test_any_certificate_amount(pair: EnginePair, database: Database, amount: float) -> None:
    user, _ = _user(database, "credit_card")
    worlds = played(pair, [("send_certificate", {"user_id": user["user_id"], "amount": amount})])
    assert (worlds.refused, worlds.corrected_refused) == ([False], [True])
    methods = row(pair, worlds.official, "users", user["user_id"])["payment_methods"]
    assert methods["certificate_3221322"]["amount"] == amount


def test_overdrawn_cards(pair: EnginePair, database: Database) -> None:
    flight, day = _day(database)
    fare = day["prices"]["economy"]
    user, gift = next(
        (user, key)
        for user in database["users"].values()
        for key, method in user["payment_methods"].items()
        if method["source"] == "gift_card" and fare // 2 + 1 <= method["amount"] < fare
    )
    worlds = played(pair, [_booking(user, [flight], [(gift, fare // 2), (gift, fare - fare // 2)])])
    assert (worlds.refused, worlds.corrected_refused) == ([False], [True])
    left = row(pair, worlds.official, "users", user["user_id"])["payment_methods"][gift]["amount"]
    assert left == user["payment_methods"][gift]["amount"] - fare < 0


def test_oversold_seats(pair: EnginePair, database: Database) -> None:
    (user, card), (flight, day) = _user(database, "credit_card"), _day(database, most=4)
    seats, fare = day["available_seats"]["economy"], day["prices"]["economy"]
    people = [{"first_name": "Ada", "last_name": str(number), "dob": "1990-01-05"} for number in range(seats)]
    call = _booking(user, [flight, flight], [(card, 2 * fare * seats)], passengers=people)
    worlds = played(pair, [call])
    assert (worlds.refused, worlds.corrected_refused) == ([False], [True])
    left = row(pair, worlds.official, "flights", flight["flight_number"])["dates"][flight["date"]]["available_seats"]
    assert left["economy"] == -seats


@pytest.mark.parametrize(
    ("change", "price"),
    [({"flights": []}, 0), ({"passengers": []}, 0), ({"nonfree_baggages": -1}, -50), ({"total_baggages": -1}, 0)],
)
def test_empty_trips(pair: EnginePair, database: Database, change: dict[str, Any], price: int) -> None:
    (user, card), (flight, day) = _user(database, "credit_card"), _day(database)
    fare = 0 if "flights" in change or "passengers" in change else day["prices"]["economy"]
    name, arguments = _booking(user, [flight], [(card, fare + price)])
    worlds = played(pair, [(name, {**arguments, **change})])
    assert (worlds.refused, worlds.corrected_refused) == ([False], [True])
    booked = row(pair, worlds.official, "reservations", "HATHAT")
    assert {key: booked[key] for key in change} == change


def test_values_stored_raw(pair: EnginePair, database: Database) -> None:
    user, card = _user(database, "credit_card")
    reservation_id = user["reservations"][0]
    before = database["reservations"][reservation_id]
    bags = {"total_baggages": "three", "nonfree_baggages": before["nonfree_baggages"], "payment_id": card}
    people = ["x"] * len(before["passengers"])
    calls = [
        ("update_reservation_baggages", {"reservation_id": reservation_id, **bags}),
        ("update_reservation_passengers", {"reservation_id": reservation_id, "passengers": people}),
        (
            "update_reservation_flights",
            {"reservation_id": reservation_id, "cabin": "first", "flights": [], "payment_id": card},
        ),
        ("cancel_reservation", {"reservation_id": reservation_id}),
    ]
    worlds = played(pair, calls)
    assert (worlds.refused, worlds.corrected_refused) == ([False] * 4, [True, True, True, False])
    stored = row(pair, worlds.official, "reservations", reservation_id)
    assert (stored["total_baggages"], stored["passengers"], stored["cabin"]) == ("three", people, "first")
    restored = type(worlds.official).restore(worlds.official.base, worlds.official.snapshot())
    assert row(pair, restored, "reservations", reservation_id) == stored


def _flight(number: str, route: str, times: tuple[str, str], dates: tuple[str, ...]) -> dict[str, Any]:
    counts = {"basic_economy": 5, "economy": 5, "business": 5}
    return {
        "flight_number": number,
        "origin": route[:3],
        "destination": route[3:],
        "scheduled_departure_time_est": times[0],
        "scheduled_arrival_time_est": times[1],
        "dates": {date: {"status": "available", "available_seats": counts, "prices": counts} for date in dates},
    }


@pytest.mark.parametrize(
    ("date", "next_date", "found"),
    [("2024-05-05", "2024-05-06", False), ("2024-05-31", "2024-06-01", False), ("2024-05-10", "2024-05-11", True)],
)
def test_onward_date_in_may(date: str, next_date: str, found: bool) -> None:
    # The official database sells no seats early in May; one that a task file brings can.
    flights = [
        _flight("HAT001", "SFODEN", ("22:00:00", "01:00:00+1"), (date,)),
        _flight("HAT002", "DENJFK", ("06:00:00", "12:00:00"), (next_date,)),
    ]
    pair = airline_pair_of({"flights": {one["flight_number"]: one for one in flights}, "users": {}, "reservations": {}})
    search = {"origin": "SFO", "destination": "JFK", "date": date}
    worlds = played(pair, [("search_onestop_flight", search)])
    outcome = pair.call("search_onestop_flight", search)
    assert [len(json.loads(text)) for text in (outcome.upstream, outcome.ours)] == [int(found)] * 2
    (right,) = json.loads(worlds.corrected_outcomes[0].content)
    assert [leg["date"] for leg in right] == [date, next_date]


def test_any_airport(pair: EnginePair) -> None:
    search = {"origin": None, "destination": "JFK", "date": "2024-05-20"}
    worlds = played(pair, [("search_direct_flight", search)])
    assert (worlds.refused, worlds.corrected_refused) == ([False], [True])
    found = json.loads(pair.call("search_direct_flight", search).ours)
    assert len({flight["origin"] for flight in found}) > 2 and {flight["destination"] for flight in found} == {"JFK"}
