"""book_reservation and send_certificate: what they change, to the dollar and the seat."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_airline.records import FlightDay, Reservation, User
from eigen_cli.api.record import to_json

ADA = {"first_name": "Ada", "last_name": "Moss", "dob": "1988-02-14"}
IAN = {"first_name": "Ian", "last_name": "Moss", "dob": "1990-11-03"}


def booking(**changes: Any) -> dict[str, Any]:
    """Two passengers DEN to ORD and back in economy: 4 x 100, insured 2 x 30, one paid bag 50: 510 dollars."""
    arguments: dict[str, Any] = {
        "user_id": "ada_moss_1234",
        "origin": "DEN",
        "destination": "ORD",
        "flight_type": "round_trip",
        "cabin": "economy",
        "flights": [
            {"flight_number": "HRN001", "date": "2024-05-20"},
            {"flight_number": "HRN002", "date": "2024-05-22"},
        ],
        "passengers": [ADA, IAN],
        "payment_methods": [{"payment_id": "credit_card_1111111", "amount": 510}],
        "total_baggages": 5,
        "nonfree_baggages": 1,
        "insurance": "yes",
    }
    return {**arguments, **changes}


def paid(*payments: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"payment_id": key, "amount": amount} for key, amount in payments]


def balances(desk: Any) -> dict[str, Any]:
    methods = to_json(desk.world.table(User).get("ada_moss_1234"))["payment_methods"]
    return {key: method["amount"] for key, method in methods.items() if "amount" in method}


def seats(desk: Any, key: str) -> Any:
    return to_json(desk.world.table(FlightDay).get(key).available_seats)


def test_a_booking_is_recorded_whole(desk: Any) -> None:
    made = desk.call("book_reservation", **booking())
    key = made["reservation_id"]
    assert made == {
        "reservation_id": key,
        "user_id": "ada_moss_1234",
        "origin": "DEN",
        "destination": "ORD",
        "flight_type": "round_trip",
        "cabin": "economy",
        "flights": [
            {"flight_number": "HRN001", "origin": "DEN", "destination": "ORD", "date": "2024-05-20", "price": 100},
            {"flight_number": "HRN002", "origin": "ORD", "destination": "DEN", "date": "2024-05-22", "price": 100},
        ],
        "passengers": [ADA, IAN],
        "payment_history": [{"payment_id": "credit_card_1111111", "amount": 510}],
        "created_at": "2024-05-15T15:00:00",
        "total_baggages": 5,
        "nonfree_baggages": 1,
        "insurance": "yes",
        "status": None,
    }
    assert desk.call("get_reservation_details", reservation_id=key) == made
    assert desk.call("get_user_details", user_id="ada_moss_1234")["reservations"][-1] == key
    assert seats(desk, "HRN001 2024-05-20") == {"basic_economy": 9, "economy": 7, "business": 2}
    assert seats(desk, "HRN002 2024-05-22") == {"basic_economy": 9, "economy": 7, "business": 2}
    assert seats(desk, "HRN001 2024-05-22") == {"basic_economy": 9, "economy": 9, "business": 2}
    assert balances(desk) == {
        "gift_card_3333333": 80,
        "gift_card_4444444": 500,
        "certificate_5555555": 150,
        "certificate_6666666": 40,
    }


def test_gift_cards_keep_their_rest_and_certificates_do_not(desk: Any) -> None:
    split = paid(("certificate_5555555", 100), ("gift_card_4444444", 300), ("credit_card_1111111", 110))
    made = desk.call("book_reservation", **booking(payment_methods=split))
    assert made["payment_history"] == split
    assert balances(desk) == {"gift_card_3333333": 80, "gift_card_4444444": 200, "certificate_6666666": 40}


def test_new_ids_are_new_and_look_like_ids(desk: Any) -> None:
    one_way = booking(
        flight_type="one_way",
        flights=[{"flight_number": "HRN001", "date": "2024-05-21"}],
        passengers=[ADA],
        payment_methods=paid(("credit_card_1111111", 100)),
        total_baggages=0,
        nonfree_baggages=0,
        insurance="no",
    )
    ids = [desk.call("book_reservation", **one_way)["reservation_id"] for _ in range(9)]
    assert len(set(ids)) == 9
    for key in ids:
        assert len(key) == 6 and key[0] == "Q" and key.isalnum() and key.upper() == key and key[-1].isdigit()
    assert seats(desk, "HRN001 2024-05-21")["economy"] == 0
    refusal = desk.refused("book_reservation", **one_way)
    assert "HRN001" in refusal and "economy" in refusal


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"user_id": "ada_moss_9999"}, ("ada_moss_9999", "not found")),
        ({"flights": [{"flight_number": "HRN777", "date": "2024-05-20"}]}, ("HRN777", "not found")),
        ({"flights": [{"flight_number": "HRN001", "date": "2024-07-20"}]}, ("HRN001", "2024-07-20")),
        ({"flights": [{"flight_number": "HRN001", "date": "2024-05-19"}]}, ("HRN001", "cancelled")),
        ({"flights": [{"flight_number": "HRN005", "date": "2024-05-15"}]}, ("HRN005", "delayed")),
        ({"flights": [{"flight_number": "HRN003", "date": "2024-05-20"}]}, ("HRN003", "too few economy seats")),
        ({"cabin": "business", "passengers": [ADA, IAN, IAN]}, ("HRN001", "business")),
        ({"cabin": "first"}, ("cabin",)),
        ({"insurance": "maybe"}, ("insurance",)),
        ({"payment_methods": paid(("credit_card_1111111", 500))}, ("510", "500")),
        ({"payment_methods": paid(("credit_card_9999999", 510))}, ("credit_card_9999999", "profile")),
        ({"payment_methods": paid(("gift_card_4444444", 510))}, ("gift_card_4444444", "500", "510")),
        ({"payment_methods": paid(("certificate_6666666", 60), ("credit_card_1111111", 450))}, ("40", "60")),
        # Twice the same card is charged the sum, and there is no money to be made of negative amounts.
        ({"payment_methods": paid(("gift_card_4444444", 255), ("gift_card_4444444", 255))}, ("500", "510")),
        ({"payment_methods": paid(("credit_card_1111111", 610), ("gift_card_4444444", -100))}, ("negative",)),
        ({"nonfree_baggages": -1}, ("nonfree_baggages",)),
        ({"nonfree_baggages": 6}, ("nonfree_baggages",)),
        ({"flights": []}, ("at least one flight",)),
        ({"passengers": []}, ("at least one flight and one passenger",)),
        ({"passengers": [{"first_name": "Ada"}]}, ("last_name",)),
    ],
)
def test_a_refused_booking_changes_nothing(desk: Any, changes: dict[str, Any], words: tuple[str, ...]) -> None:
    before = desk.world.state_hash()
    refusal = desk.refused("book_reservation", **booking(**changes))
    assert all(word in refusal for word in words), refusal
    assert desk.world.state_hash() == before


def test_certificates_are_added(desk: Any) -> None:
    text = desk.call("send_certificate", user_id="ada_moss_1234", amount=200)
    added = [key for key in balances(desk) if key not in ("certificate_5555555", "certificate_6666666")]
    (certificate,) = [key for key in added if key.startswith("certificate_")]
    assert certificate in text and "200" in text and balances(desk)[certificate] == 200
    desk.call("send_certificate", user_id="ada_moss_1234", amount=50)
    assert sorted(amount for key, amount in balances(desk).items() if key.startswith("certificate_")) == [
        40,
        50,
        150,
        200,
    ]
    # A certificate that was sent pays like any other.
    desk.call(
        "book_reservation",
        **booking(payment_methods=paid((certificate, 200), ("credit_card_1111111", 310))),
    )
    assert certificate not in balances(desk)


def test_certificates_need_a_customer_and_a_positive_amount(desk: Any) -> None:
    assert "not found" in desk.refused("send_certificate", user_id="ada_moss_9999", amount=100)
    assert "above zero" in desk.refused("send_certificate", user_id="ada_moss_1234", amount=0)
    assert "above zero" in desk.refused("send_certificate", user_id="ada_moss_1234", amount=-50)
    assert "amount" in desk.refused("send_certificate", user_id="ada_moss_1234", amount="a lot")


def test_reservations_table_grows_by_one(desk: Any) -> None:
    before = len(desk.world.table(Reservation))
    desk.call("book_reservation", **booking())
    assert len(desk.world.table(Reservation)) == before + 1
    assert {(change.table, change.kind) for change in desk.changes} == {
        ("reservations", "added"),
        ("users", "changed"),
        ("flight_days", "changed"),
    }
