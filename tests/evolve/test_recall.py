"""Going on from a sealed generation: the next round is what the run that sealed it makes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import msgspec
import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import ROLES, BackendSettings
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.generations import Generation, GenerationBody, GenerationContents
from eigen_cli.api.plans import PlanBody, Quota
from eigen_cli.api.store import Store
from eigen_cli.evolve.loop import evolve
from eigen_cli.evolve.parent import parent_of
from eigen_cli.evolve.recall import recalled
from eigen_cli.evolve.runs import Run, RunDomain, prepare
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.run.actors import Actors
from eigen_cli.run.journal import read_entries
from eigen_cli.run.plugins import load_plugins
from eigen_offline.backend import OfflineBackend
from eigen_registry import open_registry
from eigen_telecom.domain import Telecom

SETTINGS = EvolveSettings(rounds=3, tasks=8, trials=2, plans=2, probe=1, seed=3, world_size=120)
_replace = msgspec.structs.replace


def run_in(store: Store, parent: str | None = None, settings: EvolveSettings = SETTINGS) -> Run:
    index, backend = load_plugins(), OfflineBackend(BackendSettings())
    verifiers = {spec.name: index.load("verifier", spec.name)() for spec in index.specs("verifier")}
    return prepare(
        settings,
        [RunDomain.of(Airline(), verifiers), RunDomain.of(Telecom(), verifiers)],
        actors=Actors(dict.fromkeys(ROLES, backend)),
        store=store,
        parent=None if parent is None else parent_of(store, parent),
    )


def evolved(run: Run) -> list[Generation]:
    return asyncio.run(evolve(run, progress=lambda *_: None))


def asked(run: Run) -> set[str]:
    """The keys of all calls a run made."""
    return {entry.key for entry in read_entries(run.journal_path) if entry.kind == "call"}


def carried(source: Store, ids: Iterable[str], folder: Path, *, outcomes: bool = True) -> Store:
    """Return a registry to which generations were brought as a pull brings them; without outcomes they are sealed anew,
    as they were before plans had them."""
    target, hashes = open_registry(folder), dict[str, str]()
    for id_ in ids:
        generation = source.generation(id_)
        body: GenerationBody = generation.body
        plans = tuple(source.plans(id_))
        if not outcomes:
            plans = tuple(_replace(record, outcome=None) for record in plans)
            body = _replace(body, contents={}, parent=hashes.get(body.parent or ""))
        contents = GenerationContents(
            plans=plans,
            tasks=tuple(source.tasks(id_)),
            rejected=tuple(source.rejected(id_)),
            episodes=tuple(source.episodes(id_)),
            openings=tuple(source.openings(id_)),
            toolsets=tuple(source.toolsets(id_)),
        )
        hashes[generation.hash] = target.seal(body, generation.observed, contents).hash
    return target


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[Generation]]:
    """A run of three rounds over two domains. Read only."""
    run = run_in(open_registry(tmp_path_factory.mktemp("whole")))
    return run, evolved(run)


@pytest.mark.parametrize(("after", "concurrency"), [(1, 1), pytest.param(2, 64, marks=pytest.mark.proof)])
def test_from_any_generation_the_runs_own_next_rounds_are_made(
    whole: tuple[Run, list[Generation]], tmp_path: Path, after: int, concurrency: int
) -> None:
    run, generations = whole
    store = carried(run.store, [g.id for g in generations[:after]], tmp_path)
    settings = _replace(SETTINGS, rounds=3 - after, concurrency=concurrency)
    again = run_in(store, generations[after - 1].hash, settings)
    assert [g.hash for g in evolved(again)] == [g.hash for g in generations[after:]]
    assert again.id != run.id and (again.first, again.last) == (after + 1, 3)
    assert not [key for key in asked(again) if "/planner/" in key]
    assert asked(again) < asked(run)
    measured = {key.split("/")[2] for key in asked(again) if key.split("/")[1] == "0"}
    used = {record.plan.id for record in run.store.plans(generations[after - 1].id) if record.status != "rejected"}
    assert len(used) == 4
    # Round 1's plans were measured only when round 2 was to be made; later figures are sealed with the plans.
    assert (used <= measured) if after == 1 else not (used & measured)
    assert [g.hash for g in evolved(run_in(store, generations[after - 1].hash, settings))] == [
        g.hash for g in generations[after:]
    ]


def test_another_seed_branches_off(whole: tuple[Run, list[Generation]], tmp_path: Path) -> None:
    run, generations = whole
    store = carried(run.store, ["gen-0001", "gen-0002"], tmp_path)
    settings = _replace(SETTINGS, rounds=1, seed=4)
    (branch,) = evolved(run_in(store, "gen-0001", settings))
    assert (branch.id, branch.body.round, branch.body.seed) == ("gen-0003", 2, 4)
    assert branch.body.parent == generations[0].hash and branch.parent_id == "gen-0001"
    assert [g.hash for g in store.generations()][:2] == [g.hash for g in generations[:2]]
    own, other = ({t.id for t in store.tasks(ref)} for ref in ("gen-0002", "gen-0003"))
    assert own and other and not own & other
    reflected = {record.plan.body.parent for record in store.plans("gen-0003") if record.status == "adopted"}
    assert reflected <= {record.plan.id for record in store.plans("gen-0001")}


@pytest.mark.proof
def test_ancestors_that_are_not_here_are_counted_and_make_a_run_of_its_own(
    whole: tuple[Run, list[Generation]], tmp_path: Path
) -> None:
    run, generations = whole
    store = carried(run.store, ["gen-0002"], tmp_path)
    settings = _replace(SETTINGS, rounds=2)
    first = run_in(store, generations[1].hash, settings)
    assert first.parent is not None and (first.parent.missing, first.parent.ancestors) == (1, ())
    made = evolved(first)
    assert [g.body.settings["ancestors_missing"] for g in made] == [1, 1]
    assert "ancestors_missing" not in generations[2].body.settings
    assert made[0].hash != generations[2].hash and made[0].body.parent == generations[1].hash
    # From the round just made on, as much is missing: the run's own next round is made again.
    (again,) = evolved(run_in(store, made[0].hash, _replace(settings, rounds=1, concurrency=1)))
    assert again.hash == made[1].hash
    assert run_in(store, generations[1].hash).id != run_in(run.store, generations[1].hash).id


def test_all_that_a_line_accepted_is_in_the_index(whole: tuple[Run, list[Generation]]) -> None:
    run, generations = whole
    again = run_in(run.store, generations[1].hash)
    assert again.parent is not None
    known = recalled(again, again.parent)
    tasks = list(chain(run.store.tasks("gen-0001"), run.store.tasks("gen-0002")))
    assert {task.domain for task in tasks} == set(known) == {"airline", "telecom"}
    for task in tasks:
        found = known[task.domain].index.nearest(task)
        assert found is not None and found[1] == 1.0
    later = [known[t.domain].index.nearest(t) for t in run.store.tasks("gen-0003")]
    assert all(found is None or found[1] < 1.0 for found in later)


def test_old_generations_teach_what_stood_as_rejected(whole: tuple[Run, list[Generation]], tmp_path: Path) -> None:
    run, generations = whole
    store = carried(run.store, ["gen-0001"], tmp_path, outcomes=False)
    again = run_in(store, "gen-0001", _replace(SETTINGS, rounds=1))
    assert again.parent is not None
    known, told = recalled(again, again.parent), {r.plan.id: r.outcome for r in run.store.plans("gen-0001")}
    stood = sum(len(record.rejections) for record in run.store.rejected("gen-0001"))
    for domain in known.values():
        for plan, outcome in zip(domain.plans, domain.outcomes, strict=True):
            true = told[plan.id]
            assert true is not None and true.proposed == outcome.proposed > 0
            assert (true.accepted, true.blame, true.pass_rates) == (
                outcome.accepted,
                outcome.blame,
                outcome.pass_rates,
            )
            assert sum(outcome.rejections.values()) <= sum(true.rejections.values())
    outcomes = [outcome for domain in known.values() for outcome in domain.outcomes]
    assert sum(sum(outcome.rejections.values()) for outcome in outcomes) == stood
    assert sum(sum(o.rejections.values()) for o in told.values() if o) == sum(generations[0].body.rejections.values())
    (made,) = evolved(again)
    assert made.body.round == 2 and made.parent_id == "gen-0001"


def test_plans_that_todays_domain_has_no_templates_for_are_refused(
    whole: tuple[Run, list[Generation]], tmp_path: Path
) -> None:
    run, generations = whole
    store = open_registry(tmp_path)
    records = []
    for record in run.store.plans("gen-0001"):
        body: PlanBody = record.plan.body
        synthesis = _replace(body.synthesis, quotas=(Quota("a_template_of_old", 1),))
        records.append(_replace(record, plan=_replace(record.plan, body=_replace(body, synthesis=synthesis))))
    contents = GenerationContents(plans=records, tasks=(), rejected=(), episodes=())
    old = store.seal(_replace(generations[0].body, contents={}), generations[0].observed, contents)
    with pytest.raises(ConfigError, match="cannot be used any more: there is no template 'a_template_of_old'"):
        evolved(run_in(store, old.hash))
    assert len(store.generations()) == 1
