"""What `eigen eval` is asked to do in one domain."""

from __future__ import annotations

import msgspec

from eigen_cli.api.episodes import Limits


class EvalSettings(msgspec.Struct, frozen=True):
    """The size of an evaluation and what names its subject."""

    split: str = "test"
    trials: int = 4
    seed: int = 0
    tasks: tuple[str, ...] = ()
    """Ids to keep; empty keeps all of the split."""
    limit: int | None = None
    """How many tasks to keep at most, the first ones."""
    generation: str | None = None
    """The generation the judged agent was trained on, and where a domain without tasks of its own takes them from."""
    checkpoint: str = ""
    """What the judged checkpoint is called, where the model's name does not say it."""
    attempts: int = 3
    """Starts of a trial, infrastructure failures included."""
    concurrency: int = 64
    fresh: bool = False
    limits: Limits = Limits()
