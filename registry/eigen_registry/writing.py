"""Writing contents files: everything a generation or an evaluation holds, read once and streamed to the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import duckdb

from eigen_cli.api.errors import RegistryError
from eigen_cli.api.evaluations import EvaluationContents
from eigen_cli.api.generations import GenerationContents
from eigen_registry import appending, task_changes
from eigen_registry.codec import EPISODES, OF_EVALUATIONS, OF_GENERATIONS, TASKS, Layout
from eigen_registry.hashing import pinned
from eigen_registry.kinds import GENERATIONS, Kind
from eigen_registry.text_index import EPISODE_TEXTS, TASK_TEXTS, Corpus, WordCollector
from eigen_registry.transaction import transaction

_INDEXED: Mapping[Layout[Any], Corpus[Any]] = {TASKS: TASK_TEXTS, EPISODES: EPISODE_TEXTS}


def layouts_of(kind: Kind) -> Sequence[Layout[Any]]:
    """Return the tables of a kind's contents, in the order they are written."""
    return OF_GENERATIONS if kind is GENERATIONS else OF_EVALUATIONS


def write(
    con: duckdb.DuckDBPyConnection, kind: Kind, contents: GenerationContents | EvaluationContents
) -> dict[str, str]:
    """Write contents into the empty tables of a draft and return the digests of the kinds that a body pins.

    Raises `RegistryError` where two tasks or two episodes have one id.
    """
    return write_rows(
        con,
        kind,
        {
            layout: appending.encoded(layout, getattr(contents, layout.field), text_of=text_of(layout))
            for layout in layouts_of(kind)
        },
    )


def text_of(layout: Layout[Any]) -> Callable[[Any], str] | None:
    """Return what gives the text of a table's records that is indexed, or None."""
    return _INDEXED[layout].text_of if layout in _INDEXED else None


def write_rows(
    con: duckdb.DuckDBPyConnection, kind: Kind, encoded: Mapping[Layout[Any], Iterator[appending.EncodedRow]]
) -> dict[str, str]:
    """Write encoded rows as `write` does records; the bytes that are stored are the bytes that are hashed."""
    digests = {}
    with transaction(con):
        for layout, encoded_rows in encoded.items():
            words = WordCollector(_INDEXED[layout].words) if layout in _INDEXED else None
            digests[layout.field] = (layout, appending.append(con, layout, encoded_rows, words=words))
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
    con.execute(
        "INSERT INTO outcomes SELECT task, count(reward), count(*) FILTER (passed) FROM episodes GROUP BY task "
        "ORDER BY min(ordinal)"
    )
    task_changes.build(con)
