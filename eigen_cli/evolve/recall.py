"""What a lane must know to go on from a sealed generation, read back from the registry.

A lane that made the generation itself knows the same, so both make the same next round. Generations sealed before
plans carried their outcomes do not say which attempts were repaired: of them only what stood as rejected is taught.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eigen_cli.api.generations import GenerationBody
from eigen_cli.api.plans import Plan, PlanOutcome, ProbeFigures
from eigen_cli.evolve.coverage import Touched, touched_by
from eigen_cli.evolve.duplicates import DuplicateIndex
from eigen_cli.evolve.parent import Parent
from eigen_cli.evolve.proposals import Proposal
from eigen_cli.evolve.reflection import outcome_of
from eigen_cli.evolve.rounds import Judged, Made
from eigen_cli.evolve.runs import Run
from eigen_cli.roles.prompting import prompt_versions


@dataclass(frozen=True)
class Recalled:
    """One domain's part of a generation and of its line."""

    plans: tuple[Plan, ...]
    """In slot order."""
    outcomes: tuple[PlanOutcome, ...]
    """What came of each."""
    touched: Touched
    """By the generation's tasks."""
    ever: Touched
    """By theirs and all known ancestors'."""
    index: DuplicateIndex
    """Of the tasks accepted so far."""
    figures: Mapping[str, ProbeFigures]
    """Of plans that this run's probe would measure alike."""


def recalled(run: Run, parent: Parent) -> Mapping[str, Recalled]:
    """Return what is known of each domain of a run that goes on from a generation."""
    names = [part.name for part in run.domains]
    indexes = {name: DuplicateIndex() for name in names}
    ever, touched = dict.fromkeys(names, Touched()), dict.fromkeys(names, Touched())
    for generation in (*reversed(parent.ancestors), parent.generation):
        touched = dict.fromkeys(names, Touched())
        for task in run.store.tasks(generation.hash):
            if task.domain in indexes:
                indexes[task.domain].add(task)
                touched[task.domain] |= touched_by(task.gold, task.clauses)
        ever = {name: ever[name] | touched[name] for name in names}
    figures, outcomes = _figures(run, parent), _outcomes(run, parent)
    found = {}
    for name in names:
        plans = tuple(record.plan for record in parent.used(name))
        taught = tuple(outcomes[plan.id] for plan in plans)
        found[name] = Recalled(plans, taught, touched[name], ever[name], indexes[name], figures)
    return found


def _outcomes(run: Run, parent: Parent) -> dict[str, PlanOutcome]:
    """Return what came of each plan that was used, by its id."""
    used = [record for name in parent.generation.body.by_domain for record in parent.used(name)]
    told = {record.plan.id: record.outcome for record in used if record.outcome is not None}
    if len(told) == len(used):
        return told
    made = _sealed(run, parent)
    return {record.plan.id: outcome_of(record.plan, made) for record in used}


def _figures(run: Run, parent: Parent) -> dict[str, ProbeFigures]:
    """Return the figures of the generation's plans, where this run's probe is the one they were measured on."""
    body = parent.generation.body
    if not _alike(run, body):
        return {}
    agent = run.actors.identities["agent"]
    known = {record.plan.id: record.figures for record in parent.plans if record.figures is not None}
    return {plan: figures for plan, figures in known.items() if figures.agent == agent}


def _alike(run: Run, body: GenerationBody) -> bool:
    own = run.settings.content()
    return (
        (body.seed, body.fingerprint) == (run.settings.seed, run.fingerprint)
        and {name: body.settings.get(name) for name in own} == own
        and dict(body.actors) == run.identities
        and dict(body.prompts) == prompt_versions()
        and dict(body.verifiers) == run.verifier_versions
    )


def _sealed(run: Run, parent: Parent) -> Made:
    """Return what the registry knows of how a generation was made: the last word on each proposal."""
    store, hash_ = run.store, parent.generation.hash
    proposals = [
        Proposal("", task.provenance.plan, task.provenance.template, task, "", task.provenance.attempt + 1)
        for task in store.tasks(hash_)
    ]
    proposals += [
        Proposal(
            record.key,
            record.plan,
            record.template,
            record.task,
            "",
            record.attempts,
            record.rejections,
            record.rejections,
        )
        for record in store.rejected(hash_)
    ]
    episodes: dict[str, list[Judged]] = {}
    for record in store.episodes(hash_):
        episodes.setdefault(record.episode.task, []).append(Judged.of(record.verdict))
    return Made(tuple(proposals), {task: tuple(trials) for task, trials in episodes.items()})
