"""One round: proposals are decided in order, accepted tasks are rolled out at once, episodes are judged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import msgspec

from eigen_cli.api.backend import Usage
from eigen_cli.api.canonical import derive_seed
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.plans import Plan
from eigen_cli.api.tasks import Task, WorldRef
from eigen_cli.api.verdicts import EpisodeVerdict
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
from eigen_cli.run.shelf import Place, Shelf


@dataclass(frozen=True)
class Batch:
    """What to make: proposals of one or more plans under one name space (a round, or a probe of one plan)."""

    round_: int
    shares: Sequence[tuple[Plan, int]]
    prefix: str
    trials: int
    attempts: int
    rules: Rules


class Judged(msgspec.Struct, frozen=True, gc=False):
    """What memory keeps of an episode: how it was judged, and where its record lies, if anywhere."""

    reward: float | None
    party: str = ""
    """Who is to blame for a failure; empty for a pass."""
    reason: str = ""
    place: Place | None = None

    @staticmethod
    def of(verdict: EpisodeVerdict, place: Place | None = None) -> Judged:
        """Return what is kept of an episode with a verdict."""
        blamed = (verdict.blame.party, verdict.blame.reason) if verdict.blame else ("", "")
        return Judged(verdict.reward, *blamed, place)

    @property
    def passed(self) -> bool:
        """Whether the reward is full."""
        return self.reward == 1.0


@dataclass(frozen=True)
class Made:
    """Everything a batch led to, in proposal and trial order."""

    proposals: tuple[Proposal, ...]
    episodes: Mapping[str, tuple[Judged, ...]]
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


Watch = Callable[[Usage], None]
"""Told what a task's trials used, once all of them are over; decides nothing."""


async def make(
    context: RoleContext,
    batch: Batch,
    *,
    index: DuplicateIndex,
    work: OpenWork,
    world_size: int,
    progress: Progress,
    watch: Watch = lambda _: None,
    shelf: Shelf | None = None,
) -> Made:
    """Make a batch. Rollouts of a task start as soon as every proposal before it is decided.

    Episodes are put on the shelf as they end; without one, only what was judged of them is kept.
    """
    groundings = ground_batch(context, batch, world_size=world_size)
    written = [
        work.run(lambda grounding=grounding: write_and_verify(context, grounding, rules=batch.rules))  # type: ignore[misc]
        for grounding in groundings
    ]
    proposals: list[Proposal] = []
    rollouts: dict[str, list[asyncio.Task[_Over]]] = {}
    try:
        async with aclosing(in_order(written)) as results:
            async for proposal in results:
                grounding = groundings[len(proposals)]
                decided = await decide(context, grounding, proposal, rules=batch.rules, index=index)
                proposals.append(decided)
                progress("tasks", len(proposals), len(groundings))
                if decided.accepted and decided.task is not None:
                    rollouts[decided.task.id] = _start_trials(context, batch, grounding, decided.task, work, shelf)
        episodes = await _finished(rollouts, progress, watch)
    finally:
        for trials in rollouts.values():
            for trial in trials:
                trial.cancel()
    return Made(tuple(proposals), episodes)


_Over = tuple[Judged, Usage]


def _start_trials(
    context: RoleContext, batch: Batch, grounding: Grounding, task: Task, work: OpenWork, shelf: Shelf | None
) -> list[asyncio.Task[_Over]]:
    def trial(number: int) -> asyncio.Task[_Over]:
        key = EpisodeKey(context.run, batch.round_, grounding.plan.id, grounding.name, number)
        return asyncio.ensure_future(
            work.run(lambda: _episode(context, grounding.plan, key, task, attempts=batch.attempts, shelf=shelf))
        )

    return [trial(number) for number in range(batch.trials)]


async def _episode(
    context: RoleContext, plan: Plan, key: EpisodeKey, task: Task, *, attempts: int, shelf: Shelf | None
) -> _Over:
    rolled = await roll_out(context, key, task, attempts=attempts)
    verdict = await verify_episode(context, plan, rolled.state)
    record = EpisodeRecord(to_record(rolled.state), verdict, rolled.usage)
    return Judged.of(verdict, None if shelf is None else shelf.put(record)), rolled.usage


async def _finished(
    rollouts: dict[str, list[asyncio.Task[_Over]]], progress: Progress, watch: Watch
) -> dict[str, tuple[Judged, ...]]:
    """Wait for the trials, task by task, and let go of each as it is over."""
    total = sum(len(trials) for trials in rollouts.values())
    done = 0
    episodes: dict[str, tuple[Judged, ...]] = {}
    for task in tuple(rollouts):
        judged, used = [], Usage()
        for trial in rollouts[task]:
            episode, usage = await trial
            judged.append(episode)
            used = used.plus(usage)
            done += 1
            progress("episodes", done, total)
        episodes[task] = tuple(judged)
        del rollouts[task]
        watch(used)
    return episodes
