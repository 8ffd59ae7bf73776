"""Pages of a generation's tasks, from their light columns alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eigen_cli.api.browsing import TaskFilter, TaskOrder, TaskRow
from eigen_registry.pages import Where, page

if TYPE_CHECKING:
    import duckdb

_COLUMNS = (
    "ordinal, id, domain, family, split, plan, template, difficulty, reason, "
    "coalesce(outcomes.trials, 0), coalesce(outcomes.passed, 0)"
)
_FROM = "tasks LEFT JOIN outcomes ON outcomes.task = tasks.ordinal"
_ORDERS: dict[TaskOrder, str] = {
    "ordinal": "ordinal",
    "difficulty": "difficulty",
    "pass_rate": "outcomes.passed / nullif(outcomes.trials, 0)",
}


def where(which: TaskFilter) -> Where:
    """Return what a filter asks of the columns of `tasks`."""
    return Where.met_with(
        {
            "domain = ?": which.domain,
            "split = ?": which.split,
            "template = ?": which.template,
            "difficulty = ?": which.difficulty,
            "list_contains(clauses, ?)": which.clause,
            "list_contains(tools, ?)": which.tool,
        }
    )


def task_rows(con: duckdb.DuckDBPyConnection, which: TaskFilter, *, limit: int, offset: int) -> list[TaskRow]:
    """Return one page of tasks, `con` being open on their contents.

    Tasks that compare equal come in their own order, and those without a pass rate after those with one.
    """
    order = _ORDERS[which.order]
    ordinals = page(
        con,
        _FROM if which.order == "pass_rate" else "tasks",
        where(which),
        order=order,
        descending=which.descending,
        limit=limit,
        offset=offset,
    )
    if not ordinals:
        return []
    chosen = ", ".join(map(str, ordinals))
    rows = con.execute(
        f"WITH chosen AS MATERIALIZED (SELECT * EXCLUDE (body) FROM tasks WHERE ordinal IN ({chosen})) "
        f"SELECT {_COLUMNS} FROM chosen LEFT JOIN outcomes ON outcomes.task = chosen.ordinal"
    ).fetchall()
    found = {row[0]: TaskRow(*row) for row in rows}
    return [found[ordinal] for ordinal in ordinals]
