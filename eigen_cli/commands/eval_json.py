"""An evaluation as JSON: what `eigen eval` and `eigen evaluations` print with `--json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.evaluations import Evaluation
from eigen_cli.commands.generation_views import SCHEMA, SIMULATED
from eigen_cli.evaluation.comparison import Difference
from eigen_cli.evaluation.estimators import Sample
from eigen_cli.evaluation.figures import by_k
from eigen_cli.nearest import nearest_hint


@dataclass(frozen=True)
class Shown:
    """An evaluation under the scoring that is its headline, and what it is compared with."""

    evaluation: Evaluation
    scoring: str
    difference: Difference | None = None


def headline(evaluation: Evaluation, scoring: str | None) -> str:
    """Return the scoring to show first; raise `ConfigError` where the evaluation has none of that name."""
    body = evaluation.body
    if scoring is None:
        return body.scoring
    if scoring not in body.scorings:
        known = scorings_in_order(evaluation, body.scoring)
        raise ConfigError(
            f"{body.domain} has no scoring {scoring!r}; it has {', '.join(known)}", hint=nearest_hint(scoring, known)
        )
    return scoring


def scorings_in_order(evaluation: Evaluation, first: str) -> list[str]:
    """Return the names of an evaluation's scorings, the headline first."""
    return sorted(evaluation.body.scorings, key=lambda name: (name != first, name))


def evaluation_json(shown: Shown) -> dict[str, Any]:
    """Return an evaluation as `eigen eval --json` and `eigen evaluations --json` print it."""
    evaluation = shown.evaluation
    body, observed = evaluation.body, evaluation.observed
    figures = body.scorings[shown.scoring]
    found: dict[str, Any] = {
        "id": evaluation.id,
        "hash": evaluation.hash,
        "domain": body.domain,
        "split": body.split,
        "release": body.release,
        "scoring": shown.scoring,
        "seed": body.seed,
        "tasks": body.tasks,
        "trials": body.trials,
        "passed": figures.passed,
        "pass_hat_k": figures.pass_hat_k,
        "upper_bound": figures.upper_bound,
        "reward_basis": figures.basis,
        "untouched_passes": figures.untouched_passes,
        "undetermined": figures.undetermined,
        "scorings": {name: body.scorings[name] for name in scorings_in_order(evaluation, shown.scoring)},
        "infrastructure": body.infrastructure,
        "missing": body.missing,
        "skipped": body.skipped,
        "violations": body.violations,
        "violating_episodes": body.violating_episodes,
        "stops": body.stops,
        "turns": body.turns,
        "tool_calls": body.tool_calls,
        "tokens": mean_tokens(evaluation),
        "usd": observed.usd,
        "usage": observed.usage,
        **{role: body.actors.get(role) for role in ("agent", "user", "judge")},
        "temperatures": body.temperatures,
        "simulated": body.simulated,
        "verifiers": body.verifiers,
        "generation": body.generation,
        "checkpoint": body.checkpoint,
        "rescored": body.rescored,
        "overlap": body.overlap,
        "generalises": generalises(evaluation),
    }
    if body.simulated:
        found["notice"] = SIMULATED
    if shown.difference is not None:
        found["difference"] = difference_json(shown.difference)
    return found


def evaluated_json(shown: Sequence[Shown], macro: Sample | None, macro_difference: Sample | None) -> dict[str, Any]:
    """Return one evaluation, or those of several domains with the mean over domains."""
    if macro is None:
        return {"schema": SCHEMA, **evaluation_json(shown[0])}
    mean: dict[str, Any] = {"domains": len(shown), "pass_hat_k": by_k(macro)}
    if macro_difference is not None:
        mean["difference"] = {"pass_hat_k": by_k(macro_difference)}
    return {"schema": SCHEMA, "domains": [evaluation_json(one) for one in shown], "macro": mean}


def difference_json(difference: Difference) -> dict[str, Any]:
    """Return how an evaluation differs from another: ours minus theirs."""
    against = difference.against
    return {
        "against": against.id,
        "hash": against.hash,
        "tasks": difference.tasks,
        "pass_hat_k": by_k(difference.sample),
    }


def mean_tokens(evaluation: Evaluation) -> float | None:
    """Return the tokens of both sides, prompts included, a trial takes on average; None where nobody was asked."""
    body, usage = evaluation.body, evaluation.observed.usage
    sides = [usage[side] for side in ("agent", "user") if side in usage]
    total = sum(side.prompt_tokens + side.completion_tokens for side in sides)
    return total / (body.tasks * body.trials) if sides else None


def generalises(evaluation: Evaluation) -> bool | None:
    """Return whether a result may be called generalisation; None where nothing says what was trained on."""
    overlap = evaluation.body.overlap
    return None if overlap is None else evaluation.body.split == "test" and overlap.clean
