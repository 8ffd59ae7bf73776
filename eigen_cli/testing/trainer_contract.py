"""The contract of a trainer's plan: pure, complete before anything runs, and free of secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from eigen_cli.api.trainer import Trainer


def trainer_breaches(trainer: Trainer, recipe: Mapping[str, Any], data: Path, workdir: Path) -> Iterator[str]:
    """Yield how a trainer's plan for a recipe breaks its contract; nothing is launched."""
    before = sorted(workdir.rglob("*"))
    plan = trainer.plan(recipe, data, workdir)
    if sorted(workdir.rglob("*")) != before:
        yield "planning writes files; a plan only says which"
    if trainer.plan(recipe, data, workdir) != plan:
        yield "the same recipe gives two different plans"
    if not plan.argv:
        yield "the plan runs nothing"
    if not plan.outputs:
        yield "the plan expects no output"
    for name in (*plan.files, *plan.outputs):
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            yield f"{name!r} lies outside the working folder"
    for name, value in plan.environment.items():
        if name.upper().endswith(("_KEY", "_TOKEN", "_SECRET")) and value:
            yield f"the plan carries the value of {name}; launch() takes it from the environment"
