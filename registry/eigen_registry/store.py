"""The registry's `Store`: a catalogue of what is sealed, and a contents file for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

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
from eigen_registry import (
    entries,
    episode_pages,
    outlines,
    refs,
    removing,
    tags,
    task_changes,
    task_pages,
)
from eigen_registry.catalogue import Catalogue
from eigen_registry.codec import (
    EPISODES,
    EVALUATION_EPISODES,
    EVALUATION_TASKS,
    FAULTS,
    OPENINGS,
    PLANS,
    PROPOSALS,
    TASKS,
    TOOLSETS,
)
from eigen_registry.contents_file import ContentsFiles
from eigen_registry.kinds import EVALUATIONS, GENERATIONS, Kind
from eigen_registry.reading import Reader
from eigen_registry.transaction import transaction


class DuckStore:
    """What is sealed in a folder; implements `eigen_cli.api.store.Store`, where its methods are described.

    Sealing, searching and verifying are imported where they are called: they take 20 ms that lists need not wait for.
    """

    def __init__(self, folder: Path, *, patience: float = 30.0) -> None:
        """`patience`: seconds to wait for a process that holds the catalogue."""
        self._folder = folder
        self._catalogue = Catalogue(folder / "registry.duckdb", patience=patience)
        self._files = ContentsFiles(folder)
        self._reader = Reader(self._catalogue, self._files)

    @property
    def folder(self) -> Path:
        """The registry's folder, where journals lie too."""
        return self._folder

    def seal(self, body: GenerationBody, observed: GenerationObserved, contents: GenerationContents) -> Generation:
        """Store a generation, whole or not at all, or return the stored one if its hash is known already."""
        from eigen_registry import sealing

        return sealing.seal_generation(self._catalogue, self._files, body=body, observed=observed, contents=contents)

    def generations(self) -> list[Generation]:
        """Return all generations in the order of their ids; none where there is no registry yet."""
        if not self._catalogue.exists():
            return []
        with self._catalogue.reading() as con:
            return entries.all_generations(con)

    def listing(self) -> Listing:
        """Return all generations and what they are called, at one moment; nothing where there is no registry yet."""
        if not self._catalogue.exists():
            return Listing([], {}, [])
        with self._catalogue.reading() as con:
            generations, damaged = entries.readable_generations(con)
            return Listing(generations, tags.all_tags(con), entries.pushes(con), tuple(damaged))

    def sealed(self, ref: str | None = None) -> list[Sealed]:
        """Return what everything in the catalogue is called, generations first; of a ref, its generation alone."""
        if ref is None and not self._catalogue.exists():
            return []
        with self._catalogue.reading() as con:
            names = entries.names(con)
            if ref is None:
                return names
            id_ = GENERATIONS.id(refs.number_of_ref(con, GENERATIONS, ref))
            return [name for name in names if name.id == id_]

    def generation(self, ref: str) -> Generation:
        """Return one generation."""
        return cast(Generation, self._reader.owner(GENERATIONS, ref))

    def plans(self, ref: str) -> list[PlanRecord]:
        """Return a generation's plans in slot order, rejected children after the used ones."""
        return list(self._reader.all(GENERATIONS, PLANS, ref))

    def tasks(self, ref: str) -> Iterator[Task]:
        """Iterate over a generation's accepted tasks in proposal order."""
        return self._reader.all(GENERATIONS, TASKS, ref)

    def task(self, ref: str, task: str) -> Task:
        """Return one task by id or unique prefix."""
        return self._reader.one(GENERATIONS, TASKS, ref, name=task)

    def openings(self, ref: str, *, side: Requestor | None = None) -> Iterator[Opening]:
        """Iterate over what the models of a side, or of both, were sent first; none in old generations."""
        every = self._reader.all(GENERATIONS, OPENINGS, ref)
        return every if side is None else (opening for opening in every if opening.side == side)

    def toolsets(self, ref: str) -> list[ToolSet]:
        """Return the tools of each side and domain; none in old generations."""
        return list(self._reader.all(GENERATIONS, TOOLSETS, ref))

    def rejected(self, ref: str) -> Iterator[ProposalRecord]:
        """Iterate over a generation's rejected proposals."""
        return self._reader.all(GENERATIONS, PROPOSALS, ref)

    def episodes(self, ref: str, *, task: str | None = None) -> Iterator[EpisodeRecord]:
        """Iterate over a generation's episodes in task and trial order; of one task (id or unique prefix) if given."""
        if task is None:
            return self._reader.all(GENERATIONS, EPISODES, ref)
        return self._reader.of_task(EPISODES, ref, task)

    def episode(self, ref: str, episode: str) -> EpisodeRecord:
        """Return one episode by id or unique prefix."""
        return self._reader.one(GENERATIONS, EPISODES, ref, name=episode)

    def faults(self, ref: str) -> Iterator[InjectedFault]:
        """Iterate over the simulator's side table; for scoring blame against truth, never for roles."""
        return self._reader.all(GENERATIONS, FAULTS, ref)

    def task_rows(self, ref: str, which: TaskFilter, *, limit: int = 50, offset: int = 0) -> list[TaskRow]:
        """Return one page of a generation's tasks, without reading any task."""
        with self._reader.contents(GENERATIONS, ref) as (_, con):
            return task_pages.task_rows(con, which, limit=limit, offset=offset)

    def episode_rows(self, ref: str, which: EpisodeFilter, *, limit: int = 50, offset: int = 0) -> list[EpisodeRow]:
        """Return one page of a generation's episodes, without reading any episode."""
        with self._reader.contents(GENERATIONS, ref) as (_, con):
            return episode_pages.episode_rows(con, which, limit=limit, offset=offset)

    def search(self, ref: str, words: str, *, limit: int = 20) -> list[Found]:
        """Return where all the words stand together, by the index made when the generation was sealed."""
        from eigen_registry import searching

        with self._reader.contents(GENERATIONS, ref) as (owner, con):
            return searching.search(con, self._files, owner.hash, words, limit=limit)

    def task_changes(self, before: str, after: str, *, first: int = 20) -> TaskChanges:
        """Return how the tasks of two generations differ, tasks being equal by their ids."""
        contents = self._reader.contents
        with contents(GENERATIONS, before) as (_, old), contents(GENERATIONS, after) as (_, new):
            return task_changes.task_changes(old, new, first=first)

    def outline(self, ref: str) -> Outline:
        """Return what a generation's tasks touch and how their trials went, without reading any task or episode."""
        with self._reader.contents(GENERATIONS, ref) as (_, con):
            return outlines.outline(con)

    def tag(self, name: str, ref: str) -> Generation:
        """Let a tag name a generation, whatever it named before; raise `RegistryError` for a name no tag may have."""
        tags.check_name(name)
        found = self.generation(ref)
        with self._catalogue.writing() as con, transaction(con):
            # Between the two it may have been removed.
            number = refs.number_of_ref(con, GENERATIONS, found.hash)
            tags.put(con, name, found.hash)
            return entries.generation_of_number(con, number)

    def untag(self, name: str) -> None:
        """Forget a tag; raises `RegistryError` where there is none of that name."""
        with self._catalogue.reading() as con:
            tags.check_known(con, name)
        with self._catalogue.writing() as con, transaction(con):
            tags.drop(con, name)

    def note_push(self, push: Push) -> None:
        """Remember a push; the same one twice is one."""
        with self._catalogue.writing() as con, transaction(con):
            entries.insert_push(con, push)

    def size(self, ref: str) -> int:
        """Return how many bytes a generation takes."""
        return removing.size_of(self._files, self.generation(ref))

    def remove(self, ref: str, *, pushed: bool = False) -> int:
        """Delete a generation for good and return how many bytes that freed.

        Raises `RegistryError` for one that is tagged, that another generation here was made from, or, unless `pushed`
        says that those may go, that was pushed. Who has its contents open goes on reading them.
        """
        found = self.generation(ref)
        return removing.remove(self._catalogue, self._files, found.hash, pushed=pushed)

    def clean(self) -> int:
        """Delete what killed writers left and return how many bytes that freed; what living ones write is spared."""
        return removing.clean(self._catalogue, self._files)

    def verify(self, ref: str) -> None:
        """Read everything a generation holds and hash it again; raises `RegistryError` where it differs."""
        from eigen_registry import verifying

        with self._reader.contents(GENERATIONS, ref) as (owner, con):
            verifying.verify(con, GENERATIONS, owner, path=self._files.path(GENERATIONS, owner.hash))
        self._check_row(GENERATIONS, owner)

    def verify_evaluation(self, ref: str) -> None:
        """Read everything an evaluation holds and hash it again; raises `RegistryError` where it differs."""
        from eigen_registry import verifying

        with self._reader.contents(EVALUATIONS, ref) as (owner, con):
            verifying.verify(con, EVALUATIONS, owner, path=self._files.path(EVALUATIONS, owner.hash))
        self._check_row(EVALUATIONS, owner)

    def seal_evaluation(
        self, body: EvaluationBody, observed: EvaluationObserved, contents: EvaluationContents
    ) -> Evaluation:
        """Store an evaluation, whole or not at all, or return the stored one if its hash is known already."""
        from eigen_registry import sealing

        return sealing.seal_evaluation(self._catalogue, self._files, body=body, observed=observed, contents=contents)

    def evaluations(self) -> list[Evaluation]:
        """Return all evaluations in the order of their ids; none where there is no registry yet."""
        if not self._catalogue.exists():
            return []
        with self._catalogue.reading() as con:
            return entries.all_evaluations(con)

    def evaluation(self, ref: str) -> Evaluation:
        """Return one evaluation."""
        return cast(Evaluation, self._reader.owner(EVALUATIONS, ref))

    def evaluation_tasks(self, ref: str) -> Iterator[Task]:
        """Iterate over the tasks of an evaluation in order."""
        return self._reader.all(EVALUATIONS, EVALUATION_TASKS, ref)

    def evaluation_episodes(self, ref: str) -> Iterator[EvaluatedEpisode]:
        """Iterate over an evaluation's episodes in task and trial order."""
        return self._reader.all(EVALUATIONS, EVALUATION_EPISODES, ref)

    def _check_row(self, kind: Kind, owner: Generation | Evaluation) -> None:
        """Hold what the catalogue repeats of a body against it; raise `RegistryError` where it differs."""
        with self._catalogue.reading() as con:
            entries.check_repeated(con, kind, owner)
