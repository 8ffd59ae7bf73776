"""What the oracle user hears in an agent's words."""

from __future__ import annotations

import itertools

import pytest

from eigen_airline.domain import Airline
from eigen_airline.tools import AirlineTools
from eigen_cli.api.tasks import Action
from eigen_oracle.cues import asks_for_a_yes, lets_down, offers_more, tools_named
from eigen_oracle.wording import instruction, layout
from eigen_telecom.domain import Telecom
from eigen_telecom.phone_tools import PhoneTools
from eigen_telecom.tools import TelecomTools

TELECOM = Telecom()
NAMES = [name for name in dir(PhoneTools) if hasattr(getattr(PhoneTools, name), "__eigen_tool__")]


def test_whatever_the_agent_asks_for_is_heard_in_its_order() -> None:
    assert len(NAMES) == 30
    for pair in itertools.product(NAMES, repeat=2):
        asked = instruction([Action(name, {"app_name": "messaging"}, "user") for name in pair])
        assert tools_named(asked, TELECOM) == list(pair), asked


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Please TOGGLE your Airplane Mode!", ["toggle_airplane_mode"]),
        ("toggle the data saver mode", ["toggle_data_saver_mode"]),
        ("toggle the data", ["toggle_data"]),
        ("toggle_wifi_calling", []),
        ("Your airplane mode is on.", []),
        ("", []),
    ],
)
def test_names_in_speech(text: str, named: list[str]) -> None:
    assert tools_named(text, TELECOM) == named


def test_users_without_tools_are_asked_for_none() -> None:
    assert tools_named("Please toggle airplane mode.", Airline()) == []


def test_what_an_agent_lays_out_asks_for_a_yes_and_names_none_of_the_users_tools() -> None:
    for tools in (TelecomTools, AirlineTools):
        writing = [name for name in dir(tools) if getattr(getattr(tools, name), "__eigen_tool__", "") == "write"]
        assert len(writing) >= 6
        for name in writing:
            words = layout([Action(name, {"customer_id": "C1"})], ["The price is 4."])
            assert asks_for_a_yes(words) and not offers_more(words) and not lets_down(words), words
            assert tools_named(words, TELECOM) == [], words


@pytest.mark.parametrize(
    "text", ["How can I help you?", "Could I have your name?", "May I ask for your number?", "Hello."]
)
def test_other_questions_ask_for_no_yes(text: str) -> None:
    assert not asks_for_a_yes(text)


@pytest.mark.parametrize("text", ["Is there anything else?", "What else can I do?", "Any further questions?"])
def test_offers(text: str) -> None:
    assert offers_more(text) and not lets_down(text)


def test_news_let_nobody_down() -> None:
    assert not lets_down("I have enabled roaming on your line; the transfer of data takes a minute.")
