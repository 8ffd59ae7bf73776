"""A world that is only read: the records of a database, as `initial_patch` looks at them. The engine is the host's."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from eigen_cli.api.domain import Domain, TableSpec
from eigen_cli.api.record import Record

R = TypeVar("R", bound=Record)


class RecordsTable(Generic[R]):
    """One table (implements `eigen_cli.api.world.TableView`)."""

    def __init__(self, spec: TableSpec[R]) -> None:
        self._spec = spec
        self._indexes: dict[str, dict[Any, list[R]]] = {}
        self.rows: dict[str, R] = {}

    def get(self, key: str) -> R | None:
        """Return the record under a key, or None."""
        return self.rows.get(key)

    def __contains__(self, key: object) -> bool:
        return key in self.rows

    def __len__(self) -> int:
        return len(self.rows)

    def keys(self) -> Iterator[str]:
        """Iterate over the keys."""
        return iter(self.rows)

    def values(self) -> Iterator[R]:
        """Iterate over the records."""
        return iter(self.rows.values())

    def items(self) -> Iterator[tuple[str, R]]:
        """Iterate over keys and records."""
        return iter(self.rows.items())

    def find(self, **equals: Any) -> list[R]:
        """Return the records whose indexed fields equal the given values."""
        (first, wanted), *rest = equals.items()
        found = self._index(first).get(wanted, [])
        return [row for row in found if all(getattr(row, name) == value for name, value in rest)]

    def _index(self, field: str) -> dict[Any, list[R]]:
        if field not in self._spec.indexes:
            raise KeyError(f"{self._spec.name} has no index {field}")
        if field not in self._indexes:
            index = self._indexes[field] = {}
            for row in self.rows.values():
                index.setdefault(getattr(row, field), []).append(row)
        return self._indexes[field]


class RecordsView:
    """A database as generated (implements `eigen_cli.api.world.WorldView`, but for hashes, which the host makes)."""

    def __init__(self, domain: Domain, records: Iterable[Record]) -> None:
        self.now: datetime.datetime = domain.clock()
        self._tables: dict[type[Record], RecordsTable[Any]] = {
            spec.record: RecordsTable(spec) for spec in domain.tables
        }
        keys = {spec.record: spec.key for spec in domain.tables}
        for record in records:
            self._tables[type(record)].rows[getattr(record, keys[type(record)])] = record

    def table(self, record: type[R]) -> RecordsTable[R]:
        """Return the table that holds a record type."""
        return self._tables[record]

    def touched(self) -> Mapping[str, Mapping[str, Record | None]]:
        """Return nothing: this is the database itself."""
        return {}

    def state_hash(self) -> str:
        """Not of this view."""
        raise NotImplementedError("only the host's worlds are hashed")

    def outcome_hash(self) -> str:
        """Not of this view."""
        raise NotImplementedError("only the host's worlds are hashed")
