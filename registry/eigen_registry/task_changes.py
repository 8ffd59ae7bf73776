"""What changed between the tasks of two generations: told by digests kept beside them, read only where they differ."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

import msgspec

from eigen_cli.api.browsing import ContentChange, TaskChanges
from eigen_cli.api.tasks import Task

if TYPE_CHECKING:
    import duckdb

_END_OF_ID = "\0"
_fields_of = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def build(con: duckdb.DuckDBPyConnection) -> None:
    """Keep a digest of each task in a contents file whose tasks are all there.

    It is one that every version of DuckDB computes alike, for files of different versions are compared.
    """
    con.execute("INSERT INTO task_digests SELECT id, md5_number(body) FROM tasks ORDER BY ordinal")


def task_changes(before: duckdb.DuckDBPyConnection, after: duckdb.DuckDBPyConnection, *, first: int) -> TaskChanges:
    """Return how the tasks differ, the connections being open on the contents of two generations.

    Of each kind of change the first ones by id are named, `first` at most: changed ones, then added and dropped ones.
    """
    old, new = _digested(before), _digested(after)
    only_old, only_new = {_id_of(task) for task in old - new}, {_id_of(task) for task in new - old}
    changed, dropped, added = only_old & only_new, only_old - only_new, only_new - only_old
    named = (
        *_changed(before, after, heapq.nsmallest(first, changed)),
        *_alone(after, "added", heapq.nsmallest(first, added)),
        *_alone(before, "dropped", heapq.nsmallest(first, dropped)),
    )
    return TaskChanges(len(old & new), len(added), len(dropped), len(changed), named)


def _digested(con: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the tasks by id and digest.

    One list of texts comes out of DuckDB many times as fast as rows, and sets of texts are compared without a loop. In
    hex digits: DuckDB takes 80 microseconds to write such a number in decimal ones.
    """
    ((tasks,),) = con.execute("SELECT coalesce(list(id || chr(0) || hex(digest)), []) FROM task_digests").fetchall()
    return set(tasks)


def _id_of(task: str) -> str:
    return task.rpartition(_END_OF_ID)[0]


def _alone(
    con: duckdb.DuckDBPyConnection, kind: Literal["added", "dropped"], ids: Collection[str]
) -> list[ContentChange]:
    rows = con.execute(
        "SELECT id, domain, template FROM tasks WHERE list_contains(?, id) ORDER BY id", (list(ids),)
    ).fetchall()
    return [ContentChange(kind, *row) for row in rows]


def _changed(
    before: duckdb.DuckDBPyConnection, after: duckdb.DuckDBPyConnection, ids: Collection[str]
) -> list[ContentChange]:
    query = "SELECT id, domain, template, body FROM tasks WHERE list_contains(?, id) ORDER BY id"
    pairs = zip(
        before.execute(query, (list(ids),)).fetchall(), after.execute(query, (list(ids),)).fetchall(), strict=True
    )
    return [
        ContentChange("changed", id_, domain, template, _differing(old_body, body))
        for (*_, old_body), (id_, domain, template, body) in pairs
    ]


def _differing(before: str, after: str) -> tuple[str, ...]:
    """Return the names of the fields of two stored tasks that differ, in the order a task has them."""
    old, new = _fields_of(before), _fields_of(after)
    return tuple(name for name in Task.__struct_fields__ if old.get(name) != new.get(name))
