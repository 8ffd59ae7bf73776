"""A world with changes of its own on top, for finding out what a task's initial state changes.

It offers what tools may ask of a world (`eigen_cli.api.world.Transaction`), so the tools themselves run on it, and says
afterwards what came of it as record patches. Bridged databases are small: an overlaid table is searched row by row.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from eigen_cli.api.domain import TableSpec
from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import Record, to_json
from eigen_cli.api.tasks import RecordPatch
from eigen_cli.api.world import TableView, WorldView

R = TypeVar("R", bound=Record)


class OverlaidTable(Generic[R]):
    """One table; `rows` holds what was put, and None for what was removed."""

    def __init__(self, below: TableView[R], spec: TableSpec[R]) -> None:
        self.below = below
        self.spec = spec
        self.rows: dict[str, R | None] = {}

    def get(self, key: str) -> R | None:
        """Return the record under a key, or None."""
        return self.rows[key] if key in self.rows else self.below.get(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.get(key) is not None

    def __len__(self) -> int:
        return sum(1 for _ in self.keys())

    def keys(self) -> Iterator[str]:
        """Iterate over the keys, those of new records last."""
        below = tuple(self.below.keys())
        yield from (key for key in below if key in self)
        yield from (key for key in self.rows if key in self and key not in self.below)

    def values(self) -> Iterator[R]:
        """Iterate over the records."""
        for key in self.keys():
            yield self.require(key)

    def find(self, **equals: Any) -> list[R]:
        """Return the records whose fields equal the given values."""
        if not self.rows:
            return self.below.find(**equals)
        return [row for row in self.values() if all(getattr(row, name) == value for name, value in equals.items())]

    def require(self, key: str) -> R:
        """Return the record under a key; raise `ToolError` if there is none."""
        record = self.get(key)
        if record is None:
            raise ToolError(f"{self.spec.record.__name__} '{key}' not found")
        return record

    def put(self, record: R) -> None:
        """Add the record, or replace the one with its key."""
        self.rows[getattr(record, self.spec.key)] = record

    def delete(self, key: str) -> None:
        """Remove the record; raise `ToolError` if there is none."""
        self.require(key)
        self.rows[key] = None


class Overlay:
    """A world and what was changed since."""

    def __init__(self, world: WorldView, specs: Sequence[TableSpec[Any]]) -> None:
        self._world = world
        self._tables = {spec.record: OverlaidTable(world.table(spec.record), spec) for spec in specs}
        self._sequences: dict[str, int] = {}

    @property
    def now(self) -> datetime.datetime:
        """The world's clock."""
        return self._world.now

    @property
    def salt(self) -> str:
        """The same for all: official worlds are public."""
        return ""

    def table(self, record: type[R]) -> OverlaidTable[R]:
        """Return the table that holds a record type."""
        return self._tables[record]

    def sequence(self, name: str) -> int:
        """Return the next number of a named sequence, from 1."""
        self._sequences[name] = self._sequences.get(name, 0) + 1
        return self._sequences[name]

    def patches(self) -> tuple[RecordPatch, ...]:
        """Return what differs from the world below, in the order of writing within each table."""
        return tuple(
            RecordPatch(table.spec.name, key, None if record is None else to_json(record))
            for table in self._tables.values()
            for key, record in table.rows.items()
            if record != table.below.get(key)
        )
