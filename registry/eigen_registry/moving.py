"""Moving contents out of a registry of before version 3, where they lay in its one file, into files of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from eigen_registry import writing
from eigen_registry.appending import EncodedRow
from eigen_registry.codec import FAULTS, OPENINGS, TOOLSETS, Layout
from eigen_registry.contents_file import ContentsFiles
from eigen_registry.kinds import GENERATIONS, KINDS, Kind
from eigen_registry.rows import PAGE


def move_contents(con: duckdb.DuckDBPyConnection) -> None:
    """Write the contents of everything sealed to files beside the registry that `con` is open on.

    The stored bytes stay as they are. Files that an earlier try put in place are kept. Contents that were damaged
    before stay so, and reading them says it, as ever: one damaged generation does not bar the others. Their words are
    indexed when somebody searches them.
    """
    files = ContentsFiles(_folder(con))
    for kind in KINDS:
        sealed = con.execute(f"SELECT number, hash FROM {kind.table} ORDER BY number").fetchall()
        for number, hash_ in sealed:
            if not files.is_sound(kind, hash_):
                _move(con, files, kind, number=number, hash_=hash_)


def _move(con: duckdb.DuckDBPyConnection, files: ContentsFiles, kind: Kind, *, number: int, hash_: str) -> None:
    with files.drafting(kind) as draft:
        old = {layout: _rows(con, kind, layout, number) for layout in writing.layouts_of(kind)}
        writing.write_rows(draft.con, kind, old)
        draft.finish(hash_)
        draft.put(hash_)


def _rows(con: duckdb.DuckDBPyConnection, kind: Kind, layout: Layout[Any], number: int) -> Iterator[EncodedRow]:
    """Yield an owner's rows of one table as they are to be stored; openings and tools were not kept then."""
    if layout in (OPENINGS, TOOLSETS):
        return
    table = layout.table if kind is GENERATIONS else f"{kind.noun}_{layout.table}"
    columns = ", ".join(layout.columns)
    after = -1
    while True:
        page = con.execute(
            f"SELECT ordinal, {columns} FROM {table} WHERE {kind.noun} = ? AND ordinal BETWEEN ? AND ? "
            "ORDER BY ordinal",
            (number, after + 1, after + PAGE),
        ).fetchall()
        for _, *row in page:
            record = layout.record(*row)
            stored = () if layout is FAULTS else tuple(column.encode() for column in row)
            yield EncodedRow(layout.light_of(record), stored)
        after += PAGE
        if not page:
            left = con.execute(
                f"SELECT min(ordinal) FROM {table} WHERE {kind.noun} = ? AND ordinal > ?", (number, after)
            ).fetchone()
            if left is None or left[0] is None:
                return
            after = left[0] - 1


def _folder(con: duckdb.DuckDBPyConnection) -> Path:
    ((path,),) = con.execute("SELECT path FROM duckdb_databases() WHERE database_name = current_database()").fetchall()
    return Path(path or ".").parent
