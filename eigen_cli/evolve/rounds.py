"""One round: proposals are decided in order, accepted tasks are rolled out at once, episodes are judged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from eigen_cli.api.canonical import derive_seed
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.plans import Plan
from eigen_cli.api.tasks import Task, WorldRef
from eigen_cli.episode.record import to_record
from eigen_cli.episode.state import EpisodeKey
from eigen_cli.evolve.duplicates import DuplicateIndex
from eigen_cli.evolve.progress import Progress
from eigen_cli.evolve.proposals import Proposal, Rules, decide, ground_all, write_and_verify
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import verify_episode
from eigen_cli.roles.rollout import roll_out
from eigen_cli.roles.synthesizer import Grounding
from eigen_cli.run.ordered import OpenWork, in_order


@dataclass(frozen=True)
class Batch:
    """What to make: proposals of one or more plans under one name space (a round, or a probe of one plan)."""

    round_: int
    shares: Sequence[tuple[Plan, int]]
    prefix: str
    trials: int
    attempts: int
    rules: Rules


@dataclass(frozen=True)
class Made:
    """Everything a batch led to, in proposal and trial order."""

    proposals: tuple[Proposal, ...]
    episodes: Mapping[str, tuple[EpisodeRecord, ...]]
    """Episodes by task id."""

    @property
    def tasks(self) -> list[Task]:
        """The accepted tasks."""
        return [proposal.task for proposal in self.proposals if proposal.accepted and proposal.task is not None]


def world_of(context: RoleContext, plan: Plan, size: int) -> WorldRef:
    """Return the generated world a plan's tasks live in: one a slot, the same in every round; or the only one."""
    if context.domain.fixed_world:
        return WorldRef(0, 0)
    return WorldRef(derive_seed(context.seed, "world", plan.body.slot) % 1_000_000, size)


def ground_batch(context: RoleContext, batch: Batch, *, world_size: int) -> list[Grounding]:
    """Return a batch's groundings in proposal order, numbered through its plans."""
    groundings: list[Grounding] = []
    first = 0
    for plan, count in batch.shares:
        groundings += ground_all(
            context,
            plan,
            round_=batch.round_,
            first=first,
            count=count,
            prefix=batch.prefix,
            world=world_of(context, plan, world_size),
        )
        first += count
    return groundings


Watch = Callable[[Sequence[EpisodeRecord]], None]
"""Told of a task's trials once all of them are over; decides nothing."""


async def make(
    context: RoleContext,
    batch: Batch,
    *,
    index: DuplicateIndex,
    work: OpenWork,
    world_size: int,
    progress: Progress,
    watch: Watch = lambda _: None,
) -> Made:
    """Make a batch. Rollouts of a task start as soon as every proposal before it is decided."""
    groundings = ground_batch(context, batch, world_size=world_size)
    written = [
        work.run(lambda grounding=grounding: write_and_verify(context, grounding, rules=batch.rules))  # type: ignore[misc]
        for grounding in groundings
    ]
    proposals: list[Proposal] = []
    rollouts: dict[str, list[asyncio.Task[EpisodeRecord]]] = {}
    try:
        async with aclosing(in_order(written)) as results:
            async for proposal in results:
                grounding = groundings[len(proposals)]
                decided = await decide(context, grounding, proposal, rules=batch.rules, index=index)
                proposals.append(decided)
                progress("tasks", len(proposals), len(groundings))
                if decided.accepted and decided.task is not None:
                    rollouts[decided.task.id] = _start_trials(context, batch, grounding, decided.task, work)
        episodes = await _finished(rollouts, progress, watch)
    finally:
        for trials in rollouts.values():
            for trial in trials:
                trial.cancel()
    return Made(tuple(proposals), episodes)


def _start_trials(
    context: RoleContext, batch: Batch, grounding: Grounding, task: Task, work: OpenWork
) -> list[asyncio.Task[EpisodeRecord]]:
    def trial(number: int) -> asyncio.Task[EpisodeRecord]:
        key = EpisodeKey(context.run, batch.round_, grounding.plan.id, grounding.name, number)
        return asyncio.ensure_future(
            work.run(lambda: _episode(context, grounding.plan, key, task, attempts=batch.attempts))
        )

    return [trial(number) for number in range(batch.trials)]


async def _episode(context: RoleContext, plan: Plan, key: EpisodeKey, task: Task, *, attempts: int) -> EpisodeRecord:
    rolled = await roll_out(context, key, task, attempts=attempts)
    verdict = await verify_episode(context, plan, rolled.state)
    return EpisodeRecord(to_record(rolled.state), verdict, rolled.usage)


async def _finished(
    rollouts: Mapping[str, list[asyncio.Task[EpisodeRecord]]], progress: Progress, watch: Watch
) -> dict[str, tuple[EpisodeRecord, ...]]:
    total = sum(len(trials) for trials in rollouts.values())
    done = 0
    episodes: dict[str, tuple[EpisodeRecord, ...]] = {}
    for task, trials in rollouts.items():
        records = []
        for trial in trials:
            records.append(await trial)
            done += 1
            progress("episodes", done, total)
        episodes[task] = tuple(records)
        watch(records)
    return episodes
