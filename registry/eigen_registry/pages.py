"""Which records a page has: found by the few columns that filter and order, before any other is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb


def page(
    con: duckdb.DuckDBPyConnection,
    source: str,
    wanted: Mapping[str, Any],
    *,
    order: str,
    descending: bool,
    limit: int,
    offset: int,
) -> list[int]:
    """Return the ordinals of one page of a table's records, in the page's order.

    `wanted` is what each condition is to be met with; one with None filters nothing. Of records that compare equal
    the first sealed comes first, whichever way the order goes; what has nothing to compare comes last.
    """
    conditions = {condition: value for condition, value in wanted.items() if value is not None}
    direction = "DESC" if descending else "ASC"
    rows = con.execute(
        f"SELECT ordinal FROM {source} WHERE {' AND '.join(conditions) or 'true'} "
        f"ORDER BY {order} {direction} NULLS LAST, ordinal LIMIT ? OFFSET ?",
        (*conditions.values(), max(0, limit), max(0, offset)),
    ).fetchall()
    return [row[0] for row in rows]
