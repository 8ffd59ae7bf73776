"""Guards that look at the world: each lets its near miss pass and catches its breach."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_cli.api.domain import GuardContext
from eigen_cli.api.tasks import Action

CARD = "credit_card_1111111"
THERE, BACK = {"flight_number": "HRN001", "date": "2024-05-20"}, {"flight_number": "HRN002", "date": "2024-05-22"}
LATER = {"flight_number": "HRN001", "date": "2024-05-21"}
PERSON = {"first_name": "Ada", "last_name": "Moss", "dob": "1988-02-14"}


def broken(desk: Any, name: str, arguments: dict[str, Any], *, earlier: tuple[Action, ...] = ()) -> set[str]:
    """Return the clauses a call breaks, judged without a dialogue."""
    domain = desk.toolbox.domain
    context = GuardContext(desk.world, "agent", name, arguments, None, earlier)
    return {
        clause.id
        for clause in domain.clauses
        if clause.guard is not None and (not clause.tools or name in clause.tools) and clause.guard(context) is not None
    }


def booking(**changes: Any) -> dict[str, Any]:
    """A round trip in economy of a silver member: 2 free bags for one passenger."""
    arguments: dict[str, Any] = {
        "user_id": "ada_moss_1234",
        "origin": "DEN",
        "destination": "ORD",
        "flight_type": "round_trip",
        "cabin": "economy",
        "flights": [THERE, BACK],
        "passengers": [PERSON],
        "payment_methods": [{"payment_id": CARD, "amount": 200}],
        "total_baggages": 2,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    return {**arguments, **changes}


def pay(*keys: str) -> list[dict[str, Any]]:
    return [{"payment_id": key, "amount": 10} for key in keys]


@pytest.mark.parametrize(
    ("changes", "clauses"),
    [
        ({}, set()),
        ({"flight_type": "one_way"}, {"3.1"}),
        ({"flights": [THERE]}, {"3.1"}),
        ({"flights": [THERE], "flight_type": "one_way"}, set()),
        ({"flights": [BACK, THERE]}, {"3.1"}),
        ({"destination": "BOS"}, {"3.1"}),
        ({"flights": [{**THERE, "date": "2024-05-23"}, BACK]}, {"3.1"}),
        ({"passengers": [PERSON] * 5, "total_baggages": 0}, set()),
        ({"passengers": [PERSON] * 6, "total_baggages": 0}, {"3.2"}),
        ({"payment_methods": pay("certificate_5555555", CARD, "gift_card_3333333", "gift_card_4444444")}, set()),
        ({"payment_methods": pay("certificate_5555555", "certificate_6666666")}, {"4.1"}),
        ({"payment_methods": pay(CARD, "credit_card_2222222")}, {"4.1"}),
        ({"payment_methods": pay(CARD, CARD)}, set()),
        ({"total_baggages": 3, "nonfree_baggages": 1}, set()),
        ({"total_baggages": 3, "nonfree_baggages": 0}, {"5.1"}),
        ({"total_baggages": 2, "nonfree_baggages": 1}, {"5.1"}),
        ({"cabin": "basic_economy", "total_baggages": 2, "nonfree_baggages": 1}, set()),
        ({"cabin": "business", "total_baggages": 3}, set()),
        ({"cabin": "business", "total_baggages": 4}, {"5.1"}),
        ({"user_id": "bob_kerr_5678"}, {"5.1"}),
        # As models write arguments: lists as JSON text, numbers as text.
        ({"passengers": '[{"first_name":"Ada"}]', "total_baggages": "3", "nonfree_baggages": "1"}, set()),
        ({"flights": '[{"flight_number":"HRN001","date":"2024-05-20"}]'}, {"3.1"}),
        # What does not exist is for the tool to refuse.
        ({"user_id": "nobody_here_1"}, set()),
        ({"flights": [{"flight_number": "HRN404", "date": "2024-05-20"}]}, set()),
        ({"flights": "soon"}, set()),
        ({"cabin": "first", "payment_methods": ["cash"], "passengers": "two", "total_baggages": None}, set()),
    ],
)
def test_booking(desk: Any, changes: dict[str, Any], clauses: set[str]) -> None:
    assert broken(desk, "book_reservation", booking(**changes)) == clauses


@pytest.mark.parametrize(
    ("reservation", "changes", "clauses"),
    [
        ("AAAA01", {"flights": [THERE, BACK]}, set()),
        ("AAAA01", {"flights": [LATER, BACK]}, set()),
        ("AAAA01", {"cabin": "business", "flights": [THERE, BACK]}, set()),
        ("AAAA01", {"flights": [THERE]}, {"6.2"}),
        ("AAAA01", {"flights": [{"flight_number": "HRN005", "date": "2024-05-20"}, BACK]}, {"6.2"}),
        ("AAAA01", {"flights": [THERE, BACK], "payment_id": "certificate_5555555"}, {"4.3"}),
        ("AAAA01", {"flights": [THERE, BACK], "payment_id": "credit_card_7777777"}, {"4.3"}),
        ("AAAA02", {"cabin": "basic_economy", "flights": [LATER]}, {"6.1"}),
        ("AAAA02", {"cabin": "economy", "flights": [LATER]}, {"6.1"}),
        ("AAAA02", {"cabin": "economy", "flights": [THERE]}, set()),
        ("AAAA03", {"flights": [{"flight_number": "HRN001", "date": "2024-05-12"}, BACK]}, set()),
        (
            "AAAA03",
            {"cabin": "business", "flights": [{"flight_number": "HRN001", "date": "2024-05-12"}, BACK]},
            {"6.4"},
        ),
        ("AAAA03", {"flights": [THERE, BACK]}, {"6.6"}),
        ("AAAA06", {"flights": [LATER]}, {"6.7"}),
        ("AAAA99", {"flights": [LATER]}, set()),
    ],
)
def test_changing_flights(desk: Any, reservation: str, changes: dict[str, Any], clauses: set[str]) -> None:
    arguments = {"reservation_id": reservation, "cabin": "economy", "payment_id": CARD, **changes}
    assert broken(desk, "update_reservation_flights", arguments) == clauses


@pytest.mark.parametrize(
    ("reservation", "total", "paid", "clauses"),
    [
        ("AAAA01", 4, 0, set()),  # two passengers, two free bags each
        ("AAAA01", 5, 1, set()),
        ("AAAA01", 5, 0, {"5.1"}),
        ("AAAA01", 4, 1, {"5.1"}),
        ("AAAA01", 1, 0, {"5.3"}),
        ("AAAA06", 1, 0, {"6.7"}),
        ("BBBB01", 2, 1, set()),  # a regular member: one free bag in economy
        ("BBBB01", 2, 0, {"5.1", "4.3"}),
    ],
)
def test_bags(desk: Any, reservation: str, total: int, paid: int, clauses: set[str]) -> None:
    payment = "credit_card_7777777" if (reservation, paid) == ("BBBB01", 1) else CARD
    arguments = {
        "reservation_id": reservation,
        "total_baggages": total,
        "nonfree_baggages": paid,
        "payment_id": payment,
    }
    assert broken(desk, "update_reservation_baggages", arguments) == clauses


def test_bags_paid_before_an_upgrade_stay_paid(desk: Any) -> None:
    desk.call(
        "update_reservation_baggages", reservation_id="AAAA01", total_baggages=5, nonfree_baggages=1, payment_id=CARD
    )
    desk.call(
        "update_reservation_flights", reservation_id="AAAA01", cabin="business", flights=[THERE, BACK], payment_id=CARD
    )
    arguments = {"reservation_id": "AAAA01", "total_baggages": 6, "payment_id": CARD}
    assert broken(desk, "update_reservation_baggages", {**arguments, "nonfree_baggages": 1}) == set()
    assert broken(desk, "update_reservation_baggages", {**arguments, "nonfree_baggages": 0}) == set()
    assert broken(desk, "update_reservation_baggages", {**arguments, "nonfree_baggages": 2}) == {"5.1"}


def test_passengers(desk: Any) -> None:
    def count(reservation: str, people: int) -> set[str]:
        arguments = {"reservation_id": reservation, "passengers": [PERSON] * people}
        return broken(desk, "update_reservation_passengers", arguments)

    assert count("AAAA01", 2) == set()
    assert count("AAAA01", 3) == {"6.5"}
    assert count("AAAA01", 1) == {"6.5"}
    assert count("AAAA06", 1) == {"6.7"}


@pytest.mark.parametrize(
    ("reservation", "clauses"),
    [
        ("AAAA01", {"7.3"}),
        ("AAAA02", {"7.3"}),
        ("AAAA03", {"7.2", "7.3"}),
        ("AAAA04", set()),  # we cancelled its flight
        ("AAAA06", {"6.7", "7.3"}),
        ("BBBB01", set()),  # insured; the reason is not for records to know
        ("BBBB02", set()),  # booked 23 hours ago
        ("AAAA99", set()),
    ],
)
def test_cancelling(desk: Any, reservation: str, clauses: set[str]) -> None:
    assert broken(desk, "cancel_reservation", {"reservation_id": reservation}) == clauses


def test_business_can_be_cancelled(desk: Any) -> None:
    desk.call(
        "update_reservation_flights", reservation_id="AAAA01", cabin="business", flights=[THERE, BACK], payment_id=CARD
    )
    assert broken(desk, "cancel_reservation", {"reservation_id": "AAAA01"}) == set()


def test_compensation(desk: Any) -> None:
    def sent(user: str, amount: Any, *earlier: Action) -> set[str]:
        return broken(desk, "send_certificate", {"user_id": user, "amount": amount}, earlier=earlier)

    # AAAA04: a cancelled flight, two passengers. AAAA05: a delayed one, one passenger.
    ada, bob = "ada_moss_1234", "bob_kerr_5678"
    assert sent(ada, 200) == set()
    assert sent(ada, "200") == set()
    assert sent(ada, 100) == {"8.3"}
    assert sent(ada, 50) == {"8.4"}
    cancelled = Action("cancel_reservation", {"reservation_id": "AAAA05"})
    assert sent(ada, 50, cancelled) == set()
    assert sent(ada, 50, Action("cancel_reservation", {"reservation_id": "AAAA01"})) == {"8.4"}
    assert sent(ada, 200, Action("send_certificate", {"user_id": ada, "amount": 200})) == {"8.5"}
    # Bob is a regular member, and BBBB02, whose flight was cancelled, is neither insured nor in business.
    assert sent(bob, 100) == {"8.2"}
    assert sent("nobody_here_1", 100) == set()


def test_insurance_on_the_troubled_reservation_entitles(desk: Any) -> None:
    off = {"flight_number": "HRN001", "date": "2024-05-19"}
    insured = desk.world.patched(
        (
            _patch(desk, "BBBB02", insurance="yes"),
            _patch(desk, "BBBB01", flights=[{**off, "origin": "DEN", "destination": "ORD", "price": 90}]),
        )
    )
    context = GuardContext(insured, "agent", "send_certificate", {"user_id": "bob_kerr_5678", "amount": 100}, None, ())
    guards = [clause for clause in desk.toolbox.domain.clauses if clause.id in ("8.2", "8.3", "8.4", "8.5")]
    assert [clause.guard(context) for clause in guards if clause.guard] == [None] * 4


def _patch(desk: Any, reservation: str, **changes: Any) -> Any:
    from eigen_airline.records import Reservation
    from eigen_cli.api.record import to_json
    from eigen_cli.api.tasks import RecordPatch

    record = to_json(desk.world.table(Reservation).get(reservation))
    return RecordPatch("reservations", reservation, {**record, **changes})
