"""Tables seen through layers: a call's overlay over an episode's delta over the shared base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from eigen_cli.api.domain import TableSpec
from eigen_cli.api.errors import DomainError, ToolError
from eigen_cli.api.record import Record
from eigen_cli.world.base import BaseTable

R = TypeVar("R", bound=Record)
Rows = Mapping[str, Record | None]
"""A layer: key to record, None where the record was removed."""


class LayeredTable(Generic[R]):
    """Reads of one table. A layer costs one dictionary look-up, nothing is copied."""

    __slots__ = ("_base", "_layer")

    def __init__(self, base: BaseTable, layer: Rows) -> None:
        self._base = base
        self._layer = layer

    @property
    def spec(self) -> TableSpec[R]:
        """The table's declaration."""
        return self._base.spec

    def get(self, key: str) -> R | None:
        """Return the record under a key, or None."""
        if key in self._layer:
            return self._layer[key]  # type: ignore[return-value]
        return self._base.rows.get(key)  # type: ignore[return-value]

    def __contains__(self, key: object) -> bool:
        if key in self._layer:
            return self._layer[key] is not None  # type: ignore[index]
        return key in self._base.rows

    def __len__(self) -> int:
        size = len(self._base.rows)
        for key, record in self._layer.items():
            size += (record is not None) - (key in self._base.rows)
        return size

    def keys(self) -> Iterator[str]:
        """Iterate over keys: the base's order, then records created since."""
        layer, rows = self._layer, self._base.rows
        for key in rows:
            if layer.get(key, rows) is not None:
                yield key
        for key, record in layer.items():
            if record is not None and key not in rows:
                yield key

    def values(self) -> Iterator[R]:
        """Iterate over records in the order of `keys`."""
        for key in self.keys():
            record = self.get(key)
            assert record is not None
            yield record

    def find(self, **equals: Any) -> list[R]:
        """Return the records whose indexed fields equal the given values, in the order of `keys`."""
        field, value = next(iter(equals.items()))
        index = self._base.indexes.get(field)
        if index is None or any(name not in self._base.indexes for name in equals):
            raise DomainError(f"table {self.spec.name} has no index on {', '.join(equals)}")
        layer = self._layer
        candidates = [key for key in index.get(value, ()) if key not in layer]
        if layer:
            rows = self._base.rows
            touched = [key for key, record in layer.items() if record is not None and getattr(record, field) == value]
            order = {key: place for place, key in enumerate(index.get(value, ()))}
            candidates += touched
            # Records of the base keep their place; those moved into this value or created come after.
            candidates.sort(key=lambda key: (order.get(key, len(order)), key in rows))
        found = [self.get(key) for key in candidates]
        return [
            record
            for record in found
            if record is not None and all(getattr(record, name) == wanted for name, wanted in equals.items())
        ]


class WritableTable(LayeredTable[R]):
    """Reads and writes of one table inside a transaction."""

    __slots__ = ("_delta", "overlay")

    def __init__(self, base: BaseTable, delta: Rows) -> None:
        super().__init__(base, delta)
        self._delta = delta
        self.overlay: dict[str, Record | None] = {}

    def require(self, key: str) -> R:
        """Return the record under a key; raise `ToolError` if there is none."""
        record = self.get(key)
        if record is None:
            raise ToolError(f"{self.spec.record.__name__} '{key}' not found")
        return record

    def put(self, record: R) -> None:
        """Add the record, or replace the one with its key."""
        if type(record) is not self.spec.record:
            raise DomainError(f"table {self.spec.name} holds {self.spec.record.__name__}, not {type(record).__name__}")
        self._write(getattr(record, self.spec.key), record)

    def delete(self, key: str) -> None:
        """Remove the record; raise `ToolError` if there is none."""
        self.require(key)
        self._write(key, None)

    def _write(self, key: str, record: Record | None) -> None:
        if not self.overlay:
            # The first write of a call copies this episode's few touched rows; calls that only read copy nothing.
            self._layer = dict(self._delta)
        self.overlay[key] = record
        self._layer[key] = record  # type: ignore[index]
