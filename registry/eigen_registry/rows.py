"""The SQL of reading the records in a contents file, a page at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from eigen_registry.codec import Layout

if TYPE_CHECKING:
    import duckdb

PAGE = 2048
"""Records read at a time: DuckDB unpacks as many to return one, so pages that are parts of such a block cost more."""


def count(con: duckdb.DuckDBPyConnection, layout: Layout[Any]) -> int | None:
    """Return how many records there are, or None where their ordinals are not those they were sealed with."""
    ((rows, last),) = con.execute(f"SELECT count(*), coalesce(max(ordinal), -1) FROM {layout.table}").fetchall()
    return int(rows) if last == rows - 1 else None


def pages(
    con: duckdb.DuckDBPyConnection, layout: Layout[Any], *, columns: Sequence[str], count: int
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield all rows in order, in pages; the range of ordinals is what lets DuckDB skip the blocks outside it."""
    query = f"SELECT {', '.join(columns)} FROM {layout.table} WHERE ordinal BETWEEN ? AND ? ORDER BY ordinal"
    for start in range(0, count, PAGE):
        yield con.execute(query, (start, start + PAGE - 1)).fetchall()


def with_ordinals(
    con: duckdb.DuckDBPyConnection, layout: Layout[Any], ordinals: Sequence[int]
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows with the given ascending ordinals, in pages, as `layout.record` takes them."""
    query = (
        f"SELECT {', '.join(layout.columns)} FROM {layout.table} "
        "WHERE ordinal BETWEEN ? AND ? AND list_contains(?, ordinal) ORDER BY ordinal"
    )
    for _, page in itertools.groupby(ordinals, key=lambda ordinal: ordinal // PAGE):
        wanted = list(page)
        yield con.execute(query, (wanted[0], wanted[-1], wanted)).fetchall()


def ordinals_where(con: duckdb.DuckDBPyConnection, layout: Layout[Any], column: str, value: str) -> list[int]:
    """Return the ordinals of the records that have a value in one of the light columns, in order."""
    query = f"SELECT ordinal FROM {layout.table} WHERE {column} = ? ORDER BY ordinal"
    return [row[0] for row in con.execute(query, (value,)).fetchall()]
