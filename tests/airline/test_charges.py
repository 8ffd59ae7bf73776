"""What a call would charge agrees with what its tool does charge."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_airline.charges import charged_by, shares_of
from eigen_airline.records import Reservation
from eigen_cli.api.domain import GuardContext

CARD, GIFT = "credit_card_1111111", "gift_card_4444444"
ADA = {"first_name": "Ada", "last_name": "Moss", "dob": "1988-02-14"}
THERE, BACK = {"flight_number": "HRN001", "date": "2024-05-20"}, {"flight_number": "HRN002", "date": "2024-05-22"}
BOOKED: dict[str, Any] = {
    "user_id": "ada_moss_1234",
    "origin": "DEN",
    "destination": "ORD",
    "flight_type": "one_way",
    "cabin": "economy",
    "flights": [THERE],
    "passengers": [ADA],
    "payment_methods": [{"payment_id": CARD, "amount": 130}, {"payment_id": GIFT, "amount": 50}],
    "total_baggages": 3,
    "nonfree_baggages": 1,
    "insurance": "yes",
}
CHANGED = {"reservation_id": "AAAA01", "cabin": "economy", "flights": [THERE, BACK], "payment_id": CARD}


def context(desk: Any, name: str, arguments: dict[str, Any]) -> GuardContext:
    return GuardContext(desk.world, "agent", name, arguments, None, ())


def paid(desk: Any, key: str) -> Any:
    reservation = desk.world.table(Reservation).get(key)
    return sum(payment.amount for payment in reservation.payment_history)


@pytest.mark.parametrize(
    ("name", "arguments", "charge"),
    [
        ("update_reservation_flights", CHANGED, 0),
        ("update_reservation_flights", {**CHANGED, "cabin": "business"}, 800),
        ("update_reservation_flights", {**CHANGED, "cabin": "basic_economy"}, -200),
        ("update_reservation_flights", {**CHANGED, "flights": [{**THERE, "date": "2024-05-21"}, BACK]}, 20),
        ("update_reservation_flights", {**CHANGED, "flights": [THERE, {**BACK, "date": "2024-05-23"}]}, -20),
        ("update_reservation_baggages", {"total_baggages": 7, "nonfree_baggages": 3, "payment_id": CARD}, 150),
        ("update_reservation_baggages", {"total_baggages": 3, "nonfree_baggages": 0, "payment_id": GIFT}, 0),
        ("cancel_reservation", {}, -400),
    ],
)
def test_changes(desk: Any, name: str, arguments: dict[str, Any], charge: int) -> None:
    arguments = {"reservation_id": "AAAA01", **arguments}
    before = paid(desk, "AAAA01")
    foreseen = charged_by(context(desk, name, arguments))
    desk.call(name, **arguments)
    assert paid(desk, "AAAA01") - before == charge
    assert foreseen == abs(charge)


def test_bags_paid_before_are_not_charged_again(desk: Any) -> None:
    added = {"reservation_id": "AAAA01", "total_baggages": 7, "nonfree_baggages": 3, "payment_id": CARD}
    desk.call("update_reservation_baggages", **added)
    more = context(desk, "update_reservation_baggages", {**added, "total_baggages": "8", "nonfree_baggages": "4"})
    assert charged_by(more) == 50 and shares_of(more) == {CARD: 50}


def test_bookings_and_certificates(desk: Any) -> None:
    booked = context(desk, "book_reservation", BOOKED)
    assert charged_by(booked) == 180 and shares_of(booked) == {CARD: 130, GIFT: 50}
    twice = {
        **BOOKED,
        "payment_methods": f'[{{"payment_id": "{CARD}", "amount": 100}}, {{"payment_id": "{CARD}", "amount": "80"}}]',
    }
    assert shares_of(context(desk, "book_reservation", twice)) == {CARD: 180}
    assert paid(desk, desk.call("book_reservation", **BOOKED)["reservation_id"]) == 180
    assert charged_by(context(desk, "send_certificate", {"user_id": "ada_moss_1234", "amount": 100})) == 100


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_user_details", {"user_id": "ada_moss_1234"}),
        ("update_reservation_passengers", {"reservation_id": "AAAA01", "passengers": [ADA]}),
        ("update_reservation_flights", {**CHANGED, "reservation_id": "ZZZZ99"}),
        ("update_reservation_flights", {**CHANGED, "cabin": "first"}),
        ("update_reservation_flights", {**CHANGED, "flights": [{**THERE, "flight_number": "HRN777"}]}),
        ("update_reservation_flights", {**CHANGED, "flights": "none"}),
        ("update_reservation_baggages", {"reservation_id": "AAAA01", "nonfree_baggages": "few"}),
        ("cancel_reservation", {"reservation_id": "ZZZZ99"}),
        ("cancel_reservation", {"reservation_id": "AAAA06"}),
        ("book_reservation", {"payment_methods": [{"payment_id": CARD, "amount": "all"}, 7]}),
        ("send_certificate", {"amount": "some"}),
    ],
)
def test_what_moves_no_money_or_cannot_be_read_comes_to_nothing(
    desk: Any, name: str, arguments: dict[str, Any]
) -> None:
    assert charged_by(context(desk, name, arguments)) == 0
