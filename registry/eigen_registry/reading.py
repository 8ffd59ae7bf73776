"""Reading what is sealed: the catalogue for a moment, then a contents file for as long as its reader likes."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from eigen_cli.api.errors import RegistryError
from eigen_cli.api.evaluations import Evaluation
from eigen_cli.api.generations import Generation
from eigen_registry import entries, refs, refusals, rows
from eigen_registry.catalogue import Catalogue
from eigen_registry.codec import TASKS, Layout
from eigen_registry.contents_file import ContentsFiles
from eigen_registry.hashing import RunningDigest
from eigen_registry.kinds import GENERATIONS, Kind

if TYPE_CHECKING:
    import duckdb

R = TypeVar("R")
Owner = Generation | Evaluation


class Reader:
    """Finds what a ref names and opens its contents."""

    def __init__(self, catalogue: Catalogue, files: ContentsFiles) -> None:
        self._catalogue = catalogue
        self._files = files

    def owner(self, kind: Kind, ref: str) -> Owner:
        """Return the generation or evaluation that a ref names."""
        of_number = entries.generation_of_number if kind is GENERATIONS else entries.evaluation_of_number
        with self._catalogue.reading() as con:
            return of_number(con, refs.number_of_ref(con, kind, ref))

    @contextlib.contextmanager
    def contents(self, kind: Kind, ref: str) -> Iterator[tuple[Owner, duckdb.DuckDBPyConnection]]:
        """Open the contents of what a ref names; they stay readable for who has them open, whatever is removed."""
        owner = self.owner(kind, ref)
        with contextlib.ExitStack() as stack:
            try:
                con = stack.enter_context(self._files.reading(kind, owner.hash, id_=owner.id))
            except RegistryError:
                # It may have been removed since it was found; then that is what there is to say.
                self.owner(kind, owner.hash)
                raise
            yield owner, con

    def one(self, kind: Kind, layout: Layout[R], ref: str, *, name: str) -> R:
        """Return the record that an id or a unique prefix of one names."""
        with self.contents(kind, ref) as (owner, con):
            ordinal, _ = refs.ordinal_of(con, layout, name, owner=owner.id)
            ((row,),) = rows.with_ordinals(con, layout, [ordinal])
            return layout.record(*row)

    def all(self, kind: Kind, layout: Layout[R], ref: str) -> Iterator[R]:
        """Iterate over all records of a kind in order; after the last, raise if they are not those that were sealed.

        The contents are opened now, so that a wrong ref raises here.
        """
        return _opened(self._all(kind, layout, ref))

    def of_task(self, layout: Layout[R], ref: str, task: str) -> Iterator[R]:
        """Iterate over a generation's records of one task, named by its id or a unique prefix of one."""
        return _opened(self._of_task(layout, ref, task))

    def _all(self, kind: Kind, layout: Layout[R], ref: str) -> Iterator[Any]:
        with self.contents(kind, ref) as (owner, con):
            count = rows.count(con, layout)
            if count is None:
                raise self._unlike(kind, owner, f"{layout.noun}s")
            yield None
            running = RunningDigest()
            for row in itertools.chain.from_iterable(rows.pages(con, layout, columns=layout.columns, count=count)):
                # The stored bytes are the hashed ones, so nothing need be encoded again.
                running.add(row[: layout.hashed])
                yield layout.record(*row)
            pinned = owner.body.contents.get(layout.field, "" if layout.pinned == "always" or count else None)
            if layout.pinned != "never" and pinned not in (None, running.hexdigest()):
                raise self._unlike(kind, owner, f"{running.count} {layout.noun}s")

    def _of_task(self, layout: Layout[R], ref: str, task: str) -> Iterator[Any]:
        with self.contents(GENERATIONS, ref) as (owner, con):
            _, id_ = refs.ordinal_of(con, TASKS, task, owner=owner.id)
            ordinals = rows.ordinals_where(con, layout, "task", id_)
            yield None
            for row in itertools.chain.from_iterable(rows.with_ordinals(con, layout, ordinals)):
                yield layout.record(*row)

    def _unlike(self, kind: Kind, owner: Owner, what: str) -> RegistryError:
        path = self._files.path(kind, owner.hash)
        return refusals.damaged_contents(path, owner.id, f"its {what} are not those it was sealed with")


def _opened(records: Iterator[Any]) -> Iterator[Any]:
    """Run a generator up to its first, empty item, which says that the contents are open."""
    next(records)
    return records
