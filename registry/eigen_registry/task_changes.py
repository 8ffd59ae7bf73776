"""What changed between the tasks of two generations: told by digests kept beside them, read only where they differ."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

import msgspec

from eigen_cli.api.browsing import ContentChange, TaskChanges
from eigen_cli.api.tasks import Task

if TYPE_CHECKING:
    import duckdb

_COMPARED = """
    SELECT count(*) FILTER (same), count(*) FILTER (old IS NULL), count(*) FILTER (new IS NULL),
        count(*) FILTER (NOT same), min(old, {first}) FILTER (NOT same), min(new, {first}) FILTER (old IS NULL),
        min(old, {first}) FILTER (new IS NULL)
    FROM (
        SELECT own.id AS old, other.id AS new, own.digest = other.digest AS same
        FROM task_digests AS own FULL JOIN {after}.task_digests AS other ON own.id = other.id
    )
"""
_fields_of = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def build(con: duckdb.DuckDBPyConnection) -> None:
    """Keep a digest of each task in a contents file whose tasks are all there.

    It is one that every version of DuckDB computes alike, for files of different versions are compared.
    """
    con.execute("INSERT INTO task_digests SELECT id, md5_number(body) FROM tasks ORDER BY ordinal")


def task_changes(before: duckdb.DuckDBPyConnection, after: duckdb.DuckDBPyConnection, *, first: int) -> TaskChanges:
    """Return how the tasks differ, the connections being open on two files that are attached to one DuckDB.

    Of each kind of change the first ones by id are named, `first` at most: changed ones, then added and dropped ones.
    """
    ((name,),) = after.execute("SELECT current_database()").fetchall()
    ((same, more, fewer, others, changed, added, dropped),) = before.execute(
        _COMPARED.format(after=name, first=max(1, first))
    ).fetchall()
    named = (
        *_changed(before, after, (changed or [])[:first]),
        *_alone(after, "added", (added or [])[:first]),
        *_alone(before, "dropped", (dropped or [])[:first]),
    )
    return TaskChanges(same, more, fewer, others, named)


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
