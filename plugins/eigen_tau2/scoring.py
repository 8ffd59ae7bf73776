"""How the benchmark's reward basis is scored: officially, its defects included, and corrected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eigen_cli.api.domain import Scoring
from eigen_cli.api.tasks import Task
from eigen_tau2.task_json import Basis

OFFICIAL: Mapping[Basis, str] = {
    "DB": "tau2-db",
    "ENV_ASSERTION": "tau2-env",
    "ACTION": "tau2-action",
    "COMMUNICATE": "tau2-communicate",
    "NL_ASSERTION": "tau2-nl",
}
"""The verifier that decides what the benchmark's evaluator decides."""

CORRECTED: Mapping[str, str] = {
    "tau2-db": "tau2-state",
    "tau2-env": "checks",
    "tau2-action": "tau2-strict-action",
    "tau2-communicate": "communicate",
    "tau2-nl": "tau2-nl",
}
"""The verifier that decides the same question rightly."""


def basis_of(basis: Iterable[Basis]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the verifiers of a reward basis, for training and for evaluation.

    Training takes only what code decides: statements for a judge are left out, and where nothing else is asked for, the
    final state stands in.
    """
    evaluation = tuple(OFFICIAL[part] for part in dict.fromkeys(basis))
    training = tuple(name for name in evaluation if name != OFFICIAL["NL_ASSERTION"])
    return training or (OFFICIAL["DB"],), evaluation


def scorings_of(task: Task) -> tuple[Scoring, ...]:
    """Return the official scoring and the corrected one; for a task with a basis of its own, that one alone.

    Neither fails a task for every refused gold call: the benchmark passes over all of them, and `tau2-state` over
    refused reads, which change nothing; a refused gold *write* it marks as an invalid task.
    """
    basis = task.reward.evaluation
    if not all(name in CORRECTED for name in basis):
        return (Scoring("own", basis),)
    corrected = tuple(CORRECTED[name] for name in basis)
    return (
        Scoring("official", basis, tolerates_gold_errors=True),
        Scoring("corrected", corrected, tolerates_gold_errors=True),
    )
