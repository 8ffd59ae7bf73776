"""Reads: shapes and values of results, and what near misses get."""

from __future__ import annotations

from typing import Any


def test_profile_has_the_benchmark_shape(desk: Any) -> None:
    user = desk.call("get_user_details", user_id="ada_moss_1234")
    assert set(user) == {
        "user_id",
        "name",
        "address",
        "email",
        "dob",
        "payment_methods",
        "saved_passengers",
        "membership",
        "reservations",
    }
    assert user["dob"] == "1988-02-14"
    assert user["payment_methods"]["credit_card_1111111"] == {
        "source": "credit_card",
        "id": "credit_card_1111111",
        "brand": "visa",
        "last_four": "4242",
    }
    assert user["payment_methods"]["gift_card_3333333"] == {
        "source": "gift_card",
        "id": "gift_card_3333333",
        "amount": 80,
    }
    assert user["reservations"][0] == "AAAA01"


def test_reservation_has_the_benchmark_shape(desk: Any) -> None:
    assert desk.call("get_reservation_details", reservation_id="AAAA02") == {
        "reservation_id": "AAAA02",
        "user_id": "ada_moss_1234",
        "origin": "DEN",
        "destination": "ORD",
        "flight_type": "one_way",
        "cabin": "basic_economy",
        "flights": [
            {"flight_number": "HRN001", "origin": "DEN", "destination": "ORD", "date": "2024-05-20", "price": 90}
        ],
        "passengers": [{"first_name": "Ada", "last_name": "Moss", "dob": "1988-02-14"}],
        "payment_history": [{"payment_id": "gift_card_3333333", "amount": 90}],
        "created_at": "2024-05-01T08:00:00",
        "total_baggages": 1,
        "nonfree_baggages": 0,
        "insurance": "no",
        "status": None,
    }


def test_unknown_ids_are_named(desk: Any) -> None:
    assert "ada_moss_1235" in desk.refused("get_user_details", user_id="ada_moss_1235")
    assert "AAAA99" in desk.refused("get_reservation_details", reservation_id="AAAA99")
    assert "HRN999" in desk.refused("get_flight_status", flight_number="HRN999", date="2024-05-20")


def test_airports_are_code_and_city(desk: Any) -> None:
    airports = desk.call("list_all_airports")
    assert {"iata": "DEN", "city": "Denver"} in airports
    assert len({airport["iata"] for airport in airports}) == len(airports) == 20


def test_direct_flights_are_those_on_sale(desk: Any) -> None:
    found = desk.call("search_direct_flight", origin="DEN", destination="ORD", date="2024-05-20")
    assert [flight["flight_number"] for flight in found] == ["HRN001", "HRN003"]
    assert found[0] == {
        "flight_number": "HRN001",
        "origin": "DEN",
        "destination": "ORD",
        "status": "available",
        "scheduled_departure_time_est": "08:00:00",
        "scheduled_arrival_time_est": "09:30:00",
        "available_seats": {"basic_economy": 9, "economy": 9, "business": 2},
        "prices": {"basic_economy": 50, "economy": 100, "business": 300},
        "date": None,
    }
    cancelled = desk.call("search_direct_flight", origin="DEN", destination="ORD", date="2024-05-19")
    assert [flight["flight_number"] for flight in cancelled] == ["HRN003"]
    assert desk.call("search_direct_flight", origin="DEN", destination="ORD", date="2024-05-15") == []
    assert desk.call("search_direct_flight", origin="DEN", destination="XXX", date="2024-05-20") == []


def test_connections_change_planes_in_time(desk: Any) -> None:
    # HRN001 lands in ORD at 09:30, HRN004 leaves there at 20:00; HRN003 lands after midnight, HRN004 of the next day.
    pairs = desk.call("search_onestop_flight", origin="DEN", destination="BOS", date="2024-05-20")
    assert [(a["flight_number"], a["date"], b["flight_number"], b["date"]) for a, b in pairs] == [
        ("HRN001", "2024-05-20", "HRN004", "2024-05-20"),
        ("HRN003", "2024-05-20", "HRN004", "2024-05-21"),
    ]
    # On the last day the second one has nothing to catch.
    last = desk.call("search_onestop_flight", origin="DEN", destination="BOS", date="2024-05-25")
    assert [first["flight_number"] for first, _ in last] == ["HRN001"]


def test_flight_status(desk: Any) -> None:
    def status(number: str, date: str) -> Any:
        return desk.call("get_flight_status", flight_number=number, date=date)

    assert status("HRN001", "2024-05-19") == "cancelled"
    assert status("HRN005", "2024-05-15") == "delayed"
    assert status("HRN001", "2024-05-12") == "landed"
    assert status("HRN001", "2024-05-20") == "available"
    refusal = desk.refused("get_flight_status", flight_number="HRN001", date="2024-06-20")
    assert "HRN001" in refusal and "2024-06-20" in refusal


def test_hand_over_changes_nothing(desk: Any) -> None:
    before = desk.world
    assert desk.call("transfer_to_human_agents", summary="A lost suitcase.") == "Transfer successful"
    assert desk.world is before
