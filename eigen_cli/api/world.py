"""What tools, checks, guards and verifiers may ask of a world. The engine is in `eigen_cli.world`."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeVar

from eigen_cli.api.record import Record

R = TypeVar("R", bound=Record)


class TableView(Protocol[R]):
    """Reads of one table. Iteration is in key order of the base, records created since then last."""

    def get(self, key: str) -> R | None:
        """Return the record under a key, or None."""

    def __contains__(self, key: object) -> bool: ...
    def __len__(self) -> int: ...

    def keys(self) -> Iterator[str]:
        """Iterate over the keys."""

    def values(self) -> Iterator[R]:
        """Iterate over the records; O(table)."""

    def find(self, **equals: Any) -> list[R]:
        """Return the records whose indexed fields equal the given values; every name must be a declared index."""


class Table(TableView[R], Protocol[R]):
    """Reads and writes of one table inside a tool call. Writes are the only way a world changes."""

    def require(self, key: str) -> R:
        """Return the record under a key; raise `ToolError` if there is none."""

    def put(self, record: R) -> None:
        """Add the record, or replace the one with its key."""

    def delete(self, key: str) -> None:
        """Remove the record; raise `ToolError` if there is none."""


class WorldView(Protocol):
    """A world as it stands, readable and hashable."""

    @property
    def now(self) -> datetime.datetime:
        """The domain's clock, naive, in the domain's time zone."""

    def table(self, record: type[R]) -> TableView[R]:
        """Return the table that holds a record type."""

    def touched(self) -> Mapping[str, Mapping[str, Record | None]]:
        """Return, by table and key, the records that differ from the shared base; None where one was removed."""

    def state_hash(self) -> str:
        """Return the hash of the exact state: H(base hash, sorted delta)."""

    def outcome_hash(self) -> str:
        """Return the hash of the state as outcomes are compared: canonical records, created ids renamed."""


class Transaction(Protocol):
    """The world as a tool sees it while it runs; dropped whole if the tool raises."""

    @property
    def now(self) -> datetime.datetime:
        """The domain's clock."""

    @property
    def salt(self) -> str:
        """Hex digits that differ from generated world to generated world, for making ids nobody can learn by heart."""

    def table(self, record: type[R]) -> Table[R]:
        """Return the table that holds a record type."""

    def sequence(self, name: str) -> int:
        """Return the next number of a named sequence, from 1; the source of new ids."""
