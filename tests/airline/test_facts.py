"""Fact kinds and wordings: questions are recognised, values are found, ordinary words are not."""

from __future__ import annotations

import datetime
import re

import pytest

from eigen_airline import wording
from eigen_airline.facts import FACT_KINDS
from eigen_airline.records import Passenger

KINDS = {kind.name: kind for kind in FACT_KINDS}


def asked(text: str) -> set[str]:
    return {kind.name for kind in FACT_KINDS if any(re.search(ask, text) for ask in kind.asks)}


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_kind_recognises_its_own_questions(name: str) -> None:
    kind = KINDS[name]
    assert all(name in asked(question) for question in kind.question)
    assert len(kind.says) >= 3


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Sure! To get started, could you please provide me with your user ID?", {"user_id"}),
        ("I can help with that. What's the reservation number?", {"reservation_id"}),
        ("Please share the booking reference so I can look it up.", {"reservation_id"}),
        ("What is your departure city and destination?", {"origin", "destination"}),
        (
            "Please tell me:\n1. Where you are flying from\n2. Where you want to go\n3. The travel date",
            {"origin", "destination"},
        ),
        ("On what date would you like to travel?", {"departure_date"}),
        ("Will this be a one-way or round-trip flight?", {"trip_type"}),
        ("Which cabin class do you prefer?", {"cabin"}),
        ("Could you provide the full names and dates of birth of all passengers?", {"passengers"}),
        ("How many checked bags would you like to bring?", {"bags", "extra_bags"}),
        ("Would you like to add travel insurance for $30 per passenger?", {"insurance"}),
        ("How would you like to pay for this?", {"payment"}),
        ("Could you tell me the reason for the cancellation?", {"cancel_reason"}),
        ("I couldn't find that reservation. Could you double-check the number?", {"corrected_reservation_id"}),
        ("Your gift card balance is insufficient. Do you have another payment method?", {"other_payment"}),
        ("Unfortunately that flight is sold out in economy. Would you like an alternative?", {"fallback"}),
        ("Is it the outbound or the return flight that you'd like to change?", {"change_scope"}),
    ],
)
def test_questions_of_models_are_recognised(question: str, kinds: set[str]) -> None:
    assert kinds <= asked(question)


@pytest.mark.parametrize(
    "statement",
    [
        "Your reservation has been cancelled.",
        "I have booked the trip for you.",
        "Thank you, Ada.",
        "The refund goes back within 5 to 7 business days.",
    ],
)
def test_statements_are_no_questions(statement: str) -> None:
    assert asked(statement) == set()


def test_questions_do_not_ask_for_everything_else() -> None:
    assert asked("May I have your user id, please?") == {"user_id"}
    assert asked("What is the reservation id, please?") == {"reservation_id"}
    assert "departure_date" not in asked("May I have the passengers' names and dates of birth?")
    assert "departure_date" not in asked("When do you want to come back?")
    assert "payment" not in asked("Is there another payment method?")
    assert "destination" not in asked("Which card or gift card should this go to?")
    assert "passengers" not in asked("Should I add travel insurance for 30 dollars a passenger?")


ORDINARY = (
    "PLEASE help me, I NEED to cancel. Las Vegas and San Diego are nice in May, and I may bring 2 bags on my 3rd trip; "
    "the den was closed at 12:30, gate B12, zip 80201, born 1988-02-14, seat 22A, COVID19 test, it cost 250 or so. "
    "My credit card is a visa. Economy is fine, business is not. Call me on 555-0100."
)


@pytest.mark.parametrize("name", sorted(kind.name for kind in FACT_KINDS if kind.pattern))
def test_patterns_do_not_match_ordinary_words(name: str) -> None:
    pattern = KINDS[name].pattern or ""
    # With and without regard to case: simulated actors search without.
    assert re.findall(pattern, ORDINARY.replace("COVID19 ", "")) == []
    assert re.findall(pattern, ORDINARY.replace("COVID19 ", ""), re.IGNORECASE) == []


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("user_id", "It's ada_moss_1234.", ["ada_moss_1234"]),
        ("reservation_id", "K4TQ2Z and 12Q87S, on HRN123", ["K4TQ2Z", "12Q87S"]),
        ("flights_wanted", "HRN001 and HRN002, please", ["HRN001 and HRN002"]),
        ("flight_number", "flight HRN123 it is", ["HRN123"]),
        ("payment", "Use certificate_1234567, gift_card_2345678 first", ["certificate_1234567, gift_card_2345678"]),
        ("departure_date", "May 22 or 2024-05-23", ["May 22", "2024-05-23"]),
        ("departure_date", "on May 22nd, 2024", ["May 22"]),
        ("return_date", "Out on May 20 and back on May 22.", ["May 22"]),
        ("origin", "DEN to BOS", ["DEN", "BOS"]),
        (
            "passengers",
            "Ada Moss (1988-02-14), Ian Moss (1990-11-03).",
            ["Ada Moss (1988-02-14), Ian Moss (1990-11-03)"],
        ),
        ("demand", "I want $1,450.", ["$1,450"]),
    ],
)
def test_patterns_find_values(name: str, text: str, values: list[str]) -> None:
    pattern = re.compile(KINDS[name].pattern or "")
    assert [match[1] if pattern.groups else match[0] for match in pattern.finditer(text)] == values


def test_dates_are_read_back() -> None:
    date = datetime.date(2024, 5, 22)
    assert wording.say_date(date) == "May 22"
    for text in ("May 22", "on May 22nd", "2024-05-22", "the 22nd of May", "22 May 2024"):
        assert wording.dates(text) == [date], text
    assert wording.dates("born 1988-05-22, in May, 31 bags, May 40") == []


def test_passengers_are_read_back() -> None:
    party = [
        Passenger("Ada", "Moss", datetime.date(1988, 2, 14)),
        Passenger("Ian", "O'Neil", datetime.date(1990, 11, 3)),
    ]
    read = [
        {"first_name": "Ada", "last_name": "Moss", "dob": "1988-02-14"},
        {"first_name": "Ian", "last_name": "O'Neil", "dob": "1990-11-03"},
    ]
    assert wording.passengers(wording.say_passengers(party)) == read
    assert wording.passengers("Ada Moss, born 1988-02-14, and Ian O'Neil, 1990-11-03") == read


def test_small_readers() -> None:
    assert wording.cabin("Basic Economy, please") == "basic_economy"
    assert wording.cabin("economy") == "economy"
    assert wording.cabin("in Business class") == "business"
    assert wording.cabin("the cheapest") is None
    assert wording.trip_type("it's a round trip") == "round_trip"
    assert wording.trip_type("one-way") == "one_way"
    assert wording.number("two more, please") == 2
    assert wording.number("I have 3 bags") == 3
    assert wording.number("none at all") == 0
    assert wording.number("some") is None
    assert wording.airports("from Denver to BOS via Salt Lake City") == ["DEN", "BOS", "SLC"]
    assert wording.flight_numbers("HRN001 and HRN02") == ["HRN001"]


def test_payments_are_read_by_id_or_last_digits() -> None:
    methods = {
        "credit_card_1111111": {"id": "credit_card_1111111", "source": "credit_card", "last_four": "4242"},
        "gift_card_3333333": {"id": "gift_card_3333333", "source": "gift_card", "amount": 80},
    }
    assert wording.payments("my visa ending in 4242", methods) == ["credit_card_1111111"]
    assert wording.payments("gift_card_3333333, then the card that ends in 4242", methods) == [
        "gift_card_3333333",
        "credit_card_1111111",
    ]
    assert wording.payments("the one ending in 9999", methods) == []
    assert wording.payments("credit_card_7654321", methods) == ["credit_card_7654321"]
