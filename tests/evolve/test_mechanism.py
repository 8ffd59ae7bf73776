"""Evolution is a mechanism: plans change what is made, and nothing else does."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import ROLES, Backend, BackendSettings, Reply, Request
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.generations import Generation
from eigen_cli.api.inputs import CoverageGap
from eigen_cli.api.messages import Completion
from eigen_cli.api.outputs import ReflectorOutput
from eigen_cli.api.plans import EvaluationPlan, Plan, Quota, SynthesisPlan
from eigen_cli.api.verdicts import REJECTION_REASONS
from eigen_cli.evolve.duplicates import DuplicateIndex
from eigen_cli.evolve.loop import evolve
from eigen_cli.evolve.proposals import Rules, total_rejections
from eigen_cli.evolve.rounds import Batch, Made, make
from eigen_cli.evolve.runs import Run, RunDomain, prepare, role_context
from eigen_cli.evolve.settings import EvolveSettings, dealt
from eigen_cli.roles.reflector import PlanOutcome, reflect
from eigen_cli.run.actors import Actors
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal
from eigen_cli.run.ordered import OpenWork
from eigen_cli.run.plugins import load_plugins
from eigen_offline.backend import OfflineBackend
from eigen_registry import open_registry

pytestmark = pytest.mark.proof


def _run(
    folder: Path, *, reflector: Backend | None = None, options: Mapping[str, Any] | None = None, **settings: Any
) -> Run:
    index = load_plugins()
    backend = OfflineBackend(BackendSettings(options=options or {}))
    backends = dict.fromkeys(ROLES, backend) | ({"reflector": reflector} if reflector else {})
    verifiers = {spec.name: index.load("verifier", spec.name)() for spec in index.specs("verifier")}
    return prepare(
        EvolveSettings(**{"trials": 2, **settings}),
        [RunDomain.of(Airline(), verifiers)],
        actors=Actors(backends),  # type: ignore[arg-type]
        store=open_registry(folder),
    )


def _evolved(run: Run) -> list[Generation]:
    return asyncio.run(evolve(run, progress=lambda *_: None))


def _plans(run: Run, generation: Generation) -> list[Plan]:
    """The plans a generation was made by, in slot order."""
    return [r.plan for r in run.store.plans(generation.id) if r.status in ("used", "adopted")]


def _rejected(generation: Generation) -> int:
    return sum(generation.body.rejections.values())


@pytest.fixture(scope="module")
def evolved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[Generation]]:
    run = _run(tmp_path_factory.mktemp("evolved"), rounds=5, seed=7)
    return run, _evolved(run)


def _made(run: Run, plans: Sequence[Plan], folder: Path, round_: int) -> Made:
    """Make a round of the run with any plans."""

    async def work() -> Made:
        with Journal.open(folder / f"{round_}-{plans[0].id}.journal") as journal:
            calls = RecordedBackends(run.actors.backends, journal, concurrency=64)
            context = role_context(run, run.domains[0], calls)
            shares = tuple(zip(plans, dealt(run.settings.tasks, len(plans)), strict=True))
            batch = Batch(round_, shares, "", 1, 1, Rules(1, validation=True))
            return await make(
                context,
                batch,
                index=DuplicateIndex(),
                work=OpenWork(64),
                world_size=0,
                progress=lambda *_: None,
            )

    return asyncio.run(work())


@pytest.mark.parametrize("planted", [("missing_fact",), ("gold_error", "near_duplicate"), ("policy_breach",)])
def test_the_next_plan_answers_exactly_the_reasons_planted(
    evolved: tuple[Run, list[Generation]], planted: tuple[str, ...]
) -> None:
    run, generations = evolved
    plan = _plans(run, generations[0])[0]
    outcome = PlanOutcome(10, 6, dict.fromkeys(planted, 4), {}, {}, {})
    context = role_context(run, run.domains[0], run.actors.backends["reflector"])
    child = asyncio.run(reflect(context, plan, outcome, round_=2, gap=CoverageGap()))
    answered = {guideline.reason for guideline in child.body.synthesis.guidelines}
    assert answered & set(REJECTION_REASONS) == set(planted)
    assert child.body.parent == plan.id and child.body.slot == plan.body.slot


def test_plans_carry_their_figures_to_any_round(evolved: tuple[Run, list[Generation]], tmp_path: Path) -> None:
    run, generations = evolved
    first, last = _plans(run, generations[0]), _plans(run, generations[4])
    counts = {
        (name, round_): sum(total_rejections(_made(run, plans, tmp_path, round_).proposals).values())
        for name, plans in (("first", first), ("last", last))
        for round_ in (1, 5)
    }
    assert counts["last", 1] * 2 <= counts["first", 1], counts
    assert counts["last", 5] * 2 <= counts["first", 5], "round-1 plans fall back in round 5"
    assert abs(counts["first", 1] - counts["first", 5]) < counts["first", 1] / 2, counts


def test_without_evolution_nothing_moves(tmp_path: Path) -> None:
    run = _run(tmp_path, rounds=3, seed=7, evolution=False)
    generations = _evolved(run)
    assert len({tuple(plan.id for plan in _plans(run, generation)) for generation in generations}) == 1
    assert min(_rejected(generation) for generation in generations) * 2 > _rejected(generations[0])
    assert len({generation.body.coverage.tools.covered for generation in generations}) == 1


def test_a_reason_the_reflector_is_deaf_to_alone_does_not_fall(tmp_path: Path) -> None:
    options = {"defects": "sloppy", "deaf": ["missing_fact"]}
    run = _run(tmp_path, rounds=3, seed=11, options=options, plans=2, probe=2)
    generations = _evolved(run)
    first, last = Counter(generations[0].body.rejections), Counter(generations[-1].body.rejections)
    heard = sum(first.values()) - first["missing_fact"]
    assert (sum(last.values()) - last["missing_fact"]) * 2 < heard, (first, last)
    assert last["missing_fact"] * 2 > first["missing_fact"], (first, last)
    reasons = {g.reason for plan in _plans(run, generations[-1]) for g in plan.body.synthesis.guidelines}
    assert "missing_fact" not in reasons and reasons & set(REJECTION_REASONS)


class Narrowing(Backend):
    """A reflector that games acceptance: from the second child on, it makes only the easiest template."""

    simulated = True

    def __init__(self) -> None:
        super().__init__(BackendSettings())
        self._honest = OfflineBackend(self.settings)

    @property
    def identity(self) -> str:
        return "narrowing"

    async def complete(self, request: Request) -> Reply:
        if request.inputs.plan.body.parent is None:
            return await self._honest.complete(request)
        easiest = min(request.inputs.templates.values(), key=lambda template: template.difficulty)
        synthesis = SynthesisPlan(request.inputs.plan.body.synthesis.focus, (Quota(easiest.name, 1),))
        output = ReflectorOutput("easy tasks are accepted", synthesis, EvaluationPlan())
        return Reply(Completion(text=canonical_json(output).decode()))


def test_acceptance_bought_with_coverage_is_not_adopted(tmp_path: Path) -> None:
    run = _run(tmp_path, rounds=3, seed=7, reflector=Narrowing())
    _, second, third = _evolved(run)
    records = run.store.plans(third.id)
    narrowed = [record for record in records if len(record.plan.body.synthesis.quotas) == 1]
    assert len(narrowed) == sum(plan.body.parent is not None for plan in _plans(run, second)) >= 3
    assert {record.status for record in narrowed} == {"rejected"}
    assert all(record.figures and record.parent_figures and "parent" in record.why for record in narrowed)
    assert len(_plans(run, third)) == 4


@pytest.mark.parametrize("seed", [7, 1, 3])
def test_over_five_rounds_acceptance_and_coverage_rise_and_duplicates_fall(
    seed: int, tmp_path: Path, evolved: tuple[Run, list[Generation]]
) -> None:
    generations = evolved[1] if seed == 7 else _evolved(_run(tmp_path, rounds=5, seed=seed))
    first, last = generations[0].body, generations[4].body
    assert last.tasks_accepted > first.tasks_accepted
    assert last.coverage.tool_pairs.covered > first.coverage.tool_pairs.covered
    assert last.coverage.clauses.covered > first.coverage.clauses.covered
    assert last.near_duplicates < first.near_duplicates
    for before, after in pairwise(generations):
        rose = after.body.tasks_accepted > before.body.tasks_accepted
        covered = (after.body.coverage.tools.covered, before.body.coverage.tools.covered)
        assert not rose or covered[0] >= covered[1], "acceptance is never bought with coverage"


def test_blame_agrees_with_the_faults_that_were_planted(evolved: tuple[Run, list[Generation]]) -> None:
    """Scored against the side table, over failed episodes in which exactly one party had a fault planted."""
    run, generations = evolved
    right, wrong, unexplained = 0, [], 0
    for generation in generations:
        parties: dict[str, set[str]] = {}
        for fault in run.store.faults(generation.id):
            parties.setdefault(fault.episode, set()).add(fault.role)
        for record in run.store.episodes(generation.id):
            blame, planted = record.verdict.blame, parties.get(record.episode.id, set())
            if blame is None:
                assert record.verdict.passed
            elif not planted:
                unexplained += 1
            elif len(planted) == 1:
                if blame.party in planted:
                    right += 1
                else:
                    wrong.append((record.episode.id, planted, blame))
    assert right > 60
    assert len(wrong) <= right * 0.05, wrong
    assert unexplained <= right * 0.05, "an actor without a planted fault seldom fails"
