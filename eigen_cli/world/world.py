"""A world: an immutable value, a small delta over a shared base."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec.structs import astuple

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.errors import DomainError
from eigen_cli.api.messages import FieldChange, RecordChange
from eigen_cli.api.record import Record, from_json, to_json
from eigen_cli.api.tasks import RecordPatch
from eigen_cli.world.base import Base
from eigen_cli.world.outcome import outcome_hash
from eigen_cli.world.tables import LayeredTable, Rows, WritableTable

R = TypeVar("R", bound=Record)
_NO_ROWS: Rows = {}


class World:
    """One domain's state. Opening one costs the same over a thousand records and a million.

    `delta` maps table to touched rows (None: removed); rows equal to the base are never in it. `digests` holds the
    SHA-256 of each touched row's canonical JSON, so that hashing costs what was touched.
    """

    __slots__ = ("_outcome", "_state", "base", "delta", "digests", "sequences")

    def __init__(
        self,
        base: Base,
        delta: Mapping[str, Rows] | None = None,
        *,
        digests: Mapping[str, Mapping[str, bytes]] | None = None,
        sequences: Mapping[str, int] | None = None,
    ) -> None:
        self.base = base
        self.delta: Mapping[str, Rows] = delta or {}
        self.digests: Mapping[str, Mapping[str, bytes]] = digests or {}
        self.sequences: Mapping[str, int] = sequences or {}
        self._state: str | None = None
        self._outcome: str | None = None

    @property
    def now(self) -> datetime.datetime:
        """The domain's clock."""
        return self.base.now

    def table(self, record: type[R]) -> LayeredTable[R]:
        """Return the table that holds a record type."""
        base = self.base.by_record.get(record)
        if base is None:
            raise DomainError(f"{self.base.domain.name} has no table of {record.__name__}")
        return LayeredTable(base, self.delta.get(base.spec.name, _NO_ROWS))

    def touched(self) -> Mapping[str, Rows]:
        """Return the delta."""
        return self.delta

    def state_hash(self) -> str:
        """Return H(base hash, sorted delta); exact, created ids included."""
        if self._state is None:
            hasher = hashlib.sha256(self.base.hash.encode())
            for name in sorted(self.digests):
                rows = self.digests[name]
                for key in sorted(rows):
                    hasher.update(f"\n{name}\0{key}\0".encode())
                    hasher.update(rows[key])
            self._state = hasher.hexdigest()
        return self._state

    def outcome_hash(self) -> str:
        """Return the hash by which outcomes are compared: canonical records, created ids up to a renaming."""
        if self._outcome is None:
            self._outcome = outcome_hash(self.base, self.delta)
        return self._outcome

    def begin(self) -> Transaction:
        """Return a transaction on this world."""
        return Transaction(self)

    def patched(self, patches: tuple[RecordPatch, ...]) -> World:
        """Return this world with records put or removed as a task's initial patch says."""
        if not patches:
            return self
        transaction = self.begin()
        for patch in patches:
            base = self.base.tables.get(patch.table)
            if base is None:
                raise DomainError(f"{self.base.domain.name} has no table {patch.table!r}")
            table = transaction.table(base.spec.record)
            if patch.record is None:
                table.delete(patch.key)
            else:
                table.put(from_json(patch.record, base.spec.record))
        return transaction.commit()[0]

    def snapshot(self) -> dict[str, Any]:
        """Return the delta and the sequences as JSON values; with the base's reference that is the whole world."""
        delta = {
            name: {key: None if record is None else to_json(record) for key, record in rows.items()}
            for name, rows in self.delta.items()
        }
        return {"delta": delta, "sequences": dict(self.sequences)}

    @classmethod
    def restore(cls, base: Base, snapshot: Mapping[str, Any]) -> World:
        """Return the world a snapshot was taken of; the base must be the same."""
        delta: dict[str, Rows] = {}
        for name, rows in snapshot["delta"].items():
            record_type = base.tables[name].spec.record
            delta[name] = {key: None if row is None else from_json(row, record_type) for key, row in rows.items()}
        digests = {name: {key: _row_digest(row) for key, row in rows.items()} for name, rows in delta.items()}
        return cls(base, delta, digests=digests, sequences=snapshot["sequences"])


class Transaction:
    """The world as a tool sees it while it runs. Commit returns a new world; dropping it undoes everything."""

    __slots__ = ("_sequences", "_tables", "_world")

    def __init__(self, world: World) -> None:
        self._world = world
        self._tables: dict[type[Record], WritableTable[Any]] = {}
        self._sequences: dict[str, int] | None = None

    @property
    def now(self) -> datetime.datetime:
        """The domain's clock."""
        return self._world.base.now

    @property
    def salt(self) -> str:
        """The base's hash."""
        return self._world.base.hash

    def table(self, record: type[R]) -> WritableTable[R]:
        """Return the table that holds a record type."""
        table = self._tables.get(record)
        if table is None:
            base = self._world.base.by_record.get(record)
            if base is None:
                raise DomainError(f"{self._world.base.domain.name} has no table of {record.__name__}")
            table = WritableTable(base, self._world.delta.get(base.spec.name, _NO_ROWS))
            self._tables[record] = table
        return table

    def sequence(self, name: str) -> int:
        """Return the next number of a named sequence, from 1."""
        if self._sequences is None:
            self._sequences = dict(self._world.sequences)
        self._sequences[name] = self._sequences.get(name, 0) + 1
        return self._sequences[name]

    @property
    def wrote(self) -> bool:
        """Whether anything was written."""
        return self._sequences is not None or any(table.overlay for table in self._tables.values())

    def commit(self) -> tuple[World, tuple[RecordChange, ...]]:
        """Return the new world and what changed, tables and keys in the order of writing."""
        world = self._world
        if not self.wrote:
            return world, ()
        delta, digests = dict(world.delta), dict(world.digests)
        changes: list[RecordChange] = []
        for table in self._tables.values():
            if table.overlay:
                _commit_table(world, table, delta, digests, changes)
        sequences = world.sequences if self._sequences is None else self._sequences
        return World(world.base, delta, digests=digests, sequences=sequences), tuple(changes)


def _commit_table(
    world: World,
    table: WritableTable[Any],
    delta: dict[str, Rows],
    digests: dict[str, Mapping[str, bytes]],
    changes: list[RecordChange],
) -> None:
    name = table.spec.name
    base_rows = world.base.tables[name].rows
    before_rows = world.delta.get(name, _NO_ROWS)
    rows, row_digests = dict(before_rows), dict(digests.get(name, {}))
    for key, after in table.overlay.items():
        original = base_rows.get(key)
        before = before_rows.get(key, original)
        if after == before:
            continue
        changes.append(_change(name, key, before, after))
        if after == original:
            del rows[key], row_digests[key]
        else:
            rows[key] = after
            row_digests[key] = _row_digest(after)
    if rows:
        delta[name], digests[name] = rows, row_digests
    else:
        delta.pop(name, None)
        digests.pop(name, None)


def _row_digest(record: Record | None) -> bytes:
    return hashlib.sha256(b"" if record is None else canonical_json(record)).digest()


def _change(table: str, key: str, before: Record | None, after: Record | None) -> RecordChange:
    if before is None or after is None:
        present = before if after is None else after
        assert present is not None
        whole = to_json(present)
        fields = tuple(
            FieldChange(name, None, value) if before is None else FieldChange(name, value, None)
            for name, value in whole.items()
        )
        return RecordChange(table, key, "added" if before is None else "removed", fields)
    sides = zip(before.__struct_fields__, astuple(before), astuple(after), strict=True)
    changed = [FieldChange(name, to_json(old), to_json(new)) for name, old, new in sides if old != new]
    return RecordChange(table, key, "changed", tuple(changed))
