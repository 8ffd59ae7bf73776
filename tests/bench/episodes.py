"""CPU of an offline episode, everybody's work included: `make bench`."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from eigen_airline.domain import Airline
from eigen_cli.api.backend import ROLES, BackendSettings, Reply, Request
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, Quota, SynthesisPlan
from eigen_cli.api.verifier import Verifier
from eigen_cli.episode.record import to_record
from eigen_cli.episode.state import EpisodeKey
from eigen_cli.evolve.duplicates import DuplicateIndex
from eigen_cli.evolve.proposals import Rules
from eigen_cli.evolve.rounds import Batch, Made, make, world_of
from eigen_cli.evolve.runs import RunDomain, prepare, role_context
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import verify_episode
from eigen_cli.roles.rollout import roll_out
from eigen_cli.run.actors import Actors
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal
from eigen_cli.run.ordered import OpenWork
from eigen_cli.run.plugins import load_plugins
from eigen_offline.backend import OfflineBackend
from eigen_registry import open_registry


class Timed:
    """Passes requests on and keeps the CPU seconds the actors took."""

    def __init__(self, backend: OfflineBackend) -> None:
        self.seconds = 0.0
        self._backend = backend

    async def complete(self, request: Request) -> Reply:
        """Answer through the backend."""
        started = time.process_time()
        reply = await self._backend.complete(request)
        self.seconds += time.process_time() - started
        return reply


def main() -> None:
    """Roll out every template a few times and print what an episode cost."""
    domain, backend = Airline(), OfflineBackend(BackendSettings())
    index = load_plugins()
    verifiers: dict[str, Verifier] = {
        spec.name: index.load("verifier", spec.name)() for spec in index.specs("verifier")
    }
    with tempfile.TemporaryDirectory() as folder:
        store = open_registry(Path(folder))
        actors = Actors(dict.fromkeys(ROLES, backend))
        run = prepare(EvolveSettings(), [RunDomain.of(domain, verifiers)], actors=actors, store=store)
        quotas = tuple(Quota(template.name, 1) for template in domain.templates)
        plan = Plan.of(PlanBody("airline", 0, SynthesisPlan("all", quotas), EvaluationPlan()))
        batch = Batch(1, ((plan, 2 * len(quotas)),), "", 1, 1, Rules(1, validation=True))
        timed = Timed(backend)
        with Journal.open(Path(folder) / "bench.journal") as journal:
            played = dict.fromkeys(ROLES, timed)
            calls = RecordedBackends(played, journal, concurrency=64)  # type: ignore[arg-type]
            context = role_context(run, run.domains[0], calls)
            context.world(world_of(context, plan, 0))  # a world is built once a run, not once an episode
            made = asyncio.run(_made(context, batch))  # writes the tasks, and warms imports and expressions
            timed.seconds, started = 0.0, time.process_time()
            records = asyncio.run(_rolled_out(context, plan, made))
            spent = time.process_time() - started
    report(records, spent, timed.seconds)


async def _rolled_out(context: RoleContext, plan: Plan, made: Made) -> list[EpisodeRecord]:
    """Roll out and judge four fresh trials of every accepted task: an episode's whole cost, and nothing else's."""
    records = []
    for proposal in made.proposals:
        if proposal.accepted and proposal.task is not None:
            for trial in range(4, 8):
                key = EpisodeKey(context.run, 1, plan.id, proposal.name, trial)
                rolled = await roll_out(context, key, proposal.task, attempts=1)
                verdict = await verify_episode(context, plan, rolled.state)
                records.append(EpisodeRecord(to_record(rolled.state), verdict, rolled.usage))
    return records


async def _made(context: RoleContext, batch: Batch) -> Made:
    return await make(
        context,
        batch,
        index=DuplicateIndex(),
        work=OpenWork(64),
        world_size=0,
        progress=lambda *_: None,
    )


def plain_loop() -> float:
    """Return the CPU seconds of a million additions in plain Python, the best of five."""
    samples = []
    for _ in range(5):
        started, total = time.process_time(), 0
        for number in range(1_000_000):
            total += number
        samples.append(time.process_time() - started)
    return min(samples)


def report(records: list[EpisodeRecord], spent: float, acting: float) -> None:
    """Print the figures of one run."""
    turns = sum(m.finish_reason is not None for record in records for m in record.episode.messages)
    calls = sum(m.result is not None for record in records for m in record.episode.messages)
    count = len(records)
    print(f"{count} offline episodes, {turns / count:.1f} turns and {calls / count:.1f} tool calls each")
    print(f"CPU per episode: {spent / count * 1e3:.2f} ms (target 6), of it the actors {acting / count * 1e3:.2f} ms")
    print(f"CPU per completion beyond the actors: {(spent - acting) / turns * 1e6:.0f} us (limit 1,000)")
    # How fast this machine is at this moment: an idle Zen 4 core takes about 45 ms for the loop.
    loop = plain_loop()
    print(
        f"a plain loop of a million additions: {loop * 1e3:.0f} ms; an episode costs {spent / count / loop:.3f} of it"
    )


if __name__ == "__main__":
    main()
