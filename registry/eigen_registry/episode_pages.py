"""Pages of a generation's episodes, from their light columns alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eigen_cli.api.browsing import EpisodeFilter, EpisodeOrder, EpisodeRow
from eigen_registry import task_pages
from eigen_registry.pages import Where, page

if TYPE_CHECKING:
    import duckdb

_COLUMNS = "ordinal, id, task, trial, stop, reward, passed, blame, turns"
_ORDERS: dict[EpisodeOrder, str] = {"ordinal": "ordinal", "reward": "reward", "turns": "turns"}


def episode_rows(con: duckdb.DuckDBPyConnection, which: EpisodeFilter, *, limit: int, offset: int) -> list[EpisodeRow]:
    """Return one page of episodes, `con` being open on their contents.

    Episodes that compare equal come in their own order, and those without a reward after those with one.
    """
    where = Where.met_with(
        {"task = ?": which.task, "passed = ?": which.passed, "blame = ?": which.blame, "stop = ?": which.stop}
    )
    if which.tasks is not None:
        where = where.of_those("task", "tasks", task_pages.where(which.tasks))
    order = _ORDERS[which.order]
    ordinals = page(con, "episodes", where, order=order, descending=which.descending, limit=limit, offset=offset)
    if not ordinals:
        return []
    rows = con.execute(f"SELECT {_COLUMNS} FROM episodes WHERE ordinal IN ({', '.join(map(str, ordinals))})").fetchall()
    found = {row[0]: EpisodeRow(*row) for row in rows}
    return [found[ordinal] for ordinal in ordinals]
