"""Cancelling and changing: payments, balances and what stays as it was."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_airline.records import FlightDay, User
from eigen_cli.api.record import to_json

THERE, BACK = {"flight_number": "HRN001", "date": "2024-05-20"}, {"flight_number": "HRN002", "date": "2024-05-22"}
CARD = "credit_card_1111111"


def balance(desk: Any, key: str) -> Any:
    return to_json(desk.world.table(User).get("ada_moss_1234"))["payment_methods"][key]["amount"]


def entries(reservation: Any) -> list[tuple[str, int]]:
    return [(payment["payment_id"], payment["amount"]) for payment in reservation["payment_history"]]


def test_cancelling_notes_every_payment_as_given_back(desk: Any) -> None:
    before = desk.world.table(FlightDay).get("HRN001 2024-05-20")
    done = desk.call("cancel_reservation", reservation_id="AAAA02")
    assert done["status"] == "cancelled"
    assert entries(done) == [("gift_card_3333333", 90), ("gift_card_3333333", -90)]
    # As in the benchmark: neither the balance nor the seats move.
    assert balance(desk, "gift_card_3333333") == 80
    assert desk.world.table(FlightDay).get("HRN001 2024-05-20") == before
    assert [change.table for change in desk.changes] == ["reservations"]


def test_cancelling_needs_a_reservation(desk: Any) -> None:
    assert "AAAA99" in desk.refused("cancel_reservation", reservation_id="AAAA99")


def test_a_kept_segment_keeps_its_fare(desk: Any) -> None:
    # Out stays at 90 although it costs 100 today; back moves from 110 to 100, two passengers.
    moved = {"flight_number": "HRN002", "date": "2024-05-23"}
    done = desk.call(
        "update_reservation_flights", reservation_id="AAAA01", cabin="economy", flights=[THERE, moved], payment_id=CARD
    )
    assert [(flight["date"], flight["price"]) for flight in done["flights"]] == [
        ("2024-05-20", 90),
        ("2024-05-23", 100),
    ]
    assert entries(done) == [(CARD, 400), (CARD, -20)]


def test_another_cabin_reprices_every_segment(desk: Any) -> None:
    done = desk.call(
        "update_reservation_flights",
        reservation_id="AAAA01",
        cabin="business",
        flights=[THERE, BACK],
        payment_id="credit_card_2222222",
    )
    assert done["cabin"] == "business"
    assert [flight["price"] for flight in done["flights"]] == [300, 300]
    assert entries(done) == [(CARD, 400), ("credit_card_2222222", 800)]
    # As in the benchmark, a change takes no seats.
    assert desk.world.table(FlightDay).get("HRN001 2024-05-20").available_seats.business == 2


def test_gift_cards_pay_and_are_paid_back(desk: Any) -> None:
    def cabin(name: str) -> Any:
        return desk.call(
            "update_reservation_flights",
            reservation_id="AAAA02",
            cabin=name,
            flights=[THERE],
            payment_id="gift_card_4444444",
        )

    assert entries(cabin("business"))[-1] == ("gift_card_4444444", 210)
    assert balance(desk, "gift_card_4444444") == 290
    assert entries(cabin("economy"))[-1] == ("gift_card_4444444", -200)
    assert balance(desk, "gift_card_4444444") == 490


def test_no_difference_no_payment(desk: Any) -> None:
    done = desk.call(
        "update_reservation_flights", reservation_id="AAAA01", cabin="economy", flights=[THERE, BACK], payment_id=CARD
    )
    assert entries(done) == [(CARD, 400)]
    assert desk.changes == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reservation_id": "AAAA99"}, ("AAAA99",)),
        ({"payment_id": "certificate_5555555"}, ("certificate", "cannot")),
        ({"payment_id": "credit_card_7777777"}, ("credit_card_7777777", "profile")),
        ({"payment_id": "gift_card_3333333", "cabin": "business"}, ("gift_card_3333333", "80", "800")),
        ({"flights": [{"flight_number": "HRN001", "date": "2024-05-19"}]}, ("HRN001", "cancelled")),
        ({"flights": [{"flight_number": "HRN003", "date": "2024-05-20"}]}, ("HRN003", "too few economy seats")),
        ({"flights": [{"flight_number": "HRN404", "date": "2024-05-20"}]}, ("HRN404",)),
        ({"flights": []}, ("at least one flight",)),
        ({"flights": [{"flight_number": "HRN001"}]}, ("date",)),
    ],
)
def test_a_refused_change_changes_nothing(desk: Any, changes: dict[str, Any], words: tuple[str, ...]) -> None:
    arguments = {"reservation_id": "AAAA01", "cabin": "economy", "flights": [THERE, BACK], "payment_id": CARD}
    refusal = desk.refused("update_reservation_flights", **{**arguments, **changes})
    assert all(word in refusal for word in words), refusal


def test_bags_cost_fifty_dollars_each(desk: Any) -> None:
    done = desk.call(
        "update_reservation_baggages",
        reservation_id="AAAA01",
        total_baggages=6,
        nonfree_baggages=2,
        payment_id="gift_card_4444444",
    )
    assert (done["total_baggages"], done["nonfree_baggages"]) == (6, 2)
    assert entries(done) == [(CARD, 400), ("gift_card_4444444", 100)]
    assert balance(desk, "gift_card_4444444") == 400
    # Fewer paid bags give nothing back.
    done = desk.call(
        "update_reservation_baggages", reservation_id="AAAA01", total_baggages=6, nonfree_baggages=0, payment_id=CARD
    )
    assert entries(done) == [(CARD, 400), ("gift_card_4444444", 100)]


@pytest.mark.parametrize(
    ("total", "paid", "payment_id", "words"),
    [
        (4, 2, "gift_card_3333333", ("80", "100")),
        (4, 0, "certificate_5555555", ("certificate", "cannot")),
        (4, 0, "credit_card_7777777", ("credit_card_7777777",)),
        (1, 2, CARD, ("nonfree_baggages",)),
        (-1, 0, CARD, ("nonfree_baggages",)),
    ],
)
def test_refused_bags(desk: Any, total: int, paid: int, payment_id: str, words: tuple[str, ...]) -> None:
    refusal = desk.refused(
        "update_reservation_baggages",
        reservation_id="AAAA01",
        total_baggages=total,
        nonfree_baggages=paid,
        payment_id=payment_id,
    )
    assert all(word in refusal for word in words), refusal


def test_passengers_are_replaced_but_not_counted_anew(desk: Any) -> None:
    ada = {"first_name": "Ada", "last_name": "Moss", "dob": "1988-02-14"}
    eve = {"first_name": "Eve", "last_name": "Pell", "dob": "2001-01-31"}
    done = desk.call("update_reservation_passengers", reservation_id="AAAA01", passengers=[ada, eve])
    assert done["passengers"] == [ada, eve]
    assert done["payment_history"] == [{"payment_id": CARD, "amount": 400}]
    for wrong in ([ada], [ada, eve, eve]):
        refusal = desk.refused("update_reservation_passengers", reservation_id="AAAA01", passengers=wrong)
        assert "2 passengers" in refusal and str(len(wrong)) in refusal
    refusal = desk.refused(
        "update_reservation_passengers", reservation_id="AAAA01", passengers=[ada, {**eve, "dob": "31 January 2001"}]
    )
    assert "dob" in refusal
