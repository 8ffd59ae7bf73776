"""Lanes: a round over several domains is one lane each, side by side; what one makes depends on no other.

Lanes share the journal, the actors and the limits on concurrency. Each has its own tools, templates, worlds, plans,
probe and memory of accepted tasks, and its calls carry its domain's name, so a lane makes exactly what a run of its
domain alone would make with its share of the proposals.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from eigen_cli.api.backend import Completer
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.plans import Plan, PlanRecord
from eigen_cli.evolve.coverage import Touched, attainable, gap_between, touched_by_all
from eigen_cli.evolve.duplicates import DuplicateIndex
from eigen_cli.evolve.planning import first_plans
from eigen_cli.evolve.progress import Progress
from eigen_cli.evolve.proposals import Proposal, Rules, write_and_verify
from eigen_cli.evolve.reflection import Prober, Succession, next_plans
from eigen_cli.evolve.rounds import Batch, Made, Watch, ground_batch, make, world_of
from eigen_cli.evolve.runs import Run, RunDomain, role_context
from eigen_cli.evolve.settings import dealt
from eigen_cli.roles.synthesizer import Grounding
from eigen_cli.run.journal import Journal
from eigen_cli.run.ordered import OpenWork

T = TypeVar("T")


@dataclass(frozen=True)
class LaneRound:
    """What one lane brings to a round's generation."""

    domain: RunDomain
    plans: tuple[PlanRecord, ...]
    made: Made
    whole: Touched
    """Everything the domain's tasks could touch, as far as is known."""

    @property
    def records(self) -> list[EpisodeRecord]:
        """The episodes, in task and trial order."""
        return [record for task in self.made.tasks for record in self.made.episodes[task.id]]


class Lane:
    """One domain of a run, from round to round: its plans, the tasks accepted so far, what the last round taught."""

    def __init__(
        self,
        run: Run,
        domain: RunDomain,
        *,
        tasks: int,
        calls: Completer,
        journal: Journal,
        work: OpenWork,
        watch: Watch = lambda _: None,
    ) -> None:
        """`tasks`: the lane's proposals a round. `watch` is told of each accepted task whose trials are over."""
        self.domain = domain
        self._settings = run.settings
        self._tasks = tasks
        self._journal = journal
        self._work = work
        self._watch = watch
        self._context = role_context(run, domain, calls)
        self._rules = Rules(run.settings.repairs, run.settings.validation)
        self._prober = Prober(self._context, run.settings, work, run.actors.identities["agent"])
        self._index = DuplicateIndex()
        self._whole = Touched()
        self._plans: list[Plan] = []
        self._made: Made | None = None

    async def plan(self) -> None:
        """Have the plans of round 1 written; comes before anything else. Raises what the planner raises."""
        self._plans += await first_plans(self._context, self._journal, slots=self._settings.plans)

    async def preview(self, count: int) -> list[Proposal]:
        """Write round 1's first proposals, at most `count`, one of each plan in turn; nothing is rolled out."""
        by_plan: dict[str, list[Grounding]] = {plan.id: [] for plan in self._plans}
        for grounding in ground_batch(self._context, self._batch(1), world_size=self._settings.world_size):
            by_plan[grounding.plan.id].append(grounding)
        longest = max(map(len, by_plan.values()), default=0)
        turns = [group[place] for place in range(longest) for group in by_plan.values() if place < len(group)]
        return await together(
            write_and_verify(self._context, grounding, rules=self._rules) for grounding in turns[:count]
        )

    async def make_round(self, round_: int, progress: Progress) -> LaneRound:
        """Run the lane's part of the next round: from what the last one taught to judged episodes."""
        if self._made is None:
            world = world_of(self._context, self._plans[0], self._settings.world_size)
            self._whole = attainable(self._context, world)
        successions = await self._successions(round_)
        self._plans = [succession.plan for succession in successions]
        self._made = await make(
            self._context,
            self._batch(round_),
            index=self._index,
            work=self._work,
            world_size=self._settings.world_size,
            progress=progress,
            watch=self._watch,
        )
        self._whole |= touched_by_all(self._made.tasks)  # pairs no draft showed; a total never falls again
        records = tuple(record for succession in successions for record in succession.records)
        return LaneRound(self.domain, records, self._made, self._whole)

    async def _successions(self, round_: int) -> list[Succession]:
        if self._made is None or not self._settings.evolution:
            return [Succession(plan, (PlanRecord(plan, "used"),)) for plan in self._plans]
        touched, slots = touched_by_all(self._made.tasks), len(self._plans)
        gaps = [gap_between(self._whole, touched, slot=slot, slots=slots) for slot in range(slots)]
        return await next_plans(self._context, self._plans, self._made, round_=round_, gaps=gaps, prober=self._prober)

    def _batch(self, round_: int) -> Batch:
        return Batch(
            round_=round_,
            shares=tuple(zip(self._plans, dealt(self._tasks, len(self._plans)), strict=True)),
            prefix="",
            trials=self._settings.trials,
            attempts=self._settings.attempts,
            rules=self._rules,
        )


def lanes_of(run: Run, calls: Completer, journal: Journal, *, watch: Watch = lambda _: None) -> list[Lane]:
    """Return a lane for each of a run's domains, in the order of their names, with its share of the proposals."""
    work, shares = OpenWork(run.settings.concurrency), dealt(run.settings.tasks, len(run.domains))
    return [
        Lane(run, domain, tasks=tasks, calls=calls, journal=journal, work=work, watch=watch)
        for domain, tasks in zip(run.domains, shares, strict=True)
    ]


async def together(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Do several things at once and return their results in the order given.

    The first failure ends them all at once: what the others still asked for would be paid for in vain.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
