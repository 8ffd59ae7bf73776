"""The estimate follows from the settings, and holds for a run that was counted."""

from __future__ import annotations

import pytest
from eigen_tidy_library.domain import TidyLibrary

from eigen_cli.evolve.estimate import AGENT_TURNS, REPLY_TOKENS, USER_TURNS, CallEstimate, estimate
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.roles.prompting import policy_text
from eigen_cli.world.toolbox import Toolbox

DOMAIN = TidyLibrary()
TOOLBOX = Toolbox(DOMAIN)


def calls(**settings: int | bool) -> dict[str, int]:
    roles = estimate(EvolveSettings(**settings), DOMAIN, TOOLBOX, tasks=10)  # type: ignore[arg-type]
    return {role: expected.calls for role, expected in roles.items()}


@pytest.mark.parametrize(
    ("settings", "episodes", "written", "reflections"),
    [
        ({"rounds": 1, "trials": 2, "repairs": 0}, 20, 10, 0),
        ({"rounds": 1, "trials": 2, "repairs": 2}, 20, 20, 0),
        ({"rounds": 1, "trials": 2, "repairs": 2, "validation": False}, 20, 10, 0),
        # 3 rounds of 10, and 2 slots that each measure a first plan and two children on 5 proposals.
        ({"rounds": 3, "trials": 2, "repairs": 0, "plans": 2, "probe": 5}, 120, 60, 4),
        ({"rounds": 3, "trials": 2, "repairs": 0, "plans": 2, "evolution": False}, 60, 30, 0),
    ],
)
def test_calls_follow_from_the_settings(
    settings: dict[str, int | bool], episodes: int, written: int, reflections: int
) -> None:
    found = calls(**settings)
    assert (found["agent"], found["user"]) == (episodes * AGENT_TURNS, episodes * USER_TURNS)
    assert found["synthesizer"] == written
    assert (found["planner"], found["reflector"]) == (settings.get("plans", 4), reflections)


def test_tokens_grow_with_the_dialogue_and_the_policy() -> None:
    settings = EvolveSettings(rounds=1, trials=1)
    agent = estimate(settings, DOMAIN, TOOLBOX, tasks=1)["agent"]
    opening = len(policy_text(DOMAIN)) // 4
    assert agent.prompt_tokens > AGENT_TURNS * opening
    assert agent.completion_tokens == AGENT_TURNS * REPLY_TOKENS

    longer = TidyLibrary()
    longer.preamble = lambda: "Be kind. " * 400  # type: ignore[method-assign]
    grown = estimate(settings, longer, TOOLBOX, tasks=1)["agent"]
    assert grown.prompt_tokens - agent.prompt_tokens == pytest.approx(AGENT_TURNS * 900, abs=AGENT_TURNS)
    assert grown.completion_tokens == agent.completion_tokens
    assert isinstance(grown, CallEstimate)
