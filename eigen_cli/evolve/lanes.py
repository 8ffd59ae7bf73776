"""Lanes: a round over several domains is one lane each, side by side; what one makes depends on no other.

Lanes share the journal, the actors and the limits on concurrency. Each has its own tools, templates, worlds, plans,
probe and memory of accepted tasks, and its calls carry its domain's name, so a lane makes exactly what a run of its
domain alone would make with its share of the proposals.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import msgspec

from eigen_cli.api.backend import Completer
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.plans import Plan, PlanOutcome, PlanRecord
from eigen_cli.evolve.coverage import Touched, attainable, gap_between, touched_by_all
from eigen_cli.evolve.duplicates import DuplicateIndex
from eigen_cli.evolve.planning import first_plans
from eigen_cli.evolve.progress import Progress
from eigen_cli.evolve.proposals import Proposal, Rules, write_and_verify
from eigen_cli.evolve.recall import Recalled, recalled
from eigen_cli.evolve.reflection import Prober, Succession, next_plans, outcome_of
from eigen_cli.evolve.rounds import Batch, Judged, Made, Watch, ground_batch, make, world_of
from eigen_cli.evolve.runs import Run, RunDomain, role_context
from eigen_cli.evolve.settings import dealt
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.planner import plan_problem
from eigen_cli.roles.synthesizer import Grounding
from eigen_cli.run.journal import Journal
from eigen_cli.run.ordered import OpenWork
from eigen_cli.run.shelf import Shelf

T = TypeVar("T")


@dataclass(frozen=True)
class LaneRound:
    """What one lane brings to a round's generation."""

    domain: RunDomain
    plans: tuple[PlanRecord, ...]
    made: Made
    whole: Touched
    """Everything the domain's tasks could touch, as far as is known."""
    context: RoleContext
    """What the domain's actors were told and given."""

    @property
    def episodes(self) -> list[Judged]:
        """The episodes, in task and trial order."""
        return [episode for task in self.made.tasks for episode in self.made.episodes[task.id]]


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
        recalled: Recalled | None = None,
    ) -> None:
        """`tasks`: the lane's proposals a round. `watch` is told of each accepted task whose trials are over.

        `recalled`: what it goes on from; without, it begins.
        """
        self.domain = domain
        self._settings = run.settings
        self._tasks = tasks
        self._journal = journal
        self._work = work
        self._watch = watch
        self._context = role_context(run, domain, calls)
        self._rules = Rules(run.settings.repairs, run.settings.validation)
        self._prober = Prober(
            self._context,
            run.settings,
            work,
            agent=run.actors.identities["agent"],
            known=recalled.figures if recalled else None,
        )
        self._index = recalled.index if recalled else DuplicateIndex()
        self._ever = recalled.ever if recalled else Touched()
        self._plans: Sequence[Plan] = recalled.plans if recalled else ()
        self._outcomes: Sequence[PlanOutcome] | None = recalled.outcomes if recalled else None
        self._touched = recalled.touched if recalled else Touched()

    async def plan(self) -> None:
        """Have the first round's plans written, or see that those to go on from fit; comes before anything else.

        Raises what the planner raises, and `ConfigError` for a plan that today's domain has no templates for.
        """
        if not self._plans:
            self._plans = await first_plans(self._context, self._journal, slots=self._settings.plans)
        for plan in self._plans:
            problem = plan_problem(self._context, plan.body.synthesis)
            if problem is not None:
                raise ConfigError(
                    f"{plan.id} of {self.domain.name} cannot be used any more: {problem}",
                    hint="the domain has changed since; start anew without --from",
                )

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

    async def make_round(self, round_: int, progress: Progress, shelf: Shelf) -> LaneRound:
        """Run the lane's part of the next round: from what the last one taught to judged episodes on the shelf."""
        successions = await self._successions(round_)
        self._plans = [succession.plan for succession in successions]
        made = await make(
            self._context,
            self._batch(round_),
            index=self._index,
            work=self._work,
            world_size=self._settings.world_size,
            progress=progress,
            watch=self._watch,
            shelf=shelf,
        )
        self._outcomes = [outcome_of(plan, made) for plan in self._plans]
        self._touched = touched_by_all(made.tasks)
        self._ever |= self._touched
        records = tuple(
            msgspec.structs.replace(record, outcome=outcome) if record.plan is succession.plan else record
            for succession, outcome in zip(successions, self._outcomes, strict=True)
            for record in succession.records
        )
        return LaneRound(self.domain, records, made, self._whole(), self._context)

    def _whole(self) -> Touched:
        """Return what can be touched: pairs no draft showed count too, and so a total never falls again."""
        return self._attainable | self._ever

    @cached_property
    def _attainable(self) -> Touched:
        return attainable(self._context, world_of(self._context, self._plans[0], self._settings.world_size))

    async def _successions(self, round_: int) -> list[Succession]:
        if self._outcomes is None or not self._settings.evolution:
            return [Succession(plan, (PlanRecord(plan, "used"),)) for plan in self._plans]
        whole, slots = self._whole(), len(self._plans)
        gaps = [gap_between(whole, self._touched, slot=slot, slots=slots) for slot in range(slots)]
        return await next_plans(
            self._context, self._plans, self._outcomes, round_=round_, gaps=gaps, prober=self._prober
        )

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
    known = recalled(run, run.parent) if run.parent else {}
    return [
        Lane(
            run,
            domain,
            tasks=tasks,
            calls=calls,
            journal=journal,
            work=work,
            watch=watch,
            recalled=known.get(domain.name),
        )
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
