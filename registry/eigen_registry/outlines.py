"""What a generation's tasks touch and how their trials went, from the light columns of its contents alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eigen_cli.api.browsing import Outline, TrialCount

if TYPE_CHECKING:
    import duckdb

_PAIRS = """
    SELECT DISTINCT domain, (tools[i], tools[i + 1]) AS pair
    FROM (SELECT domain, tools, unnest(range(1, len(tools))) AS i FROM tasks) ORDER BY domain, pair
"""
_TRIALS = """
    SELECT domain, coalesce(outcomes.trials, 0) AS trials, coalesce(outcomes.passed, 0) AS passed, count(*)
    FROM tasks LEFT JOIN outcomes ON outcomes.task = tasks.ordinal GROUP BY ALL ORDER BY domain, trials, passed
"""
_STOPS = "SELECT stop, count(*) FROM episodes GROUP BY stop ORDER BY stop"


def outline(con: duckdb.DuckDBPyConnection) -> Outline:
    """Return the outline of a generation, `con` being open on its contents."""
    return Outline(
        tools=_by_domain(con, _each_of("tools")),
        tool_pairs=_by_domain(con, _PAIRS),
        clauses=_by_domain(con, _each_of("clauses")),
        trials=tuple(TrialCount(*row) for row in con.execute(_TRIALS).fetchall()),
        stops=dict(con.execute(_STOPS).fetchall()),
    )


def _each_of(column: str) -> str:
    return f"SELECT DISTINCT domain, unnest({column}) AS name FROM tasks ORDER BY domain, name"


def _by_domain(con: duckdb.DuckDBPyConnection, query: str) -> dict[str, tuple[Any, ...]]:
    named: dict[str, list[Any]] = {
        domain: [] for (domain,) in con.execute("SELECT DISTINCT domain FROM tasks ORDER BY 1").fetchall()
    }
    for domain, name in con.execute(query).fetchall():
        named[domain].append(name)
    return {domain: tuple(names) for domain, names in named.items()}
