"""Simulated customers use their own phone: a perfect agent and a faithful customer solve every template."""

from __future__ import annotations

import pytest
from offline.conftest import Theatre

from eigen_telecom.domain import Telecom

DOMAIN = Telecom()


@pytest.fixture(scope="module")
def theatre() -> Theatre:
    return Theatre(DOMAIN, {"skill": "perfect", "user": "faithful", "defects": "none"})


@pytest.mark.parametrize("template", [template.name for template in DOMAIN.templates])
def test_perfect_actors_solve_every_template(theatre: Theatre, template: str) -> None:
    played = theatre.play(theatre.task(template, 1))
    assert played.verdict.passed, (played.state.stop, played.verdict.blame)


def test_the_customer_acts_on_the_phone_and_says_what_it_saw(theatre: Theatre) -> None:
    played = theatre.play(theatre.task("data_slow_vpn", 1))
    own = [message for message in played.state.messages if message.speaker == "user" and message.tool_calls]
    assert {call.name for message in own for call in message.tool_calls} >= {"run_speed_test", "disconnect_vpn"}
    results = [m.result.content for m in played.state.messages if m.result is not None and m.result.requestor == "user"]
    said = [message.text for message in played.state.messages if message.speaker == "user"]
    assert results and all(result in said for result in results)
    assert not any(m.result is not None and m.result.requestor == "user" for m in played.state.agent_view)
