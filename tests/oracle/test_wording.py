"""Calls, facts and scenarios in words."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_cli.api.tasks import Action, Fact
from eigen_oracle.wording import in_first_person, spoken_call, spoken_fact, spoken_value
from eigen_telecom.domain import Telecom


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("reboot_device", {}, "reboot the device"),
        ("reseat_sim_card", {}, "reseat the SIM card"),
        ("can_send_mms", {}, "check whether you can send MMS"),
        ("calculate", {"expression": "2 * 3"}, "calculate with expression 2 * 3"),
        ("set_network_mode_preference", {"mode": "4g_only"}, "set the network mode preference with mode 4g_only"),
        (
            "cancel_order",
            {"order_id": "#W1", "reason": "no longer needed"},
            "cancel the order with order ID #W1 and reason no longer needed",
        ),
        ("move", {"address2": "", "city": "Rome"}, "move with city Rome"),
    ],
)
def test_calls(name: str, arguments: dict[str, Any], words: str) -> None:
    assert spoken_call(Action(name, arguments)) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "yes"),
        (2.0, "2"),
        (1286, "1286"),
        (12345678, "12345678"),
        ("basic_economy", "basic economy"),
        ("mia_li_3668", "mia_li_3668"),
        (None, "none"),
        ([], "none"),
        (["A1", "B2", "C3"], "A1, B2 and C3"),
        ([{"amount": 450, "payment_id": "gift_card_1"}], "450 gift_card_1"),
    ],
)
def test_values(value: Any, words: str) -> None:
    assert spoken_value(value) == words


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (Fact("phone_number", "555-100-2000"), "My number is 555-100-2000."),
        (Fact("location", "at home", "I'm at home"), "I'm at home."),
        (Fact("sim_pin", 1234), "My SIM pin is 1234."),
        (Fact("story", "It began on Monday.\nThen it rained."), "It began on Monday. Then it rained."),
    ],
)
def test_facts(fact: Fact, words: str) -> None:
    assert spoken_fact(Telecom(), fact) == words


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("You are Ada Moss with phone number 555.", "I am Ada Moss with phone number 555."),
        ("You're abroad. Your order id is #W1.", "I'm abroad. My order id is #W1."),
        ("You want the agent to tell you yourself.", "I want the agent to tell me myself."),
        ("They told you that it\n\nallows you to fly.", "They told me that it allows me to fly."),
        ("you were told that this card is yours", "I was told that this card is mine"),
    ],
)
def test_a_scenario_in_the_customers_mouth(told: str, said: str) -> None:
    assert in_first_person(told) == said
