"""The registry as the rest of eigen sees it. `eigen_registry` implements it; only `commands/wiring.py` opens it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from eigen_cli.api.browsing import (
    EpisodeFilter,
    EpisodeRow,
    Found,
    Listing,
    Outline,
    Push,
    Sealed,
    TaskChanges,
    TaskFilter,
    TaskRow,
)
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
    Opening,
    ProposalRecord,
    ToolSet,
)
from eigen_cli.api.messages import Requestor
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.tasks import Task


class Store(Protocol):
    """Sealed generations and evaluations. Methods use short-lived connections; reads wait out a writer's moments.

    A `ref` is an id (`gen-0003`, `eval-0002`), a hash or a unique prefix of one (at least 6 digits), a tag, or
    `latest`; a ref that names nothing raises `RegistryError` with the nearest match.
    """

    @property
    def folder(self) -> Path:
        """The registry's folder, where journals lie too."""

    def seal(self, body: GenerationBody, observed: GenerationObserved, contents: GenerationContents) -> Generation:
        """Store a generation, whole or not at all. Sealing the same hash again returns the stored one.

        Leave `body.contents` empty: the store computes the digests, reading every kind of content once. A body that
        brings digests (a pulled generation) must bring these. Raises `RegistryError` where they differ.
        """

    def generations(self) -> list[Generation]:
        """Return all generations in the order of their ids."""

    def listing(self) -> Listing:
        """Return all generations and what they are called, at one moment; nothing where there is no registry yet.

        One whose row cannot be read is listed apart; `generations` raises `RegistryError` for it.
        """

    def sealed(self, ref: str | None = None) -> list[Sealed]:
        """Return what everything in the catalogue is called, generations first; of a ref, its generation alone.

        Nothing else is read of them, so that those are there too that cannot be read.
        """

    def generation(self, ref: str) -> Generation:
        """Return one generation."""

    def plans(self, ref: str) -> list[PlanRecord]:
        """Return a generation's plans in slot order, rejected children after the used ones."""

    def tasks(self, ref: str) -> Iterator[Task]:
        """Iterate over a generation's accepted tasks in proposal order."""

    def task(self, ref: str, task: str) -> Task:
        """Return one task by id or unique prefix."""

    def openings(self, ref: str, *, side: Requestor | None = None) -> Iterator[Opening]:
        """Iterate over what the models of a side, or of both, were sent first; none in old generations."""

    def toolsets(self, ref: str) -> list[ToolSet]:
        """Return the tools of each side and domain; none in old generations."""

    def rejected(self, ref: str) -> Iterator[ProposalRecord]:
        """Iterate over a generation's rejected proposals."""

    def episodes(self, ref: str, *, task: str | None = None) -> Iterator[EpisodeRecord]:
        """Iterate over a generation's episodes in task and trial order."""

    def episode(self, ref: str, episode: str) -> EpisodeRecord:
        """Return one episode by id or unique prefix."""

    def faults(self, ref: str) -> Iterator[InjectedFault]:
        """Iterate over the simulator's side table; for scoring blame against truth, never for roles."""

    def task_rows(self, ref: str, which: TaskFilter, *, limit: int = 50, offset: int = 0) -> list[TaskRow]:
        """Return one page of a generation's tasks, without reading any task."""

    def episode_rows(self, ref: str, which: EpisodeFilter, *, limit: int = 50, offset: int = 0) -> list[EpisodeRow]:
        """Return one page of a generation's episodes, without reading any episode."""

    def search(self, ref: str, words: str, *, limit: int = 20) -> list[Found]:
        """Return where all the words stand together: in a task's scenario, or in what was said in an episode.

        Words are compared without case; the last one may be the beginning of one. Nothing but the index is scanned.
        """

    def task_changes(self, before: str, after: str, *, first: int = 20) -> TaskChanges:
        """Return how the tasks of two generations differ, tasks being equal by their ids."""

    def outline(self, ref: str) -> Outline:
        """Return what a generation's tasks touch and how their trials went, without reading any task or episode."""

    def tag(self, name: str, ref: str) -> Generation:
        """Let a tag name a generation, whatever it named before."""

    def untag(self, name: str) -> None:
        """Forget a tag; raises `RegistryError` where there is none of that name."""

    def note_push(self, push: Push) -> None:
        """Remember a push; the same one twice is one."""

    def size(self, ref: str) -> int:
        """Return how many bytes a generation takes."""

    def remove(self, ref: str) -> int:
        """Delete a generation for good and return how many bytes that freed.

        Raises `RegistryError` for one that is tagged or was pushed, or that another generation here was made from.
        """

    def clean(self) -> int:
        """Delete what killed writers left and return how many bytes that freed; what living ones write is spared."""

    def verify(self, ref: str) -> None:
        """Read everything a generation holds and hash it again; raises `RegistryError` where it differs.

        What the catalogue repeats of it is compared too.
        """

    def verify_evaluation(self, ref: str) -> None:
        """Read everything an evaluation holds and hash it again; raises `RegistryError` where it differs."""

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
