"""What re-scoring changed, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eigen_cli.commands.eval_json import Shown, evaluation_json
from eigen_cli.commands.generation_views import SCHEMA
from eigen_cli.console import Line, aligned
from eigen_cli.evaluation.rescoring import Rescored

_SHOWN = 20
"""Changed trials that the text lists; `--json` has all."""


def rescored_json(result: Rescored, shown: Shown) -> dict[str, Any]:
    """Return the new evaluation and every trial that is scored otherwise."""
    changed = {"from": result.before.id, "retold": result.retold, "changes": list(result.changes)}
    return {"schema": SCHEMA, **evaluation_json(shown), "rescoring": changed}


def rescored_lines(result: Rescored) -> Iterator[Line]:
    """Yield what changed, verifier versions first."""
    before, after = result.before, result.evaluation
    yield Line(f"{after.id} re-scores {before.id}: {len(result.changes)} rewards changed", "bold")
    old, new = before.body.verifiers, after.body.verifiers
    moved = [
        f"{name} {old.get(name, '-')} -> {new.get(name, '-')}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]
    yield Line(f"verifiers: {', '.join(moved) or 'the same versions'}")
    yield Line(f"{result.retold} episodes went otherwise when their tools ran again")
    rows = [
        (change.task, str(change.trial), change.scoring, _reward(change.before), _reward(change.after))
        for change in result.changes[:_SHOWN]
    ]
    if rows:
        yield Line(aligned(rows, header=("task", "trial", "scoring", "was", "is"), right=(1, 3, 4)))
    if len(result.changes) > _SHOWN:
        yield Line(f"and {len(result.changes) - _SHOWN} more, all in --json")


def _reward(reward: float | None) -> str:
    return "none" if reward is None else f"{reward:g}"
