"""Outcomes: when two worlds count as the same result.

Each touched record is reduced by the domain's pure `canonical()`; a record whose canonical form equals the base's has
not changed. Ids that tools made up are compared up to a renaming: they are ranked by the content of their record and
replaced, everywhere they occur as a whole JSON string, by that rank.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from eigen_cli.api.canonical import canonical_json
from eigen_cli.world.base import Base
from eigen_cli.world.tables import Rows


def outcome_hash(base: Base, delta: Mapping[str, Rows]) -> str:
    """Return the hash of a delta's outcome over its base; costs what the delta touches."""
    canonical = base.domain.canonical
    entries: list[tuple[str, str, bytes]] = []
    created: list[tuple[str, str, bytes]] = []
    for name, rows in delta.items():
        table = base.tables[name]
        for key, record in rows.items():
            body = b"null" if record is None else canonical_json(canonical(record))
            original = table.rows.get(key)
            if original is not None and record is not None and canonical_json(canonical(original)) == body:
                continue
            entries.append((name, key, body))
            if original is None and table.spec.created:
                created.append((name, key, body))
    if created:
        entries = _rename(entries, created)
    hasher = hashlib.sha256(base.hash.encode())
    for name, key, body in sorted(entries):
        hasher.update(f"\n{name}\0{key}\0".encode())
        hasher.update(body)
    return hasher.hexdigest()


def _rename(
    entries: list[tuple[str, str, bytes]], created: list[tuple[str, str, bytes]]
) -> list[tuple[str, str, bytes]]:
    blank = [(canonical_json(key), canonical_json(f"new:{name}")) for name, key, _ in created]
    ranked = sorted(created, key=lambda entry: (entry[0], _replaced(entry[2], blank)))
    names: dict[tuple[str, str], str] = {}
    for rank, (name, key, _) in enumerate(ranked):
        names[name, key] = f"new:{name}:{rank}"
    renames = [(canonical_json(key), canonical_json(new)) for (_, key), new in names.items()]
    return [(name, names.get((name, key), key), _replaced(body, renames)) for name, key, body in entries]


def _replaced(body: bytes, renames: list[tuple[bytes, bytes]]) -> bytes:
    for old, new in renames:
        body = body.replace(old, new)
    return body
