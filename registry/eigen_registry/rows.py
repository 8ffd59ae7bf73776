"""The SQL of reading and writing the records in a contents file, a page at a time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from eigen_registry.codec import Layout
from eigen_registry.hashing import RunningDigest
from eigen_registry.text_index import WordCollector, WordRow

if TYPE_CHECKING:
    import duckdb

R = TypeVar("R")

FLUSH_EVERY = 512
"""Rows handed to DuckDB at a time while sealing: bounds the memory that waits outside it."""
PAGE = 2048
"""Records read at a time: DuckDB unpacks as many to return one, so pages that are parts of such a block cost more."""


class EncodedRow(NamedTuple):
    """A record's light columns, the bytes of its stored ones, and what it says, where that is indexed."""

    light: tuple[Any, ...]
    stored: tuple[bytes, ...]
    text: str = ""


def encoded(
    layout: Layout[R], records: Iterable[R], *, text_of: Callable[[R], str] | None = None
) -> Iterator[EncodedRow]:
    """Yield the rows of records that were never stored, each encoded once."""
    light_of, stored_of = layout.light_of, layout.stored_of
    for record in records:
        yield EncodedRow(light_of(record), stored_of(record), text_of(record) if text_of is not None else "")


def append(
    con: duckdb.DuckDBPyConnection,
    layout: Layout[Any],
    rows: Iterable[EncodedRow],
    *,
    words: WordCollector | None = None,
) -> RunningDigest:
    """Add rows in order, by DuckDB's bulk path (ten times faster than `executemany`), and return their digest.

    While DuckDB, which lets Python go on meanwhile, takes one batch, the next is read, encoded, hashed and, with
    `words`, indexed. (Hashing in DuckDB's thread was slower: each hash gives the interpreter away and waits to get it
    back.)
    """
    appender, running = con.appender(layout.table), RunningDigest()
    word_appender = None if words is None else con.appender(words.words)

    def take(batch: list[tuple[Any, ...]], segments: list[list[WordRow]]) -> None:
        appender.append_rows(batch)
        appender.flush()
        for segment in segments:
            assert word_appender is not None
            word_appender.append_rows(segment)
            word_appender.flush()

    with ThreadPoolExecutor(1, thread_name_prefix="eigen-append") as worker:
        taken, remaining = None, iter(rows)
        while batch := list(itertools.islice(remaining, FLUSH_EVERY)):
            made = []
            for ordinal, row in enumerate(batch, running.count):
                running.add(row.stored[: layout.hashed])
                if words is not None:
                    words.add(row.text)
                made.append((ordinal, *row.light, *[column.decode() for column in row.stored]))
            if taken is not None:
                taken.result()
            taken = worker.submit(take, made, words.finished() if words is not None else [])
        if taken is not None:
            taken.result()
    if words is not None:
        take([], words.finished(all_of_it=True))
    return running


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


def first_repeated(con: duckdb.DuckDBPyConnection, layout: Layout[Any]) -> str | None:
    """Return an id that more than one record has, or None."""
    row = con.execute(
        f"SELECT id FROM {layout.table} GROUP BY id HAVING count(*) > 1 ORDER BY min(ordinal) LIMIT 1"
    ).fetchone()
    return str(row[0]) if row else None
