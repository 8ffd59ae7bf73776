"""Real episodes, forked at every turn: with the same actors each fork ends as the original did."""

from __future__ import annotations

from pathlib import Path

import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import ROLES, BackendSettings
from eigen_cli.api.episodes import Episode, Limits
from eigen_cli.api.tasks import Task
from eigen_cli.episode.driver import run_episode
from eigen_cli.episode.fork import fork
from eigen_cli.episode.record import rebuild, to_record
from eigen_cli.episode.state import EpisodeKey, EpisodeState
from eigen_cli.evolve.loop import evolve
from eigen_cli.evolve.runs import Run, RunDomain, prepare, role_context
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.openings import opening_chat, user_opening
from eigen_cli.roles.rollout import Side
from eigen_cli.run.actors import Actors
from eigen_cli.run.plugins import load_plugins
from eigen_offline.backend import OfflineBackend
from eigen_registry import open_registry


@pytest.fixture
def run(tmp_path: Path) -> Run:
    index = load_plugins()
    backend = OfflineBackend(BackendSettings())
    settings = EvolveSettings(rounds=1, tasks=12, trials=1, plans=2, seed=4)
    verifiers = {spec.name: index.load("verifier", spec.name)() for spec in index.specs("verifier")}
    actors = Actors(dict.fromkeys(ROLES, backend))
    airline = RunDomain.of(Airline(), verifiers)
    return prepare(settings, [airline], actors=actors, store=open_registry(tmp_path))


def _rebuilt(context: RoleContext, task: Task, episode: Episode) -> EpisodeState:
    provenance = task.provenance
    key = EpisodeKey(context.run, provenance.round, provenance.plan, f"{provenance.proposal:04}", episode.trial)
    return rebuild(
        episode,
        key,
        task,
        context.initial_world(task),
        toolbox=context.toolbox,
        limits=Limits(),
        agent_chat=context.agent_chat,
        user_chat=opening_chat(user_opening(context.domain, task.scenario, None)),
        greeting=context.domain.greeting,
    )


async def test_every_turn_of_real_episodes_can_be_taken_up_again(run: Run) -> None:
    (generation,) = await evolve(run, progress=lambda *_: None)
    context = role_context(run, run.domains[0], run.actors.backends["agent"])
    records = list(run.store.episodes(generation.id))
    assert {record.verdict.passed for record in records} == {True, False}
    forks = 0
    for record in records:
        task = run.store.task(generation.id, record.episode.task)
        state = _rebuilt(context, task, record.episode)
        assert to_record(state) == record.episode
        for turn in range(state.turn):
            sides = {side: Side(context, side) for side in ("agent", "user")}
            again = await run_episode(fork(state, turn), context.toolbox, actors=sides)  # type: ignore[arg-type]
            assert again.world.outcome_hash() == state.world.outcome_hash(), (record.episode.id, turn)
            assert again.messages == state.messages
            forks += 1
    assert forks > 100
