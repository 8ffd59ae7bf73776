from __future__ import annotations

from pathlib import Path

import pytest
from bank import MakeContext

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.errors import BackendError
from eigen_cli.api.messages import Completion
from eigen_cli.api.outputs import PlannerOutput
from eigen_cli.api.plans import EvaluationPlan, Quota, SynthesisPlan
from eigen_cli.evolve.planning import first_plans
from eigen_cli.roles.structured import UnusableReplyError
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal

GOOD = canonical_json(PlannerOutput(SynthesisPlan("x", (Quota("use_transfer", 1),)), EvaluationPlan())).decode()


class Planner(Backend):
    """Answers what it is told to, and counts."""

    def __init__(self) -> None:
        super().__init__(BackendSettings())
        self.answer: str | BackendError = "no plan"
        self.asked = 0

    @property
    def identity(self) -> str:
        return "planner"

    async def complete(self, request: Request) -> Reply:
        self.asked += 1
        if isinstance(self.answer, BackendError):
            raise self.answer
        return Reply(Completion(text=self.answer))


@pytest.mark.parametrize(
    ("bad", "error"), [("no plan", UnusableReplyError), (BackendError("500 six times"), BackendError)]
)
async def test_a_planner_that_failed_is_asked_anew_by_the_next_run(
    make_context: MakeContext, tmp_path: Path, bad: str | BackendError, error: type[Exception]
) -> None:
    planner = Planner()
    planner.answer = bad
    with Journal.open(tmp_path / "j") as journal:
        context = make_context(RecordedBackends({"planner": planner}, journal, concurrency=4))
        with pytest.raises(error):
            await first_plans(context, journal, slots=2)
    asked, planner.answer = planner.asked, GOOD
    with Journal.open(tmp_path / "j") as journal:
        context = make_context(RecordedBackends({"planner": planner}, journal, concurrency=4))
        plans = await first_plans(context, journal, slots=2)
    assert [plan.body.slot for plan in plans] == [0, 1] and planner.asked == asked + 2
    with Journal.open(tmp_path / "j") as journal:
        context = make_context(RecordedBackends({"planner": planner}, journal, concurrency=4))
        assert await first_plans(context, journal, slots=2) == plans
    assert planner.asked == asked + 2, "what succeeded is not asked again"
