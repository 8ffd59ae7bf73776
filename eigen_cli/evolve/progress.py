"""How far a run is, for whoever watches."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told how far a round is; decides nothing."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Note that `done` of `total` pieces of a stage are finished."""


class SharedProgress:
    """Adds up how far the lanes of one round are, so that a stage is one line whatever their number."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._stages: dict[str, dict[str, tuple[int, int]]] = {}

    def of(self, lane: str) -> Progress:
        """Return what a lane of that name reports to."""

        def note(stage: str, done: int, total: int) -> None:
            reported = self._stages.setdefault(stage, {})
            reported[lane] = (done, total)
            self._progress(stage, sum(d for d, _ in reported.values()), sum(t for _, t in reported.values()))

        return note
