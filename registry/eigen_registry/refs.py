"""What a name stands for: an id, a tag, `latest`, a hash or the beginning of one; for records, an id's beginning."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from eigen_cli.api.errors import UnknownRefError
from eigen_registry import entries, tags
from eigen_registry.codec import Layout
from eigen_registry.guesses import hint_for
from eigen_registry.kinds import GENERATIONS, Kind

if TYPE_CHECKING:
    import duckdb

PREFIX = 6
"""Fewest digits of a hash that may stand for the whole."""
_LAST = "\U0010ffff"
"""Sorts after every other character."""


def number_of_ref(con: duckdb.DuckDBPyConnection, kind: Kind, ref: str) -> int:
    """Return the number of what a ref names; raise `UnknownRefError` with the nearest match otherwise."""
    hashes = entries.hashes(con, kind)
    if not hashes:
        raise UnknownRefError(f"the registry holds no {kind.noun} yet", hint=f"`{kind.making}` seals a first one")
    if ref == "latest":
        return max(hashes)
    alias = re.fullmatch(rf"{kind.alias}-(\d{{1,9}})", ref)
    if alias and int(alias[1]) in hashes:
        return int(alias[1])
    tagged = tags.all_tags(con) if kind is GENERATIONS else {}
    by_hash = {hash_: number for number, hash_ in hashes.items()}
    if tagged.get(ref) in by_hash:
        return by_hash[tagged[ref]]
    wanted = ref.lower()
    if re.fullmatch(r"[0-9a-f]+", wanted):
        found = [number for number, hash_ in hashes.items() if hash_.startswith(wanted)]
        if found and len(wanted) < PREFIX:
            raise UnknownRefError(f"{ref!r} is too short for a hash", hint=f"give at least {PREFIX} digits, or an id")
        if len(found) > 1:
            raise _ambiguous(kind.noun, ref, [f"{kind.id(n)} ({hashes[n][:12]})" for n in found])
        if found:
            return found[0]
    if alias and kind is GENERATIONS and int(alias[1]) in entries.removed_numbers(con):
        raise UnknownRefError(
            f"{kind.id(int(alias[1]))} was removed from this registry", hint="if it was pushed, pull it again"
        )
    raise UnknownRefError(f"no {kind.noun} is called {ref!r}", hint=hint_for(ref, kind, hashes, tagged))


def ordinal_of(con: duckdb.DuckDBPyConnection, layout: Layout[Any], name: str, *, owner: str) -> tuple[int, str]:
    """Return the ordinal and full id of the record that an id or a unique prefix of one names.

    `con` is open on the contents of `owner`. The range is what lets DuckDB pass over blocks of the sorted ids.
    """
    rows = con.execute(
        f"SELECT ordinal, id FROM {layout.noun}_ids WHERE id >= ? AND id <= ? AND starts_with(id, ?) "
        "ORDER BY id LIMIT 6",
        (name, name + _LAST, name),
    ).fetchall()
    # An id sorts before those it is a prefix of, so a full id comes first.
    if rows and (len(rows) == 1 or rows[0][1] == name):
        return int(rows[0][0]), str(rows[0][1])
    if rows:
        raise _ambiguous(layout.noun, name, [id_ for _, id_ in rows])
    near = _nearest_id(con, layout, name)
    raise UnknownRefError(f"{owner} has no {layout.noun} {name!r}", hint=f"did you mean `{near}`?" if near else None)


def _nearest_id(con: duckdb.DuckDBPyConnection, layout: Layout[Any], name: str) -> str | None:
    """Return the id that a slip of the hand makes of `name`, or None.

    What stands before the first dash is the same in every id of a table, so only what follows it is compared: two
    characters may differ, and no more than one in four.
    """
    own = name.partition("-")[2] or name
    if own.endswith("-"):
        return None
    row = con.execute(
        "SELECT id, damerau_levenshtein(left(substr(id, strpos(id, '-') + 1), ?), ?) AS slips "
        f"FROM {layout.noun}_ids WHERE slips <= ? ORDER BY slips, id LIMIT 1",
        (len(own), own, min(2, len(own) // 4)),
    ).fetchone()
    return str(row[0]) if row else None


def _ambiguous(noun: str, name: str, candidates: list[str]) -> UnknownRefError:
    shown = ", ".join(candidates[:5]) + (", …" if len(candidates) > 5 else "")
    return UnknownRefError(f"{name!r} names more than one {noun}", hint=f"give more of one of these: {shown}")
