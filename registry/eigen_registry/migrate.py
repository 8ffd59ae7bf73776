"""Numbered steps that bring a registry's schema up to date; each is applied whole or not at all."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources

import duckdb

from eigen_registry.transaction import transaction


def _move_contents(con: duckdb.DuckDBPyConnection) -> None:
    from eigen_registry.moving import move_contents  # all that writing takes, and few registries are that old

    move_contents(con)


_BEFORE: dict[int, Callable[[duckdb.DuckDBPyConnection], None]] = {3: _move_contents}
"""What steps do in Python first, by version. A step may be stopped after that, so it must bear being done again."""


@dataclass(frozen=True)
class Step:
    """One migration: `migrations/0001_generations.sql` is version 1, named `generations`."""

    version: int
    name: str
    sql: str
    before: Callable[[duckdb.DuckDBPyConnection], None] | None = None
    """What is done in Python before the SQL, outside its transaction."""


@functools.cache
def known_steps() -> tuple[Step, ...]:
    """Return the steps this eigen knows, in order; the last one's version is that of a current registry."""
    files = (file for file in resources.files(__package__).joinpath("migrations").iterdir())
    steps = []
    for file in sorted((file for file in files if file.name.endswith(".sql")), key=lambda file: file.name):
        number, _, name = file.name.removesuffix(".sql").partition("_")
        steps.append(Step(int(number), name, file.read_text(encoding="utf-8"), _BEFORE.get(int(number))))
    return tuple(steps)


def schema_version(con: duckdb.DuckDBPyConnection) -> int:
    """Return the version of a registry's schema; 0 for a database that is no registry."""
    try:
        row = con.execute("SELECT max(version) FROM schema_versions").fetchone()
    except duckdb.CatalogException:  # Asking the catalogue first would cost every reader 8 ms.
        return 0
    return int(row[0]) if row and row[0] is not None else 0


def migrate(con: duckdb.DuckDBPyConnection, steps: Sequence[Step]) -> None:
    """Apply the steps beyond the registry's version, in order.

    A step and the row that records it are one transaction. The checkpoint after it spares the next opener a replay
    of schema changes, which older DuckDB versions could not always do.
    """
    current = schema_version(con)
    for step in steps:
        if step.version <= current:
            continue
        if step.before is not None:
            step.before(con)
        with transaction(con):
            con.execute(step.sql)
            con.execute("INSERT INTO schema_versions VALUES (?, ?, now())", (step.version, step.name))
        con.execute("CHECKPOINT")
