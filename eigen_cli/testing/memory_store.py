"""A registry that lives in memory, for tests of plugins that read one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from eigen_cli.api.backend import Usage
from eigen_cli.api.canonical import content_hash
from eigen_cli.api.errors import UnknownRefError
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

_SHORTEST_PREFIX = 6


class MemoryStore:
    """Implements `eigen_cli.api.store.Store`; what is sealed is gone with the object."""

    def __init__(self, folder: Path = Path(".eigen")) -> None:
        self.folder = folder
        """Only a name: nothing is written there."""
        self._sealed: list[tuple[Generation, GenerationContents]] = []
        self._evaluations: list[tuple[Evaluation, EvaluationContents]] = []

    def seal(self, body: GenerationBody, observed: GenerationObserved, contents: GenerationContents) -> Generation:
        """Keep a generation; sealing equal content again returns the first."""
        kinds = ("plans", "tasks", "rejected", "episodes")
        body = msgspec.structs.replace(body, contents={kind: content_hash(getattr(contents, kind)) for kind in kinds})
        hash_ = content_hash(body)
        for generation, _ in self._sealed:
            if generation.hash == hash_:
                return generation
        parent = next((known.id for known, _ in self._sealed if known.hash == body.parent), None)
        generation = Generation(f"gen-{len(self._sealed) + 1:04}", hash_, body, observed, parent)
        self._sealed.append((generation, contents))
        return generation

    def generations(self) -> list[Generation]:
        """Return all generations in the order of their ids."""
        return [generation for generation, _ in self._sealed]

    def generation(self, ref: str) -> Generation:
        """Return one generation."""
        return self._find(ref)[0]

    def plans(self, ref: str) -> list[PlanRecord]:
        """Return a generation's plans."""
        return list(self._find(ref)[1].plans)

    def tasks(self, ref: str) -> Iterator[Task]:
        """Iterate over a generation's tasks."""
        return iter(self._find(ref)[1].tasks)

    def task(self, ref: str, task: str) -> Task:
        """Return one task by id or unique prefix."""
        found = [known for known in self._find(ref)[1].tasks if known.id.startswith(task)]
        if len(found) != 1:
            raise UnknownRefError(f"{ref} has {len(found)} tasks {task!r}")
        return found[0]

    def rejected(self, ref: str) -> Iterator[ProposalRecord]:
        """Iterate over a generation's rejected proposals."""
        return iter(self._find(ref)[1].rejected)

    def episodes(self, ref: str, *, task: str | None = None) -> Iterator[EpisodeRecord]:
        """Iterate over a generation's episodes."""
        return (record for record in self._find(ref)[1].episodes if task in (None, record.episode.task))

    def episode(self, ref: str, episode: str) -> EpisodeRecord:
        """Return one episode by id or unique prefix."""
        found = [record for record in self._find(ref)[1].episodes if record.episode.id.startswith(episode)]
        if len(found) != 1:
            raise UnknownRefError(f"{ref} has {len(found)} episodes {episode!r}")
        return found[0]

    def faults(self, ref: str) -> Iterator[InjectedFault]:
        """Iterate over the simulator's side table."""
        return iter(self._find(ref)[1].faults)

    def seal_evaluation(
        self, body: EvaluationBody, observed: EvaluationObserved, contents: EvaluationContents
    ) -> Evaluation:
        """Keep an evaluation; sealing equal content again returns the first."""
        bare = [msgspec.structs.replace(record, usage=Usage()) for record in contents.episodes]
        digests = {"episodes": content_hash(bare), "tasks": content_hash(contents.tasks)}
        body = msgspec.structs.replace(body, contents=digests)
        hash_ = content_hash(body)
        for evaluation, _ in self._evaluations:
            if evaluation.hash == hash_:
                return evaluation
        evaluation = Evaluation(f"eval-{len(self._evaluations) + 1:04}", hash_, body, observed)
        self._evaluations.append((evaluation, contents))
        return evaluation

    def evaluations(self) -> list[Evaluation]:
        """Return all evaluations in the order of their ids."""
        return [evaluation for evaluation, _ in self._evaluations]

    def evaluation(self, ref: str) -> Evaluation:
        """Return one evaluation."""
        return self._find_evaluation(ref)[0]

    def evaluation_tasks(self, ref: str) -> Iterator[Task]:
        """Iterate over the tasks of an evaluation."""
        return iter(self._find_evaluation(ref)[1].tasks)

    def evaluation_episodes(self, ref: str) -> Iterator[EvaluatedEpisode]:
        """Iterate over an evaluation's episodes."""
        return iter(self._find_evaluation(ref)[1].episodes)

    def _find_evaluation(self, ref: str) -> tuple[Evaluation, EvaluationContents]:
        if ref == "latest" and self._evaluations:
            return self._evaluations[-1]
        for sealed in self._evaluations:
            if ref == sealed[0].id or (len(ref) >= _SHORTEST_PREFIX and sealed[0].hash.startswith(ref)):
                return sealed
        raise UnknownRefError(f"no evaluation is called {ref!r}")

    def _find(self, ref: str) -> tuple[Generation, GenerationContents]:
        if ref == "latest" and self._sealed:
            return self._sealed[-1]
        for sealed in self._sealed:
            generation = sealed[0]
            if ref == generation.id or (len(ref) >= _SHORTEST_PREFIX and generation.hash.startswith(ref)):
                return sealed
        raise UnknownRefError(f"no generation is called {ref!r}")
