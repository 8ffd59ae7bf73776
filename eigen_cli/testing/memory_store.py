"""A registry that lives in memory, for tests of plugins that read one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from eigen_cli.api.backend import Usage
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
from eigen_cli.api.canonical import canonical_json, content_hash
from eigen_cli.api.errors import RegistryError, UnknownRefError
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
from eigen_cli.testing import memory_views
from eigen_cli.testing.outlined import outline_of

_SHORTEST_PREFIX = 6


class MemoryStore:
    """Implements `eigen_cli.api.store.Store`; what is sealed is gone with the object."""

    def __init__(self, folder: Path = Path(".eigen")) -> None:
        self.folder = folder
        """Only a name: nothing is written there."""
        self._sealed: list[tuple[Generation, GenerationContents]] = []
        self._evaluations: list[tuple[Evaluation, EvaluationContents]] = []
        self._tags: dict[str, str] = {}
        self._pushes: list[Push] = []
        self._numbered = 0

    def seal(self, body: GenerationBody, observed: GenerationObserved, contents: GenerationContents) -> Generation:
        """Keep a generation; sealing equal content again returns the first."""
        kinds = ("plans", "tasks", "rejected", "episodes")
        contents = memory_views.materialised(contents)
        body = msgspec.structs.replace(body, contents={kind: content_hash(getattr(contents, kind)) for kind in kinds})
        hash_ = content_hash(body)
        for generation, _ in self._sealed:
            if generation.hash == hash_:
                return generation
        parent = next((known.id for known, _ in self._sealed if known.hash == body.parent), None)
        self._numbered += 1
        generation = Generation(f"gen-{self._numbered:04}", hash_, body, observed, parent)
        self._sealed.append((generation, contents))
        return generation

    def generations(self) -> list[Generation]:
        """Return all generations in the order of their ids."""
        return [generation for generation, _ in self._sealed]

    def listing(self) -> Listing:
        """Return all generations and what they are called."""
        return Listing(self.generations(), dict(sorted(self._tags.items())), list(self._pushes))

    def sealed(self, ref: str | None = None) -> list[Sealed]:
        """Return what everything is called; of a ref, its generation alone."""
        generations = self.generations() if ref is None else [self.generation(ref)]
        evaluations = self.evaluations() if ref is None else []
        return [
            *(Sealed("generation", one.id, one.hash) for one in generations),
            *(Sealed("evaluation", one.id, one.hash) for one in evaluations),
        ]

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

    def openings(self, ref: str, *, side: Requestor | None = None) -> Iterator[Opening]:
        """Iterate over what the models of a side, or of both, were sent first."""
        return (opening for opening in self._find(ref)[1].openings if side in (None, opening.side))

    def toolsets(self, ref: str) -> list[ToolSet]:
        """Return the tools of each side and domain."""
        return list(self._find(ref)[1].toolsets)

    def task_rows(self, ref: str, which: TaskFilter, *, limit: int = 50, offset: int = 0) -> list[TaskRow]:
        """Return one page of a generation's tasks."""
        return memory_views.task_rows(self._find(ref)[1], which)[offset : offset + limit]

    def episode_rows(self, ref: str, which: EpisodeFilter, *, limit: int = 50, offset: int = 0) -> list[EpisodeRow]:
        """Return one page of a generation's episodes."""
        return memory_views.episode_rows(self._find(ref)[1], which)[offset : offset + limit]

    def search(self, ref: str, words: str, *, limit: int = 20) -> list[Found]:
        """Return where all the words stand together."""
        return memory_views.found(self._find(ref)[1], words, limit=limit)

    def task_changes(self, before: str, after: str, *, first: int = 20) -> TaskChanges:
        """Return how the tasks of two generations differ; of each kind of change the first by id are named."""
        return memory_views.task_changes(self.tasks(before), self.tasks(after), first=first)

    def outline(self, ref: str) -> Outline:
        """Return what a generation's tasks touch and how their trials went."""
        return outline_of(self.tasks(ref), self.episodes(ref))

    def tag(self, name: str, ref: str) -> Generation:
        """Let a tag name a generation, whatever it named before."""
        generation = self.generation(ref)
        self._tags[name] = generation.hash
        return generation

    def untag(self, name: str) -> None:
        """Forget a tag."""
        if self._tags.pop(name, None) is None:
            raise UnknownRefError(f"there is no tag {name!r}")

    def note_push(self, push: Push) -> None:
        """Remember a push; the same one twice is one."""
        if push not in self._pushes:
            self._pushes.append(push)

    def size(self, ref: str) -> int:
        """Return how many bytes a generation's records are, written down."""
        return len(canonical_json(self._find(ref)[1]))

    def remove(self, ref: str, *, pushed: bool = False) -> int:
        """Forget a generation, unless it is tagged, another was made from it, or it was pushed and `pushed` is off."""
        generation, freed = self.generation(ref), self.size(ref)
        if generation.hash in self._tags.values():
            raise RegistryError(f"{generation.id} is tagged")
        if any(known.body.parent == generation.hash for known, _ in self._sealed):
            raise RegistryError(f"another generation was made from {generation.id}")
        if not pushed and any(push.hash == generation.hash for push in self._pushes):
            raise RegistryError(f"{generation.id} was pushed")
        self._sealed = [sealed for sealed in self._sealed if sealed[0] is not generation]
        return freed

    def clean(self) -> int:
        """Free nothing: killed writers leave nothing in memory."""
        return 0

    def verify(self, ref: str) -> None:
        """Hash a generation's contents again."""
        generation, contents = self._find(ref)
        pinned = generation.body.contents
        if {kind: content_hash(getattr(contents, kind)) for kind in pinned} != dict(pinned):
            raise RegistryError(f"{generation.id} is not what was sealed")

    def verify_evaluation(self, ref: str) -> None:
        """Find the evaluation; its records cannot change here."""
        self._find_evaluation(ref)

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
            if self._tags.get(ref) == generation.hash:
                return sealed
        raise UnknownRefError(f"no generation is called {ref!r}")
