"""The registry as the rest of eigen sees it. `eigen_registry` implements it; only `commands/wiring.py` opens it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from eigen_cli.api.evaluations import (
    EvaluatedEpisode,
    Evaluation,
    EvaluationBody,
    EvaluationContents,
    EvaluationObserved,
)
from eigen_cli.api.generations import (
    EpisodeRecord,
    Generation,
    GenerationBody,
    GenerationContents,
    GenerationObserved,
    InjectedFault,
    ProposalRecord,
)
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.tasks import Task


class Store(Protocol):
    """Sealed generations and evaluations. Methods use short-lived connections; reads wait out a writer's moments.

    A `ref` is an id (`gen-0003`, `eval-0002`), a hash or a unique prefix of one (at least 6 digits), or `latest`; a ref
    that names nothing raises `RegistryError` with the nearest match.
    """

    @property
    def folder(self) -> Path:
        """The registry's folder, where journals lie too."""

    def seal(self, body: GenerationBody, observed: GenerationObserved, contents: GenerationContents) -> Generation:
        """Store a generation in one transaction. Sealing the same hash again returns the stored one."""

    def generations(self) -> list[Generation]:
        """Return all generations in the order of their ids."""

    def generation(self, ref: str) -> Generation:
        """Return one generation."""

    def plans(self, ref: str) -> list[PlanRecord]:
        """Return a generation's plans in slot order, rejected children after the used ones."""

    def tasks(self, ref: str) -> Iterator[Task]:
        """Iterate over a generation's accepted tasks in proposal order."""

    def task(self, ref: str, task: str) -> Task:
        """Return one task by id or unique prefix."""

    def rejected(self, ref: str) -> Iterator[ProposalRecord]:
        """Iterate over a generation's rejected proposals."""

    def episodes(self, ref: str, *, task: str | None = None) -> Iterator[EpisodeRecord]:
        """Iterate over a generation's episodes in task and trial order."""

    def episode(self, ref: str, episode: str) -> EpisodeRecord:
        """Return one episode by id or unique prefix."""

    def faults(self, ref: str) -> Iterator[InjectedFault]:
        """Iterate over the simulator's side table; for scoring blame against truth, never for roles."""

    def seal_evaluation(
        self, body: EvaluationBody, observed: EvaluationObserved, contents: EvaluationContents
    ) -> Evaluation:
        """Store an evaluation in one transaction. Sealing the same hash again returns the stored one."""

    def evaluations(self) -> list[Evaluation]:
        """Return all evaluations in the order of their ids."""

    def evaluation(self, ref: str) -> Evaluation:
        """Return one evaluation."""

    def evaluation_tasks(self, ref: str) -> Iterator[Task]:
        """Iterate over the tasks of an evaluation in order."""

    def evaluation_episodes(self, ref: str) -> Iterator[EvaluatedEpisode]:
        """Iterate over an evaluation's episodes in task and trial order."""
