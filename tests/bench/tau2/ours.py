"""Our side: official tasks, both sides played by the oracle, scored officially."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from standin import Line

from eigen_cli.api.backend import BackendSettings
from eigen_cli.api.domain import Domain
from eigen_cli.api.tasks import Task
from eigen_cli.episode.record import FinishedEpisode
from eigen_cli.episode.replay import replay
from eigen_cli.episode.state import EpisodeState
from eigen_cli.evaluation.runs import EvalDomain
from eigen_cli.evaluation.scoring import scored, verifiers_of
from eigen_cli.evaluation.settings import EvalSettings
from eigen_cli.evaluation.trials import trial_key
from eigen_cli.roles.rollout import roll_out
from eigen_cli.run.actors import Actors
from eigen_cli.run.plugins import load_plugins
from eigen_cli.world.world import World
from eigen_oracle.oracle import OracleBackend


class Ours:
    """One `tau2-*` domain in our engine. `opening`: CPU seconds that data, tasks and the shared world cost once."""

    def __init__(self, name: str) -> None:
        index = load_plugins()
        started = time.process_time()
        self.domain: Domain = index.load("domain", f"tau2-{name}").opened({})
        found = self.domain.task_set()
        assert found is not None
        by_id = {task.id: task for task in found.tasks}
        self.tasks: Sequence[Task] = [by_id[one] for one in found.splits["base"]]
        self.release = found.release
        verifiers = {one: index.load("verifier", one)() for one in verifiers_of(self.domain, self.tasks)}
        oracle = OracleBackend(BackendSettings())
        actors = Actors({"agent": oracle, "user": oracle})
        self._context = EvalDomain.of(self.domain, verifiers).context(EvalSettings(), oracle, actors)
        self._context.initial_world(self.tasks[0])
        self.opening = time.process_time() - started

    async def episode(self, task: Task) -> tuple[EpisodeState, float]:
        """Play and score one episode as if it were its task's first; return it with its official reward."""
        context = replace(self._context, _gold={})
        rolled = await roll_out(context, trial_key(context, task, 0), task, attempts=1)
        found = scored(context, task, FinishedEpisode.of(rolled.state))
        return rolled.state, found.rewards["official"]

    def played(self, tasks: Sequence[Task]) -> list[tuple[EpisodeState, float]]:
        """Play and score tasks one after the other."""

        async def play() -> None:
            # Not returned: asyncio writes out the result of a main task that has ended, however large.
            played.extend([await self.episode(task) for task in tasks])

        played: list[tuple[EpisodeState, float]] = []
        asyncio.run(play())
        return played

    def opened(self, task: Task) -> World:
        """Open a task's world."""
        return self._context.initial_world(task)

    def gold_world(self, task: Task) -> World:
        """Return a task's world after its gold, not yet hashed."""
        return replay(task.gold, self.opened(task), self._context.toolbox).world


def script_of(state: EpisodeState) -> list[Line]:
    """Return what was completed in an episode, for another engine's model to say again."""
    return [
        Line(message.speaker, message.text, tuple((call.name, call.raw_arguments) for call in message.tool_calls))
        for message in state.messages
        if message.finish_reason is not None
    ]
