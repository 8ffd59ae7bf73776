"""Two evaluations of the same tasks, task by task; and several domains as one figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eigen_cli.api.canonical import content_hash, derive_rng
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.evaluations import Evaluation
from eigen_cli.api.store import Store
from eigen_cli.evaluation.estimators import Sample, differences, macro, sampled
from eigen_cli.evaluation.figures import sample_of, tallies


@dataclass(frozen=True)
class Difference:
    """One evaluation minus another under one scoring, on the tasks both have, paired by task."""

    against: Evaluation
    tasks: int
    sample: Sample


def difference(store: Store, ours: Evaluation, theirs: Evaluation, scoring: str) -> Difference:
    """Return how two evaluations differ.

    Raises `ConfigError` where they cannot be compared: other domains, no such scoring, no equal task in both.
    """
    domain = ours.body.domain
    if theirs.body.domain != domain:
        raise ConfigError(f"{theirs.id} is an evaluation of {theirs.body.domain}, not of {domain}")
    if scoring not in theirs.body.scorings:
        raise ConfigError(
            f"{theirs.id} has no scoring {scoring!r}; it has {', '.join(sorted(theirs.body.scorings))}",
            hint=f"`eigen eval --rescore {theirs.id}` scores its episodes as today",
        )
    known = {content_hash(task): task.id for task in store.evaluation_tasks(theirs.hash)}
    same = {task.id for task in store.evaluation_tasks(ours.hash) if content_hash(task) in known}
    counts = [
        {
            task: tally
            for task, tally in tallies(store.evaluation_episodes(evaluation.hash), scoring).items()
            if task in same
        }
        for evaluation in (ours, theirs)
    ]
    values = differences(*counts)
    if not values:
        raise ConfigError(
            f"{ours.id} ({ours.body.release}, {ours.body.split}) and {theirs.id} ({theirs.body.release}, "
            f"{theirs.body.split}) have no equal task with a reward in both"
        )
    return Difference(theirs, len(values), sampled(values, derive_rng("bootstrap", domain, "difference")))


def macro_difference(parts: Sequence[Difference]) -> Sample:
    """Return the mean over domains of their differences."""
    return macro([part.sample for part in parts])


def macro_sample(store: Store, evaluations: Sequence[Evaluation], scorings: Sequence[str]) -> Sample:
    """Return pass^k as the mean over domains, each under its own scoring."""
    return macro(
        [
            sample_of(evaluation.body.domain, tallies(store.evaluation_episodes(evaluation.hash), scoring))
            for evaluation, scoring in zip(evaluations, scorings, strict=True)
        ]
    )
