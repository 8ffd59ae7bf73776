"""The shared base of worlds: generated once, frozen, hashed, indexed."""

from __future__ import annotations

import datetime
import gc
import hashlib
from collections.abc import Mapping
from typing import Any

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Domain, TableSpec
from eigen_cli.api.errors import DomainError
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import WorldRef


class BaseTable:
    """All generated rows of one table, in generation order, with their indexes."""

    __slots__ = ("indexes", "rows", "spec")

    def __init__(self, spec: TableSpec[Any], rows: Mapping[str, Record]) -> None:
        self.spec = spec
        self.rows = rows
        self.indexes: dict[str, dict[Any, list[str]]] = {}
        for field in spec.indexes:
            index: dict[Any, list[str]] = {}
            for key, record in rows.items():
                index.setdefault(getattr(record, field), []).append(key)
            self.indexes[field] = index


class Base:
    """A generated world nobody writes to; every episode's world is a delta over one."""

    __slots__ = ("by_record", "domain", "hash", "now", "ref", "tables")

    def __init__(self, domain: Domain, ref: WorldRef, tables: dict[str, BaseTable]) -> None:
        self.domain = domain
        self.ref = ref
        self.tables = tables
        self.by_record: dict[type[Record], BaseTable] = {table.spec.record: table for table in tables.values()}
        self.now: datetime.datetime = domain.clock()
        self.hash = _hash_tables(tables)


def build_base(domain: Domain, ref: WorldRef, *, freeze: bool = True) -> Base:
    """Generate a base world. Raises `DomainError` for records of undeclared types and for repeated keys.

    With `freeze` the garbage collector stops tracking everything alive now (`gc.freeze`), so that a million records
    add nothing to later collections.
    """
    by_type = {spec.record: spec for spec in domain.tables}
    rows: dict[str, dict[str, Record]] = {spec.name: {} for spec in domain.tables}
    for record in domain.generate(seed=ref.seed, size=ref.size):
        spec = by_type.get(type(record))
        if spec is None:
            raise DomainError(f"{domain.name}: generated a {type(record).__name__}, which no table declares")
        key = getattr(record, spec.key)
        if key in rows[spec.name]:
            raise DomainError(f"{domain.name}: table {spec.name} has two records with key {key!r}")
        rows[spec.name][key] = record
    base = Base(domain, ref, {spec.name: BaseTable(spec, rows[spec.name]) for spec in domain.tables})
    if freeze:
        gc.collect()
        gc.freeze()
    return base


class BaseCache:
    """Bases by (domain name, reference); a run needs only a handful and builds each once."""

    def __init__(self) -> None:
        self._bases: dict[tuple[str, WorldRef], Base] = {}

    def get(self, domain: Domain, ref: WorldRef) -> Base:
        """Return the base, generating it on first use."""
        base = self._bases.get((domain.name, ref))
        if base is None:
            base = self._bases[(domain.name, ref)] = build_base(domain, ref)
        return base


def _hash_tables(tables: Mapping[str, BaseTable]) -> str:
    hasher = hashlib.sha256()
    for name in sorted(tables):
        rows = tables[name].rows
        hasher.update(f"{name} {len(rows)}\n".encode())
        for key in sorted(rows):
            hasher.update(canonical_json(rows[key]))
            hasher.update(b"\n")
    return hasher.hexdigest()
