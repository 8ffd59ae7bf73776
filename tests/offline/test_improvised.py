"""A domain without a playbook: the agent works from its tool schemas alone."""

from __future__ import annotations

from typing import Any

import pytest
from ledger import Ledger as Accounts

from eigen_cli.api.domain import FactKind
from eigen_cli.api.tasks import Action, CheckCall, Communicate, Fact, Goal, Provenance, RewardBasis, Scenario, Task
from eigen_offline.improvised import improvised_script


class Desk(Accounts):
    """The ledger with names for what callers know, and nothing else."""

    name = "desk"
    fact_kinds = (
        FactKind(
            "amount",
            "amount",
            ("How much should it be?",),
            ("{value} dollars.", "Make it {value}."),
            (r"how much|amount",),
            r"\b(\d{1,4})\b(?: dollars)?",
        ),
    )


@pytest.fixture
def desk(theatre: Any) -> Any:
    return theatre(Desk())


def task(desk: Any, goals: tuple[Goal, ...], gold: tuple[Action, ...], **measure: Any) -> Task:
    return Task(
        id="task-1",
        domain="desk",
        family="f",
        split="train",
        world=desk.world,
        scenario=Scenario("You are brief.", "You have business with your bank.", (), goals),
        gold=gold,
        reward=RewardBasis(("state", "checks", "communicate"), ("state",)),
        provenance=Provenance("p", 1, 0, template="transfer"),
        **measure,
    )


TRANSFER = Goal(
    "transfer",
    "I want to move money from one account to another.",
    (Fact("source", "A0001"), Fact("target", "A0002"), Fact("amount", 25)),
)
CLOSE = Goal("close_account", "Please close an account of mine.", (Fact("account_id", "A0003"),))


def test_asks_for_each_parameter_confirms_and_writes(desk: Any) -> None:
    gold = (Action("transfer", {"source": "A0001", "target": "A0002", "amount": 25}),)
    episode = desk.play(task(desk, (TRANSFER,), gold, communicate=(Communicate("number", "25"),)))
    assert episode.verdict.passed, episode.said("agent")
    assert [name for name, _ in episode.called()][-1] == "transfer"
    confirming = next(text for text in episode.said("agent") if "A0001" in text and "?" in text)
    assert "A0002" in confirming and "25" in confirming


def test_two_goals_and_a_reader_that_looks_the_account_up(desk: Any) -> None:
    gold = (
        Action("close_account", {"account_id": "A0003"}),
        Action("transfer", {"source": "A0001", "target": "A0002", "amount": 25}),
    )
    looked = CheckCall("call_made", {"tool": "get_account", "arguments": {"account_id": "A0003"}})
    episode = desk.play(task(desk, (CLOSE, TRANSFER), gold, checks=(looked,)))
    assert episode.verdict.passed, episode.said("agent")


def test_an_unknown_account_is_asked_about_and_then_turned_down(desk: Any) -> None:
    goal = Goal("close_account", "Please close an account of mine.", (Fact("account_id", "A7777"),))
    episode = desk.play(task(desk, (goal,), (), checks=(CheckCall("world_unchanged"),)))
    assert episode.verdict.passed and episode.state.stop == "user_stop"
    assert any("can't find" in text for text in episode.said("agent"))


def test_intents_come_from_tool_names_and_docstrings(desk: Any) -> None:
    script = improvised_script(desk.context.domain, desk.context.toolbox.schemas["agent"])
    best = {
        text: script.best(text).name
        for text in ("I'd like to transfer some money", "close my account please", "Could you move money to a friend?")
    }
    assert list(best.values()) == ["transfer", "close_account", "transfer"]
    assert script.best("Good morning") is None
