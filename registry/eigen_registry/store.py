"""The registry's `Store`: sealing generations and evaluations, and reading them back."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from eigen_cli.api.canonical import content_hash, digest
from eigen_cli.api.errors import RegistryError
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
from eigen_registry import queries, refusals
from eigen_registry.codec import (
    EPISODES,
    EVALUATION_EPISODES,
    EVALUATION_TASKS,
    FAULTS,
    PLANS,
    PROPOSALS,
    TASKS,
    Layout,
)
from eigen_registry.database import Database
from eigen_registry.hashing import contents_digests, digest_of, evaluation_digests, generation_hash
from eigen_registry.kinds import EVALUATIONS, GENERATIONS
from eigen_registry.transaction import transaction

if TYPE_CHECKING:
    import duckdb

R = TypeVar("R")

PAGE = 1024
"""Records read in one opening of the file: between pages writers get their turn, however slow the reader.

DuckDB unpacks 2,048 bodies to return one, so small pages cost: measured on episodes of 8 KB, pages of 256 read 2,000
a second and pages of 1,024 read 5,400.
"""


class DuckStore:
    """What is sealed in `registry.duckdb`; implements `eigen_cli.api.store.Store`."""

    def __init__(self, folder: Path, *, patience: float = 30.0) -> None:
        """`patience`: seconds to wait for a process that holds the file."""
        self._folder = folder
        self._database = Database(folder / "registry.duckdb", patience=patience)

    @property
    def folder(self) -> Path:
        """The registry's folder, where journals lie too."""
        return self._folder

    def seal(self, body: GenerationBody, observed: GenerationObserved, contents: GenerationContents) -> Generation:
        """Store a generation in one transaction, or return the stored one if its hash is known already.

        Leave `body.contents` empty: the store computes the digests and stores the completed body, whose hash names
        the generation. A body that brings digests (a pulled generation) must bring these. Raises `RegistryError`
        when they differ, when an id occurs twice, when the parent of a generation made here is gone, and when the
        file cannot be written; nothing is stored then.
        """
        _refuse_repeated_ids(contents.tasks, contents.episodes)
        # A pulled generation may come before its parent; one made here was made of it, in this registry.
        parent = None if body.contents else body.parent
        if parent is not None and not self._database.exists():
            raise refusals.orphan(self._database.path, parent)
        digests = contents_digests(contents)
        if body.contents and dict(body.contents) != digests:
            changed = ", ".join(kind for kind in digests if body.contents.get(kind) != digests[kind])
            raise RegistryError(
                f"the generation's contents are not those its body pins: {changed or 'unknown kinds'}",
                hint="the records were changed or reordered since they were hashed; fetch them again",
            )
        body = msgspec.structs.replace(body, contents=digests)
        hash_ = generation_hash(body)
        with self._database.writing() as con, transaction(con):
            number = queries.number_of_hash(con, GENERATIONS, hash_)
            if number is None:
                if parent is not None and queries.number_of_hash(con, GENERATIONS, parent) is None:
                    raise refusals.orphan(self._database.path, parent)
                number = queries.insert_generation(con, hash_, body=body, observed=observed)
                queries.insert_records(con, PLANS, number, items=contents.plans)
                queries.insert_records(con, TASKS, number, items=contents.tasks)
                queries.insert_records(con, PROPOSALS, number, items=contents.rejected)
                queries.insert_records(con, EPISODES, number, items=contents.episodes)
                queries.insert_records(con, FAULTS, number, items=contents.faults)
            return queries.generation_of_number(con, number)

    def generations(self) -> list[Generation]:
        """Return all generations in the order of their ids; none where there is no registry yet."""
        if not self._database.exists():
            return []
        with self._database.reading() as con:
            return queries.all_generations(con)

    def generation(self, ref: str) -> Generation:
        """Return one generation."""
        with self._database.reading() as con:
            return queries.generation_of_number(con, queries.number_of_ref(con, GENERATIONS, ref))

    def plans(self, ref: str) -> list[PlanRecord]:
        """Return a generation's plans in slot order, rejected children after the used ones."""
        return list(self._iterate(PLANS, ref))

    def tasks(self, ref: str) -> Iterator[Task]:
        """Iterate over a generation's accepted tasks in proposal order."""
        return self._iterate(TASKS, ref)

    def task(self, ref: str, task: str) -> Task:
        """Return one task by id or unique prefix."""
        return self._one(TASKS, ref, name=task)

    def rejected(self, ref: str) -> Iterator[ProposalRecord]:
        """Iterate over a generation's rejected proposals."""
        return self._iterate(PROPOSALS, ref)

    def episodes(self, ref: str, *, task: str | None = None) -> Iterator[EpisodeRecord]:
        """Iterate over a generation's episodes in task and trial order; of one task (id or unique prefix) if given."""
        return self._iterate(EPISODES, ref, task=task)

    def episode(self, ref: str, episode: str) -> EpisodeRecord:
        """Return one episode by id or unique prefix."""
        return self._one(EPISODES, ref, name=episode)

    def faults(self, ref: str) -> Iterator[InjectedFault]:
        """Iterate over the simulator's side table; for scoring blame against truth, never for roles."""
        return self._iterate(FAULTS, ref)

    def seal_evaluation(
        self, body: EvaluationBody, observed: EvaluationObserved, contents: EvaluationContents
    ) -> Evaluation:
        """Store an evaluation in one transaction, or return the stored one if its hash is known already.

        Leave `body.contents` empty: the store computes the digests. Raises `RegistryError` when an id occurs twice and
        when the file cannot be written; nothing is stored then.
        """
        _refuse_repeated_ids(contents.tasks, contents.episodes)
        body = msgspec.structs.replace(body, contents=evaluation_digests(contents))
        hash_ = content_hash(body)
        with self._database.writing() as con, transaction(con):
            number = queries.number_of_hash(con, EVALUATIONS, hash_)
            if number is None:
                number = queries.insert_evaluation(con, hash_, body=body, observed=observed)
                queries.insert_records(con, EVALUATION_TASKS, number, items=contents.tasks)
                queries.insert_records(con, EVALUATION_EPISODES, number, items=contents.episodes)
            return queries.evaluation_of_number(con, number)

    def evaluations(self) -> list[Evaluation]:
        """Return all evaluations in the order of their ids; none where there is no registry yet."""
        if not self._database.exists():
            return []
        with self._database.reading() as con:
            return queries.all_evaluations(con)

    def evaluation(self, ref: str) -> Evaluation:
        """Return one evaluation."""
        with self._database.reading() as con:
            return queries.evaluation_of_number(con, queries.number_of_ref(con, EVALUATIONS, ref))

    def evaluation_tasks(self, ref: str) -> Iterator[Task]:
        """Iterate over the tasks of an evaluation in order."""
        return self._iterate(EVALUATION_TASKS, ref)

    def evaluation_episodes(self, ref: str) -> Iterator[EvaluatedEpisode]:
        """Iterate over an evaluation's episodes in task and trial order."""
        return self._iterate(EVALUATION_EPISODES, ref)

    def _one(self, layout: Layout[R], ref: str, *, name: str) -> R:
        with self._database.reading() as con:
            number = queries.number_of_ref(con, layout.owner, ref)
            ordinal, _ = queries.ordinal_of(con, layout, number, name=name)
            (row,) = queries.rows(con, layout, number, page=[ordinal])
            return layout.record(*row)

    def _iterate(self, layout: Layout[R], ref: str, *, task: str | None = None) -> Iterator[R]:
        """Look the ref up and read a first page now, so that a wrong ref raises here; read the rest as it is used.

        After the last record of a whole table the iteration raises if they are not those that were sealed.
        """
        with self._database.reading() as con:
            number = queries.number_of_ref(con, layout.owner, ref)
            if task is not None:
                _, task = queries.ordinal_of(con, TASKS, number, name=task)
            ordinals = queries.ordinals(con, layout, number, task=task)
            first = queries.rows(con, layout, number, page=ordinals[:PAGE])
            whole = _owner(con, layout, number) if task is None and layout.pinned else None
        rest = self._pages(layout, number, ordinals=ordinals[PAGE:])
        rows = itertools.chain(first, itertools.chain.from_iterable(rest))
        return _records(layout, rows) if whole is None else _sealed_records(layout, rows, whole)

    def _pages(self, layout: Layout[R], number: int, *, ordinals: Sequence[int]) -> Iterator[list[tuple[Any, ...]]]:
        for start in range(0, len(ordinals), PAGE):
            with self._database.reading() as con:
                page = queries.rows(con, layout, number, page=ordinals[start : start + PAGE])
            yield page


def _records(layout: Layout[R], rows: Iterable[tuple[Any, ...]]) -> Iterator[R]:
    for row in rows:
        yield layout.record(*row)


def _owner(con: duckdb.DuckDBPyConnection, layout: Layout[Any], number: int) -> Generation | Evaluation:
    of_number = queries.evaluation_of_number if layout.owner is EVALUATIONS else queries.generation_of_number
    return of_number(con, number)


def _sealed_records(layout: Layout[R], rows: Iterable[tuple[Any, ...]], owner: Generation | Evaluation) -> Iterator[R]:
    """Yield the records of all rows of an owner; raise at their end if its body pins other ones."""
    hashes = []
    for row in rows:
        # The stored bytes are the hashed ones, so nothing need be encoded again.
        hashes.append(digest(*row[: layout.hashed]))
        yield layout.record(*row)
    if digest_of(hashes) != owner.body.contents.get(layout.pinned or ""):
        raise refusals.damaged(owner.id, f"its {len(hashes)} {layout.noun}s are not those it was sealed with")


def _refuse_repeated_ids(tasks: Iterable[Task], episodes: Iterable[EpisodeRecord | EvaluatedEpisode]) -> None:
    ids = (
        ("task", Counter(task.id for task in tasks)),
        ("episode", Counter(record.episode.id for record in episodes)),
    )
    for noun, counts in ids:
        if counts and counts.most_common(1)[0][1] > 1:
            raise RegistryError(f"two records of one seal are both {noun} {counts.most_common(1)[0][0]!r}")
