"""The benchmark's rows over our records: nothing of a row is lost, however little of it a record has room for.

A row is split into one of our records and a remainder: what the record cannot say, field by field, as JSON text. Most
rows leave none; the actual times of a landed flight do, and so does a value of a wrong type that the benchmark stored
as it came. Splitting is a function of the row alone, so two worlds are equal exactly when their rows are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from eigen_cli.api.domain import TableSpec
from eigen_cli.api.errors import ConfigError, ToolError
from eigen_cli.api.record import FrozenMap, Money, Record, money, to_json
from eigen_cli.api.tasks import RecordPatch
from eigen_cli.api.world import Transaction, WorldView
from eigen_tau2.coercion import Reader, within

R = TypeVar("R", bound=Record)
Row = dict[str, Any]


class Remainder(Record, frozen=True):
    """What a row says beyond its record: JSON texts by field, which stand in the record's place."""

    id: str
    fields: FrozenMap[str, str]


REMAINDERS = TableSpec("remainders", Remainder, "id")


@dataclass(frozen=True)
class Form(Generic[R]):
    """How one of our tables is written in the benchmark's form.

    `checked` reads a raw row as the benchmark's model does (`ValueError` where that refuses it), `written` is the row a
    record says, `record` the record that says most of a row. `row_has_key` is false where a row does not hold its key.
    """

    table: str
    kind: type[R]
    key: str
    checked: Reader
    written: Callable[[R], Row]
    record: Callable[[str, Row], R]
    row_has_key: bool = True

    def split(self, key: str, row: Row) -> tuple[R, Remainder | None]:
        """Return the record and the remainder of a row."""
        record = self.record(key, row)
        written = self.written(record)
        beyond = {name: value for name, value in row.items() if not _same(value, written.get(name, _NOTHING))}
        if not beyond:
            return record, None
        fields = FrozenMap({name: json.dumps(value, sort_keys=True) for name, value in beyond.items()})
        return record, Remainder(self.remainder_key(key), fields)

    def joined(self, record: R, remainder: Remainder | None) -> Row:
        """Return the row of a record and its remainder; it is the caller's to change."""
        row = self.written(record)
        if remainder is not None:
            row.update((name, json.loads(value)) for name, value in remainder.fields.items())
        return row

    def remainder_key(self, key: str) -> str:
        """Return the key under which a row's remainder lies."""
        return f"{self.table}/{key}"

    def records(self, key: str, raw: Any) -> Iterator[Record]:
        """Yield the record and the remainder of a raw row. Raises `ConfigError` where the schema is another."""
        try:
            row = self.checked(raw)
        except ValueError as error:
            raise ConfigError(f"database of another schema: {self.table} {key}: {error}") from None
        if self.row_has_key and row[self.key] != key:
            raise ConfigError(f"database of another schema: {self.table} {key} calls itself {row[self.key]}")
        yield from (part for part in self.split(key, row) if part is not None)

    def patches(self, key: str, raw: Any) -> tuple[RecordPatch, ...]:
        """Return the patches that put a raw row into a world without a remainder under its key; raises `ValueError`."""
        record, remainder = self.split(key, within(f"{self.table} {key}", self.checked, raw))
        patch = RecordPatch(self.table, key, to_json(record))
        if remainder is None:
            return (patch,)
        return (patch, RecordPatch(REMAINDERS.name, remainder.id, to_json(remainder)))


def row_of(world: WorldView | Transaction, form: Form[R], key: Any) -> Row | None:
    """Return a row under a key, to be changed at will; None where there is none."""
    record = world.table(form.kind).get(key) if isinstance(key, str) else None
    if record is None:
        return None
    return form.joined(record, world.table(Remainder).get(form.remainder_key(key)))


class Rows:
    """Rows as a tool reads and writes them, inside its call."""

    def __init__(self, world: Transaction) -> None:
        self._world = world

    def get(self, form: Form[R], key: Any) -> Row:
        """Return a row, to be changed and put back. Raises `ToolError`."""
        row = row_of(self._world, form, key)
        if row is None:
            raise ToolError(f"{form.kind.__name__} '{key}' not found")
        return row

    def has(self, form: Form[R], key: str) -> bool:
        """Whether there is a row under a key."""
        return key in self._world.table(form.kind)

    def put(self, form: Form[R], key: str, row: Row) -> None:
        """Write a row."""
        record, remainder = form.split(key, row)
        self._world.table(form.kind).put(record)
        remainders = self._world.table(Remainder)
        if remainder is not None:
            remainders.put(remainder)
        elif form.remainder_key(key) in remainders:
            remainders.delete(form.remainder_key(key))


def touched_keys(world: WorldView, form: Form[R]) -> list[str]:
    """Return the keys of a table whose rows differ from the base's."""
    touched = world.touched()
    prefix = form.remainder_key("")
    remainders = touched.get(REMAINDERS.name, {})
    found = dict.fromkeys(touched.get(form.table, {}))
    found.update((key[len(prefix) :], None) for key in remainders if key.startswith(prefix))
    return list(found)


def touched_rows(world: WorldView, form: Form[R]) -> dict[str, Row | None]:
    """Return the rows of a table that differ from the base's; None where one was removed."""
    return {key: row_of(world, form, key) for key in touched_keys(world, form)}


def all_rows(world: WorldView, form: Form[R]) -> Iterator[tuple[str, Row]]:
    """Yield every row of a table with its key; O(table)."""
    for key in world.table(form.kind).keys():  # noqa: SIM118
        row = row_of(world, form, key)
        assert row is not None
        yield key, row


def exact(amount: float) -> Money:
    """Return the amount a record holds for a row's; 0, the row's own in the remainder, where no bank would know it.

    Floats go through their shortest spelling, so that they come back digit for digit, however odd the last ones are.
    """
    return money(repr(amount)) if abs(amount) < _LARGEST else money(0)


def tables_of(database: Any, *names: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the tables of a database, rows by key. Raises `ConfigError` where it has other tables."""
    found = sorted(database) if isinstance(database, dict) else []
    if found != sorted(names) or not all(isinstance(database[name], dict) for name in names):
        shown = ", ".join(map(str, found)) or "none"
        raise ConfigError(f"database of another schema: its tables are {shown}; expected {', '.join(names)}")
    return cast(Mapping[str, Mapping[str, Any]], database)


def merged(row: Mapping[str, Any], change: Mapping[str, Any]) -> Row:
    """Return a row with a change laid over it, objects within objects too, as the benchmark's tasks change rows."""
    laid: Row = dict(row)
    for name, value in change.items():
        before = laid.get(name)
        laid[name] = merged(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return laid


_NOTHING = object()
_LARGEST = 10**15


def _same(left: Any, right: Any) -> bool:
    # `3`, `3.0` and `true` are equal to Python and different in a hash.
    return type(left) is type(right) and bool(left == right)
