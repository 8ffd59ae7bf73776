"""From a round to the next plans: reflect, probe the child against its parent, adopt it or keep it as rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from math import sqrt

from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_cli.api.inputs import CoverageGap
from eigen_cli.api.plans import Plan, PlanOutcome, PlanRecord, ProbeFigures
from eigen_cli.evolve.coverage import touched_by_all
from eigen_cli.evolve.duplicates import DuplicateIndex
from eigen_cli.evolve.proposals import Rules, total_rejections
from eigen_cli.evolve.rounds import Batch, Judged, Made, make
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.reflector import reflect
from eigen_cli.roles.structured import UnusableReplyError
from eigen_cli.run.ordered import OpenWork, in_order


@dataclass(frozen=True)
class Succession:
    """A plan slot's next plan, and the record of how it was chosen."""

    plan: Plan
    records: tuple[PlanRecord, ...]


class Prober:
    """Measures plans on a fixed probe: the same proposal names, worlds and trials for every plan of a slot.

    A plan's figures never change, so each is measured once.
    """

    def __init__(
        self,
        context: RoleContext,
        settings: EvolveSettings,
        work: OpenWork,
        *,
        agent: str,
        known: Mapping[str, ProbeFigures] | None = None,
    ) -> None:
        """`known`: figures by plan that were measured before, of this agent and on this probe."""
        self._context = context
        self._settings = settings
        self._work = work
        self._agent = agent
        self._figures = dict(known or {})

    async def figures(self, plan: Plan) -> ProbeFigures:
        """Return a plan's figures on the probe."""
        known = self._figures.get(plan.id)
        if known is None:
            known = self._figures[plan.id] = await self._measure(plan)
        return known

    async def _measure(self, plan: Plan) -> ProbeFigures:
        settings = self._settings
        batch = Batch(
            round_=0,
            shares=((plan, settings.probe),),
            prefix="probe-",
            trials=settings.trials,
            attempts=settings.attempts,
            rules=Rules(settings.repairs, settings.validation),
        )
        made = await make(
            self._context,
            batch,
            index=DuplicateIndex(),
            work=self._work,
            world_size=settings.world_size,
            progress=lambda *_: None,
        )
        return ProbeFigures(
            proposed=len(made.proposals),
            accepted=len(made.tasks),
            learnable=sum(is_learnable(trials) for trials in made.episodes.values()),
            coverage=touched_by_all(made.tasks).size,
            agent=self._agent,
        )


def is_learnable(trials: Sequence[Judged]) -> bool:
    """Whether a task's pass rate lies strictly between 0 and 1; episodes without a reward do not count."""
    passed = [trial.passed for trial in trials if trial.reward is not None]
    return 0 < sum(passed) < len(passed)


def outcome_of(plan: Plan, made: Made) -> PlanOutcome:
    """Return what became of one plan's proposals."""
    proposals = [proposal for proposal in made.proposals if proposal.plan == plan.id]
    blame: Counter[str] = Counter()
    passes: dict[str, list[bool]] = {}
    for proposal in proposals:
        for episode in made.episodes.get(proposal.task.id, ()) if proposal.accepted and proposal.task else ():
            if episode.party:
                blame[f"{episode.party}:{episode.reason}"] += 1
            if episode.reward is not None:
                passes.setdefault(proposal.template, []).append(episode.passed)
    return PlanOutcome(
        proposed=len(proposals),
        accepted=sum(proposal.accepted for proposal in proposals),
        rejections=total_rejections(proposals),
        rejections_by_template=dict(sorted(Counter(p.template for p in proposals for _ in p.turned_down).items())),
        blame=dict(sorted(blame.items())),
        pass_rates={name: sum(passed) / len(passed) for name, passed in sorted(passes.items())},
    )


def verdict_on_child(child: ProbeFigures, parent: ProbeFigures) -> str | None:
    """Return why a child may not replace its parent, or None.

    It must not yield fewer learnable tasks nor cover less. What chance explains is not called worse: a yield within one
    standard error of the difference (at most sqrt(n/2) tasks of n), and the coverage that one average task brings.
    """
    if child.learnable + round(sqrt(parent.proposed / 2)) < parent.learnable:
        return f"{child.learnable} learnable tasks on the probe, the parent had {parent.learnable}"
    if child.coverage + parent.coverage // max(1, parent.accepted) < parent.coverage:
        return f"covers {child.coverage} tools, pairs and clauses on the probe, the parent {parent.coverage}"
    return None


async def succeed(
    context: RoleContext, plan: Plan, outcome: PlanOutcome, *, round_: int, gap: CoverageGap, prober: Prober
) -> Succession:
    """Return the plan of a slot for round `round_`, given what came of its last one."""
    parent_figures = await prober.figures(plan)
    try:
        child = await reflect(context, plan, outcome, round_=round_, gap=gap, figures=parent_figures)
    except BackendUnreachableError:
        raise
    except (UnusableReplyError, BackendError) as error:
        used = PlanRecord(plan, "used", parent_figures, why=f"no usable child was written: {error}")
        return Succession(plan, (used,))
    figures = await prober.figures(child)
    why = verdict_on_child(figures, parent_figures)
    if why is None:
        return Succession(child, (PlanRecord(child, "adopted", figures, parent_figures),))
    kept = PlanRecord(plan, "used", parent_figures)
    return Succession(plan, (kept, PlanRecord(child, "rejected", figures, parent_figures, why)))


async def next_plans(
    context: RoleContext,
    plans: Sequence[Plan],
    outcomes: Sequence[PlanOutcome],
    *,
    round_: int,
    gaps: Sequence[CoverageGap],
    prober: Prober,
) -> list[Succession]:
    """Return every slot's succession, in slot order; slots are reflected on at the same time."""
    works = [
        succeed(context, plan, outcome, round_=round_, gap=gap, prober=prober)
        for plan, outcome, gap in zip(plans, outcomes, gaps, strict=True)
    ]
    async with aclosing(in_order(works)) as successions:
        return [succession async for succession in successions]
