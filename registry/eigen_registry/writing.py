"""Writing contents files: everything a generation or an evaluation holds, read once and streamed to the disk."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb

from eigen_cli.api.errors import RegistryError
from eigen_cli.api.evaluations import EvaluationContents
from eigen_cli.api.generations import GenerationContents
from eigen_registry import appending, task_changes
from eigen_registry.codec import EPISODES, OF_EVALUATIONS, OF_GENERATIONS, TASKS, Layout
from eigen_registry.hashing import pinned
from eigen_registry.kinds import GENERATIONS, Kind
from eigen_registry.text_index import CORPORA, Corpus, IndexDraft
from eigen_registry.transaction import transaction

CAME_TO = (
    "SELECT tasks.ordinal AS task, count(reward), count(*) FILTER (passed) "
    "FROM episodes JOIN tasks ON tasks.id = episodes.task GROUP BY tasks.ordinal"
)
"""What the trials of tasks came to, as `outcomes` keeps it."""
_INDEXED: Mapping[Layout[Any], Corpus[Any]] = {corpus.layout: corpus for corpus in CORPORA}


def layouts_of(kind: Kind) -> Sequence[Layout[Any]]:
    """Return the tables of a kind's contents, in the order they are written."""
    return OF_GENERATIONS if kind is GENERATIONS else OF_EVALUATIONS


def write(
    con: duckdb.DuckDBPyConnection,
    kind: Kind,
    contents: GenerationContents | EvaluationContents,
    *,
    index: IndexDraft | None = None,
) -> dict[str, str]:
    """Write contents into the empty tables of a draft, and their words into an index if there is one.

    Return the digests of the kinds that a body pins. Raises `RegistryError` where two tasks or two episodes have one
    id.
    """
    encoded = {}
    for layout in layouts_of(kind):
        corpus = _INDEXED.get(layout) if index is not None else None
        text_of = corpus.text_of if corpus is not None else None
        encoded[layout] = appending.encoded(layout, getattr(contents, layout.field), text_of=text_of)
    return write_rows(con, kind, encoded, index=index)


def write_rows(
    con: duckdb.DuckDBPyConnection,
    kind: Kind,
    encoded: Mapping[Layout[Any], Iterator[appending.EncodedRow]],
    *,
    index: IndexDraft | None = None,
) -> dict[str, str]:
    """Write encoded rows as `write` does records; the bytes that are stored are the bytes that are hashed."""
    digests = {}
    with transaction(con):
        for layout, encoded_rows in encoded.items():
            corpus = _INDEXED.get(layout)
            add = functools.partial(index.add, corpus) if index is not None and corpus is not None else None
            digests[layout.field] = (layout, appending.append(con, layout, encoded_rows, index=add))
    for layout in encoded:
        if "id" in layout.light and layout.field in ("tasks", "episodes"):
            repeated = appending.first_repeated(con, layout)
            if repeated is not None:
                raise RegistryError(f"two records of one seal are both {layout.noun} {repeated!r}")
    if kind is GENERATIONS:
        _prepare_look_ups(con)
    return pinned(digests)


def _prepare_look_ups(con: duckdb.DuckDBPyConnection) -> None:
    """Fill the tables that spare readers a scan: ids in their own order, what tasks came to, their digests."""
    for layout in (TASKS, EPISODES):
        con.execute(f"INSERT INTO {layout.noun}_ids SELECT id, ordinal FROM {layout.table} ORDER BY id")
    con.execute(f"INSERT INTO outcomes {CAME_TO} ORDER BY task")
    task_changes.build(con)
