"""Sealing: trials become the body and the contents of an evaluation."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from platform import node

import msgspec

from eigen_cli.api.backend import Usage
from eigen_cli.api.evaluations import (
    EvaluatedEpisode,
    Evaluation,
    EvaluationBody,
    EvaluationContents,
    EvaluationObserved,
    ScoringFigures,
)
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.evaluation.figures import scoring_figures, trial_figures
from eigen_cli.evaluation.overlap import overlap
from eigen_cli.evaluation.runs import EvalDomain, EvalRun, eval_prompts
from eigen_cli.evaluation.scoring import bases_of, scorings_of, untouched_passes
from eigen_cli.roles.context import RoleContext
from eigen_cli.version import VERSION


def seal(
    run: EvalRun,
    context: RoleContext,
    episodes: Sequence[EvaluatedEpisode],
    *,
    usage: Mapping[str, Usage],
    started_at: float,
) -> Evaluation:
    """Seal an evaluation in one transaction; sealing the same content twice is one evaluation."""
    settings, selection, domain = run.settings, run.selection, run.part.domain
    generation = selection.generation
    body = EvaluationBody(
        domain=domain.name,
        split=selection.split,
        release=selection.release,
        seed=settings.seed,
        trials=settings.trials,
        attempts=settings.attempts,
        tasks=len(selection.tasks),
        limits=settings.limits,
        actors=run.actors.identities,
        temperatures=run.temperatures,
        simulated=run.actors.simulated,
        fingerprint=run.part.fingerprint,
        prompts=eval_prompts(),
        verifiers=run.part.verifier_versions,
        scorings=all_figures(context, selection.tasks, episodes, trials=settings.trials),
        scoring=run.scorings[0],
        skipped=selection.skipped,
        generation=generation.hash if generation else None,
        checkpoint=settings.checkpoint,
        overlap=overlap(context, selection.tasks, generation.hash, run.store.tasks(generation.id))
        if generation
        else None,
        **trial_figures(episodes),
    )
    observed = EvaluationObserved(
        run=run.id,
        started_at=started_at,
        sealed_at=time.time(),
        usage=dict(sorted(usage.items())),
        usd=dollars(run, usage),
        host=node(),
        eigen_version=VERSION,
    )
    return run.store.seal_evaluation(body, observed, EvaluationContents(selection.tasks, tuple(episodes)))


def seal_rescored(
    part: EvalDomain,
    context: RoleContext,
    before: Evaluation,
    *,
    tasks: Sequence[Task],
    episodes: Sequence[EvaluatedEpisode],
    store: Store,
) -> Evaluation:
    """Seal what an evaluation's episodes are scored today, as a new evaluation that names the one it re-scored."""
    body = msgspec.structs.replace(
        before.body,
        fingerprint=part.fingerprint,
        verifiers=part.verifier_versions,
        scorings=all_figures(context, tasks, episodes, trials=before.body.trials),
        scoring=scorings_of(part.domain, tasks)[0],
        rescored=before.hash,
        contents={},
        **trial_figures(episodes),
    )
    now = time.time()
    observed = msgspec.structs.replace(
        before.observed, started_at=now, sealed_at=now, usage={}, usd=None, host=node(), eigen_version=VERSION
    )
    return store.seal_evaluation(body, observed, EvaluationContents(tuple(tasks), tuple(episodes)))


def all_figures(
    context: RoleContext, tasks: Sequence[Task], episodes: Sequence[EvaluatedEpisode], *, trials: int
) -> dict[str, ScoringFigures]:
    """Return the figures under every scoring."""
    untouched, bases = untouched_passes(context, tasks), bases_of(context.domain, tasks)
    return {
        name: scoring_figures(
            context.domain.name,
            episodes,
            name,
            trials=trials,
            untouched_passes=untouched[name],
            basis=bases[name],
        )
        for name in scorings_of(context.domain, tasks)
    }


def dollars(run: EvalRun, usage: Mapping[str, Usage]) -> float | None:
    """Return what the calls cost; None where some model's price is unknown. Simulators cost nothing."""
    asked = [role for role, backend in run.actors.backends.items() if not backend.simulated and role in usage]
    if any(role not in run.terms.prices and not usage[role].cost_usd for role in asked if usage[role].calls):
        return None
    return round(sum(usage[role].cost_usd for role in asked), 6)
