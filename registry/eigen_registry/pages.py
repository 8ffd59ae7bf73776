"""Which records a page has: found by the few columns that filter and order, before any other is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import duckdb


class Where(NamedTuple):
    """Conditions on the columns of a table, all of them to be met, and the values for the gaps in them."""

    sql: str
    values: tuple[Any, ...]

    @classmethod
    def met_with(cls, wanted: Mapping[str, Any]) -> Where:
        """Return the conditions that have something to be met with; one with None filters nothing."""
        conditions = {condition: value for condition, value in wanted.items() if value is not None}
        return cls(" AND ".join(conditions) or "true", tuple(conditions.values()))

    def of_those(self, column: str, table: str, those: Where) -> Where:
        """Return these conditions with another: that a column is the id of a record that meets `those`."""
        if not those.values:
            return self
        sql = f"{self.sql} AND {column} IN (SELECT id FROM {table} WHERE {those.sql})"
        return Where(sql, (*self.values, *those.values))


def page(
    con: duckdb.DuckDBPyConnection,
    source: str,
    where: Where,
    *,
    order: str,
    descending: bool,
    limit: int,
    offset: int,
) -> list[int]:
    """Return the ordinals of one page of a table's records, in the page's order.

    Of records that compare equal the first sealed comes first, whichever way the order goes; what has nothing to
    compare comes last.
    """
    direction = "DESC" if descending else "ASC"
    rows = con.execute(
        f"SELECT ordinal FROM {source} WHERE {where.sql} "
        f"ORDER BY {order} {direction} NULLS LAST, ordinal LIMIT ? OFFSET ?",
        (*where.values, max(0, limit), max(0, offset)),
    ).fetchall()
    return [row[0] for row in rows]
