"""Every fault an actor commits shows: in what is said or called, and in the ledger at the turn it takes effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_offline.faults import agent_lapses, user_lapses
from eigen_offline.profiles import AGENT_FAULTS, USER_FAULTS

Sign = Callable[[Any], bool]


def _writes(episode: Any) -> list[str]:
    return [
        m.result.name
        for m in episode.state.messages
        if m.result is not None and m.result.changes and not m.result.error
    ]


def _refused(episode: Any) -> list[str]:
    return [m.result.content for m in episode.state.messages if m.result is not None and m.result.error]


def _score(verdict: EpisodeVerdict, verifier: str) -> float:
    return next(part.score for part in verdict.parts if part.verifier == verifier)


SIGNS: dict[str, tuple[str, Sign]] = {
    "skips_confirmation": (
        "cancel_business",
        lambda e: not any("proceed" in t or "go ahead" in t or "confirm" in t for t in e.said("agent")),
    ),
    "wrong_argument": ("add_free_bags", lambda e: _score(e.verdict, "state") < 1 or bool(_refused(e))),
    "claims_without_write": ("cancel_business", lambda e: not _writes(e) and not e.verdict.passed),
    "extra_write": ("add_paid_bags", lambda e: len(_writes(e)) == 2 and not e.verdict.passed),
    "policy_breach": ("cancellation_refused", lambda e: _writes(e) == ["cancel_reservation"] and not e.verdict.passed),
    "unknown_tool": ("cancel_business", lambda e: any("there is no tool" in text for text in _refused(e))),
    "misspelt_argument": ("cancel_business", lambda e: any("has no argument" in text for text in _refused(e))),
    "forgets_figure": ("cancel_business", lambda e: _score(e.verdict, "communicate") < 1),
    "misstates_figure": ("cancel_business", lambda e: _score(e.verdict, "communicate") < 1),
    "gives_up": ("cancel_business", lambda e: not _writes(e) and any("not able" in t for t in e.said("agent"))),
}


def test_every_fault_has_a_sign() -> None:
    assert set(SIGNS) == set(AGENT_FAULTS)


@pytest.mark.parametrize("fault", AGENT_FAULTS)
def test_an_agent_fault_is_visible_and_on_record(theatre: Any, fault: str) -> None:
    template, sign = SIGNS[fault]
    desk = theatre(skill=f"only:{fault}")
    committed = 0
    for number in range(4):
        if desk.draft(template, number) is None:
            continue
        episode = desk.play(desk.task(template, number))
        assert episode.planted <= {f"agent:{fault}"}
        if episode.planted:
            committed += 1
            assert sign(episode), episode.said("agent")
    assert committed >= 3, "the occasion was there"


def test_a_fault_is_recorded_at_the_turn_it_takes_effect(theatre: Any) -> None:
    desk = theatre(skill="only:skips_confirmation")
    episode = desk.play(desk.task("cancel_business"))
    ((fault, role, turn),) = episode.faults
    assert (fault, role) == ("agent:skips_confirmation", "agent")
    completions = [m for m in episode.state.messages if m.finish_reason is not None]
    assert completions[turn].tool_calls[0].name == "cancel_reservation"


@pytest.mark.parametrize("fault", USER_FAULTS)
def test_a_user_fault_is_visible_and_on_record(theatre: Any, fault: str) -> None:
    desk, plain = theatre(user=f"only:{fault}"), theatre()
    task = desk.task("cancel_business")
    seen = 0
    for trial in range(6):
        episode, clean = desk.play(task, trial=trial), plain.play(task, trial=trial)
        assert episode.planted <= {f"user:{fault}"}
        if episode.planted:
            seen += 1
            assert episode.said("user") != clean.said("user")
        assert clean.verdict.passed and clean.faults == []
    assert seen >= 3


def test_no_fault_reaches_a_message(theatre: Any) -> None:
    desk = theatre(skill="weak", user="erratic")
    for trial in range(4):
        episode = desk.play(desk.task("upgrade_and_bags"), trial=trial)
        text = str(episode.state.messages)
        assert not any(fault in text for fault in (*AGENT_FAULTS, *USER_FAULTS))


def test_profiles_differ_only_in_how_many_draws_fall_below_their_rates(theatre: Any) -> None:
    from eigen_cli.api.backend import CallKey

    key = CallKey("r", 1, "p", "t", 0, "agent", 0, 0)
    few, many = (dict.fromkeys(AGENT_FAULTS, rate) for rate in (0.2, 0.6))
    for trial in range(20):
        one = CallKey(key.run, trial, f"plan{trial}", key.task, trial, "agent", trial, 0)
        careful, careless = agent_lapses(one, few), agent_lapses(one, many)
        assert careful.seed == careless.seed
        for goal in range(6):
            assert set(careful.by_goal[goal]) <= set(careless.by_goal[goal])
    users = [user_lapses(CallKey("r", 1, "p", str(n), 0, "user", 0, 0), {"stops_early": 0.5}) for n in range(200)]
    assert 70 <= sum("stops_early" in user.faults for user in users) <= 130


def test_competence_divides_trials(theatre: Any) -> None:
    """The default skill passes some trials of most tasks and not others: that is what training can learn from."""
    desk = theatre(skill="competent", user="ordinary")
    passed, between, tasks = 0, 0, 0
    for template in (
        "book_one_way",
        "add_paid_bags",
        "cancel_business",
        "upgrade_cabin",
        "cancel_then_book",
        "swap_passenger",
    ):
        for number in range(2):
            task = desk.task(template, number)
            wins = sum(desk.play(task, trial=trial).verdict.passed for trial in range(4))
            passed, tasks, between = passed + wins, tasks + 1, between + (0 < wins < 4)
    assert 0.4 <= passed / (4 * tasks) <= 0.85
    assert between >= tasks / 3
