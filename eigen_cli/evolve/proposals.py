"""Proposals: ground, write, verify, repair; then decide in proposal order, whatever the order of completion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_cli.api.plans import Plan
from eigen_cli.api.tasks import Task, WorldRef
from eigen_cli.api.verdicts import Rejection
from eigen_cli.evolve.duplicates import DuplicateIndex
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.structured import UnusableReplyError
from eigen_cli.roles.synthesizer import Attempt, Grounding, allot_templates, ground, synthesize
from eigen_cli.roles.task_reader import read_task
from eigen_cli.roles.task_verifier import verify_task

FIRST = Attempt()


@dataclass(frozen=True)
class Proposal:
    """What became of one proposal. `turned_down` lists every rejection of every attempt; `final` those that stood."""

    name: str
    plan: str
    template: str
    task: Task | None
    text: str
    attempts: int
    turned_down: tuple[Rejection, ...] = ()
    final: tuple[Rejection, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether the task may be rolled out."""
        return self.task is not None and not self.final


@dataclass(frozen=True)
class Rules:
    """How proposals are treated: bounded repairs, and whether the verifier's word counts (an ablation)."""

    repairs: int
    validation: bool


def ground_all(
    context: RoleContext, plan: Plan, *, round_: int, first: int, count: int, prefix: str, world: WorldRef
) -> list[Grounding]:
    """Return a grounding for each of a plan's proposals, numbered from `first`; templates follow the plan's quotas."""
    names = (context.seed, round_, plan.id, prefix)
    templates = allot_templates(plan.body.synthesis, count, names=names)
    groundings = []
    for place, template in enumerate(templates):
        grounding = ground(
            context,
            plan,
            round_=round_,
            number=first + place,
            name=f"{prefix}{first + place:04}",
            template=template,
            world=world,
        )
        if grounding is not None:
            groundings.append(grounding)
    return groundings


async def write_and_verify(
    context: RoleContext,
    grounding: Grounding,
    *,
    rules: Rules,
    attempt: Attempt = FIRST,
    index: DuplicateIndex | None = None,
) -> Proposal:
    """Write a task and repair it until it is accepted or the repairs are used up.

    `attempt` is where to go on: a rejected version, or the first. With an `index`, near-duplicates of what it holds
    count as rejections too.
    """
    turned_down: tuple[Rejection, ...] = ()
    task: Task | None = None
    while True:
        text: str = ""
        rejections: tuple[Rejection, ...]
        try:
            proposed = await synthesize(context, grounding, attempt)
            task, text = proposed.task, proposed.text
            rejections = await _verified(context, task, grounding, attempt, index) if rules.validation else ()
        except UnusableReplyError as error:
            text, rejections = error.text, (Rejection("invalid_output", error.error),)
            task = None
        except BackendUnreachableError:
            raise
        except BackendError as error:
            rejections = (Rejection("invalid_output", f"no answer: {error.message}"),)
            task = None
        turned_down += rejections
        attempt = Attempt(attempt.number + 1, text, rejections)
        if not rejections or attempt.number > rules.repairs:
            return Proposal(
                name=grounding.name,
                plan=grounding.plan.id,
                template=grounding.template,
                task=task,
                text=text,
                attempts=attempt.number,
                turned_down=turned_down,
                final=rejections,
            )


async def _verified(
    context: RoleContext, task: Task, grounding: Grounding, attempt: Attempt, index: DuplicateIndex | None
) -> tuple[Rejection, ...]:
    """Return what speaks against a task: by code, and only then, where a model reads tasks, by its word."""
    rejections = verify_task(context, task).rejections
    if index is not None and not rejections:
        rejections = near_duplicate(index, task)
    if context.reads_tasks and not rejections:
        rejections = await read_task(context, task, name=grounding.name, attempt=attempt.number)
    return rejections


def near_duplicate(index: DuplicateIndex, task: Task) -> tuple[Rejection, ...]:
    """Return the rejection of a task that is nearly one accepted before."""
    found = index.nearest(task)
    if found is None:
        return ()
    return (Rejection("near_duplicate", f"{found[1]:.2f} similar to {found[0]}: vary persona, wording or reason"),)


async def decide(
    context: RoleContext, grounding: Grounding, proposal: Proposal, *, rules: Rules, index: DuplicateIndex
) -> Proposal:
    """Check an accepted proposal against everything accepted before it; called in proposal order.

    A near-duplicate gets what is left of its repairs here, in order, because a repair must differ from what stands.
    """
    if not proposal.accepted or proposal.task is None or not rules.validation:
        return proposal
    rejections = near_duplicate(index, proposal.task)
    if not rejections:
        index.add(proposal.task)
        return proposal
    turned_down = proposal.turned_down + rejections
    if proposal.attempts > rules.repairs:
        return replace(proposal, turned_down=turned_down, final=rejections)
    attempt = Attempt(proposal.attempts, proposal.text, rejections)
    repaired = await write_and_verify(context, grounding, rules=rules, attempt=attempt, index=index)
    if repaired.accepted and repaired.task is not None:
        index.add(repaired.task)
    return replace(repaired, turned_down=turned_down + repaired.turned_down)


def total_rejections(proposals: Sequence[Proposal]) -> dict[str, int]:
    """Return how often each reason turned an attempt down."""
    counts: dict[str, int] = {}
    for proposal in proposals:
        for rejection in proposal.turned_down:
            counts[rejection.reason] = counts.get(rejection.reason, 0) + 1
    return dict(sorted(counts.items()))
