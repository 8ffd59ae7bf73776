"""Real episodes over HTTP: roles, machine, tools, journal and the openai backend, with only the model made up."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eigen_airline.domain import Airline
from eigen_cli.api.backend import ROLES, Backend, BackendSettings, Reply, Request, RoleName
from eigen_cli.api.episodes import Limits
from eigen_cli.api.tasks import Task
from eigen_cli.episode.state import EpisodeKey
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.rollout import roll_out
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal
from eigen_cli.run.ordered import OpenWork
from eigen_cli.testing.drafted import contract_context, drafted_tasks
from eigen_openai.backend import OpenAIBackend
from eigen_openai.payload import PayloadWriter

TURNS = 30
"""The agent's turns in an episode: 15 times a tool call and a text, with a customer's text before each pair."""
CALLS = TURNS + TURNS // 2
MODEL = "stub"


@dataclass(frozen=True)
class Driven:
    """What a run of episodes gave."""

    calls: int
    cpu: float
    throughput: float
    """Calls a second from the end of the first lap until the last episode was started: while there was work for all."""
    in_flight: float
    """Mean number of calls under way until then."""
    lap_cpu: tuple[float, ...]
    """CPU seconds of each lap of as many calls as are allowed in flight: the n-th call of all, if they run in step."""


class Counted:
    """Passes requests on and notes the time, and the CPU time, after every lap of so many replies."""

    def __init__(self, completer: RecordedBackends, lap: int) -> None:
        self._completer = completer
        self._lap = lap
        self.calls = 0
        self.marks = [time.process_time()]
        self.warm = 0.0
        """When the first lap was over: connections stand, modules are imported."""

    async def complete(self, request: Request) -> Reply:
        """Answer through the run's journal and backends."""
        reply = await self._completer.complete(request)
        self.calls += 1
        if self.calls % self._lap == 0:
            self.marks.append(time.process_time())
            self.warm = self.warm or time.perf_counter()
        return reply


class Recorder(Backend):
    """Keeps the bodies another backend would send."""

    identity = "recorder"

    def __init__(self, backend: Backend) -> None:
        super().__init__(backend.settings)
        self._backend = backend
        self._writer = PayloadWriter(MODEL, "max_tokens")
        self.bodies: list[bytes] = []

    async def complete(self, request: Request) -> Reply:
        """Note the body and answer."""
        self.bodies.append(self._writer.write(request, structured=False))
        return await self._backend.complete(request)


def bench_context() -> RoleContext:
    """Return the airline with its world built, and episodes that end after the agent's last turn."""
    context = dataclasses.replace(contract_context(Airline()), limits=Limits(agent_turns=TURNS))
    first_task(context)
    return context


def first_task(context: RoleContext) -> Task:
    """Return a task whose customer is known by an id."""
    return next(drafted_tasks(context, each=1)).task


def user_of(task: Task) -> str:
    """Return the id of a task's customer."""
    return next(str(fact.value) for fact in task.scenario.facts() if fact.name == "user_id")


def backend_for(url: str, concurrency: int) -> OpenAIBackend:
    """Return the backend under test."""
    return OpenAIBackend(BackendSettings(base_url=url, model=MODEL, concurrency=concurrency))


async def drive(
    context: RoleContext, url: str, journal: Path, *, concurrency: int, episodes: int, backend: Backend | None = None
) -> Driven:
    """Run episodes as a round of `eigen evolve` does and say what they took."""
    asked = backend or backend_for(url, concurrency)
    task = first_task(context)
    work = OpenWork(concurrency)
    backends: Mapping[RoleName, Backend] = dict.fromkeys(ROLES, asked)
    to_start, in_flight, throughput = episodes, 0.0, 0.0
    await asked.start()
    with Journal.open(journal) as opened:
        counted = Counted(RecordedBackends(backends, opened, concurrency=concurrency), concurrency)
        playing = dataclasses.replace(context, completer=counted)

        async def episode(number: int) -> None:
            nonlocal to_start, in_flight, throughput
            to_start -= 1
            if to_start == 0 and counted.warm:
                throughput = (counted.calls - concurrency) / (time.perf_counter() - counted.warm)
                in_flight = max(seen.in_flight_mean for seen in asked.telemetry().values())
            rolled = await roll_out(playing, EpisodeKey("bench", 1, "plan", task.id, number), task, attempts=1)
            assert rolled.state.stop == "agent_turn_limit", rolled.state.stop

        cpu = time.process_time()
        await asyncio.gather(*(work.run(lambda n=n: episode(n)) for n in range(episodes)))  # type: ignore[misc]
        spent = time.process_time() - cpu
    await asked.close()
    laps = tuple(after - before for before, after in zip(counted.marks, counted.marks[1:], strict=False))
    return Driven(counted.calls, spent, throughput, in_flight, laps)


async def bodies_of_an_episode(context: RoleContext, url: str, journal: Path) -> list[bytes]:
    """Return what one episode sends, call by call."""
    backend = backend_for(url, 1)
    recorder = Recorder(backend)
    await drive(context, url, journal, concurrency=1, episodes=1, backend=recorder)
    await backend.close()
    return recorder.bodies
