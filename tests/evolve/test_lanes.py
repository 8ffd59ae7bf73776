"""A round over several domains: each lane makes what its domain's own run makes; a generation adds them up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import ROLES, Backend, BackendSettings, Reply, Request
from eigen_cli.api.domain import Domain
from eigen_cli.api.generations import Generation
from eigen_cli.api.messages import Completion
from eigen_cli.evolve.lanes import together
from eigen_cli.evolve.loop import evolve
from eigen_cli.evolve.preview import preview
from eigen_cli.evolve.runs import Run, RunDomain, prepare
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.roles.structured import UnusableReplyError
from eigen_cli.run.actors import Actors
from eigen_cli.run.journal import read_entries
from eigen_cli.run.plugins import load_plugins
from eigen_offline.backend import OfflineBackend
from eigen_registry import open_registry
from eigen_telecom.domain import Telecom

SIZES = {"rounds": 2, "trials": 1, "plans": 2, "probe": 2, "seed": 3}
DOMAINS = ("airline", "telecom")
FIGURES = ("tasks_proposed", "tasks_accepted", "episodes", "passed", "near_duplicates")


def _run(folder: Path, *domains: Domain, planner: Backend | None = None, tasks: int) -> Run:
    index = load_plugins()
    verifiers = {name: index.load("verifier", name)() for name in ("state", "checks", "communicate")}
    own = {**verifiers, "actions": index.load("verifier", "actions")()}
    backends = dict.fromkeys(ROLES, OfflineBackend(BackendSettings())) | ({"planner": planner} if planner else {})
    return prepare(
        EvolveSettings(tasks=tasks, **SIZES),
        # Verifiers belong to a lane: one asks for the gold actions, the other does not.
        [RunDomain.of(domain, own if domain.name == "airline" else verifiers) for domain in domains],
        actors=Actors(backends),  # type: ignore[arg-type]
        store=open_registry(folder),
    )


def _evolved(run: Run) -> list[Generation]:
    return asyncio.run(evolve(run, progress=lambda *_: None))


def _contents(run: Run, generation: Generation) -> dict[str, Any]:
    store, id_ = run.store, generation.id
    return {
        "plans": list(store.plans(id_)),
        "tasks": list(store.tasks(id_)),
        "rejected": list(store.rejected(id_)),
        "episodes": [(record.episode, record.verdict) for record in store.episodes(id_)],
        "faults": list(store.faults(id_)),
    }


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[Generation]]:
    run = _run(tmp_path_factory.mktemp("mixed"), Telecom(), Airline(), tasks=9)
    return run, _evolved(run)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[Run, list[Generation]]]:
    runs = {
        domain.name: _run(tmp_path_factory.mktemp("alone"), domain, tasks=tasks)
        for domain, tasks in ((Airline(), 5), (Telecom(), 4))
    }
    return {name: (run, _evolved(run)) for name, run in runs.items()}


@pytest.mark.proof
def test_a_lane_makes_what_its_domain_alone_makes_with_its_share(
    mixed: tuple[Run, list[Generation]], alone: Mapping[str, tuple[Run, list[Generation]]]
) -> None:
    run, generations = mixed
    assert len(generations) == 2
    for round_, generation in enumerate(generations):
        together_ = _contents(run, generation)
        apart = {name: _contents(own, found[round_]) for name, (own, found) in alone.items()}
        assert tuple(apart) == DOMAINS
        assert together_["tasks"] and {task.domain for task in together_["tasks"]} == set(apart)
        for kind, records in together_.items():
            assert records == [record for contents in apart.values() for record in contents[kind]], kind


def test_figures_are_by_domain_and_add_up(
    mixed: tuple[Run, list[Generation]], alone: Mapping[str, tuple[Run, list[Generation]]]
) -> None:
    for round_, generation in enumerate(mixed[1]):
        body = generation.body
        assert tuple(body.domains) == DOMAINS
        assert body.domain == "airline,telecom"
        for name, figures in body.by_domain.items():
            own = alone[name][1][round_].body
            assert figures == own.domains[name] and list(own.domains) == [name]
            assert all(getattr(own, figure) == getattr(figures, figure) for figure in FIGURES)
            assert (own.coverage, own.blame, own.splits) == (figures.coverage, figures.blame, figures.splits)
        for figure in FIGURES:
            assert getattr(body, figure) == sum(getattr(each, figure) for each in body.domains.values()), figure
        airline, telecom = body.domains.values()
        assert (airline.tasks_proposed, telecom.tasks_proposed) == (5, 4)
        assert body.coverage.clauses.total == airline.coverage.clauses.total + telecom.coverage.clauses.total
        assert body.blame["agent"] == airline.blame["agent"] + telecom.blame["agent"]
        assert body.fingerprint == f"{airline.fingerprint},{telecom.fingerprint}"
        assert sum(body.splits.values()) == body.tasks_accepted


def test_the_order_of_the_names_is_none_of_a_runs(mixed: tuple[Run, list[Generation]], tmp_path: Path) -> None:
    run = _run(tmp_path, Airline(), Telecom(), tasks=9)
    assert run.id == mixed[0].id and run.domain == "airline,telecom"
    others = [_run(tmp_path, Airline(), tasks=9), _run(tmp_path, Telecom(), tasks=9)]
    assert len({run.id, *(other.id for other in others)}) == 3


def test_a_lane_asks_its_own_verifiers(mixed: tuple[Run, list[Generation]]) -> None:
    run, generations = mixed
    asked: dict[str, set[str]] = {name: set() for name in DOMAINS}
    domains = {task.id: task.domain for task in run.store.tasks(generations[0].id)}
    for record in run.store.episodes(generations[0].id):
        asked[domains[record.episode.task]] |= {part.verifier for part in record.verdict.parts}
    assert asked["airline"] - asked["telecom"] == {"actions"}
    assert set(generations[0].body.verifiers) == {*asked["airline"], "task"}


def test_a_preview_shows_tasks_of_every_domain_and_they_are_the_runs(
    mixed: tuple[Run, list[Generation]], tmp_path: Path
) -> None:
    shown = asyncio.run(preview(_run(tmp_path, Airline(), Telecom(), tasks=9), 3))
    assert [(name, len(proposals)) for name, proposals in shown.items()] == [("airline", 3), ("telecom", 3)]
    made = {task.id for task in mixed[0].store.tasks(mixed[1][0].id)}
    written = {item.task.id for items in shown.values() for item in items if item.accepted and item.task}
    assert written and written <= made


class PlansBut(Backend):
    """A planner that cannot plan one domain, until it is told to."""

    simulated = True

    def __init__(self, unable: str) -> None:
        super().__init__(BackendSettings())
        self.unable = unable
        self._able = OfflineBackend(self.settings)

    @property
    def identity(self) -> str:
        return "plans-but"

    async def complete(self, request: Request) -> Reply:
        if request.inputs.domain.name == self.unable:
            return Reply(Completion(text="no plan"))
        return await self._able.complete(request)


@pytest.mark.proof
def test_a_domain_that_cannot_be_planned_ends_the_run_and_alone_is_planned_anew(tmp_path: Path) -> None:
    planner = PlansBut("telecom")
    run = _run(tmp_path, Airline(), Telecom(), planner=planner, tasks=4)
    with pytest.raises(UnusableReplyError):
        _evolved(run)
    assert run.store.generations() == []
    planner.unable = ""
    assert len(_evolved(run)) == 2
    keys = [entry.key for entry in read_entries(run.journal_path) if "/planner/" in entry.key]
    assert len(set(keys)) == len(keys)
    attempts = {domain: [key.rpartition("/")[2] for key in keys if key.startswith(domain)] for domain in DOMAINS}
    assert attempts["airline"] == ["0", "0"], "two slots, each asked once"
    assert attempts["telecom"] == ["0", "1", "2", "10", "10"], "three unusable answers, then two plans asked anew"


async def test_together_gives_results_in_order_and_ends_with_the_first_failure() -> None:
    ended = []

    async def after(seconds: float, outcome: str | None) -> str:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            ended.append(outcome)
            raise
        if outcome is None:
            raise ValueError("failed")
        return outcome

    assert await together([after(0.02, "slow"), after(0, "quick")]) == ["slow", "quick"]
    with pytest.raises(ValueError, match="failed"):
        await together([after(60, "slow"), after(0, None)])
    assert ended == ["slow"], "what was still under way is not waited for"
