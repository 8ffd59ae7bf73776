"""Rewards under several scorings, from the parts of one episode."""

from __future__ import annotations

import pytest
from bank import MOVE, Bank, MakeContext, a_task, bases, make_context, toolbox

from eigen_cli.api.domain import Scoring
from eigen_cli.api.errors import DomainError
from eigen_cli.api.evaluations import Judgement
from eigen_cli.api.tasks import Action, Task
from eigen_cli.evaluation.scoring import Scored, bases_of, scored, scorings_of, settled, untouched_passes, verifiers_of
from eigen_cli.testing.drafted import played

__all__ = ["bases", "make_context", "toolbox"]

GUARDED, LENIENT = Scoring("guarded", ("state", "policy")), Scoring("lenient", ("state",), tolerates_gold_errors=True)


@pytest.fixture(autouse=True)
def two_scorings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bank, "scorings", lambda self, task: (GUARDED, LENIENT))


def test_the_clauses_guards_are_a_part_where_a_scoring_asks_for_them(make_context: MakeContext) -> None:
    context, task = make_context(), a_task()
    found = scored(context, task, played(context, task, task.gold))
    assert {part.verifier for part in found.parts} == {"actions", "checks", "communicate", "policy", "state"}
    # The customer never said yes (clause B2); the outcome is right all the same.
    assert found.rewards == {"guarded": 0.0, "lenient": 1.0}
    assert verifiers_of(context.domain, [task]) == {"state", "policy"}
    assert bases_of(context.domain, [task, task]) == {"guarded": {"state*policy": 2}, "lenient": {"state": 2}}


def test_no_guard_is_asked_where_no_scoring_has_them(make_context: MakeContext, monkeypatch) -> None:
    monkeypatch.setattr(Bank, "scorings", lambda self, task: (LENIENT,))
    context, task = make_context(), a_task()
    found = scored(context, task, played(context, task, task.gold))
    assert "policy" not in {part.verifier for part in found.parts}
    assert found.rewards == {"lenient": 1.0}


def test_gold_that_is_refused_fails_but_where_it_is_passed_over(make_context: MakeContext) -> None:
    refused = Action("transfer", {"source": "A0001", "target": "A0002", "amount": 999_999})
    context, task = make_context(), a_task((refused,))
    nothing = played(context, task, ())
    assert scored(context, task, nothing).rewards == {"guarded": 0.0, "lenient": 1.0}
    assert untouched_passes(context, [task, a_task((MOVE,), id="task-2")]) == {"guarded": 0, "lenient": 1}


@pytest.mark.parametrize(
    ("words", "reward", "undetermined"),
    [
        ((True, True), 1.0, ()),
        ((True, False), 0.0, ()),
        ((True, None), 0.0, ("strict",)),
        ((None, False), 0.0, ()),
        ((), 0.0, ("strict",)),
    ],
)
def test_statements_settle_a_reward(words: tuple[bool | None, ...], reward: float, undetermined) -> None:
    found = Scored((), {"official": 1.0, "strict": 1.0}, {"strict": ("a", "b")})
    judgements = [Judgement(statement, holds) for statement, holds in zip("ab", words, strict=False)]
    assert settled(found, judgements) == ({"official": 1.0, "strict": reward}, undetermined)


def test_all_tasks_are_scored_in_the_same_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [a_task(), a_task(id="task-2")]
    assert scorings_of(Bank(), tasks) == ("guarded", "lenient")

    def by_id(self: Bank, task: Task) -> tuple[Scoring, ...]:
        return (LENIENT,) if task.id == "task-2" else (GUARDED, LENIENT)

    monkeypatch.setattr(Bank, "scorings", by_id)
    with pytest.raises(DomainError, match="bank scores task-2 by"):
        scorings_of(Bank(), tasks)
