"""The SQL of reading and writing what is sealed; every function works within a connection it is given."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from eigen_cli.api.canonical import digest
from eigen_cli.api.errors import UnknownRefError
from eigen_cli.api.evaluations import Evaluation, EvaluationBody, EvaluationObserved
from eigen_cli.api.generations import Generation, GenerationBody, GenerationObserved
from eigen_registry import refusals
from eigen_registry.codec import Layout, decoder, text
from eigen_registry.kinds import EVALUATIONS, GENERATIONS, Kind

if TYPE_CHECKING:
    import duckdb

R = TypeVar("R")

FLUSH_EVERY = 512
"""Rows handed to DuckDB at a time while sealing: bounds the memory that waits outside it."""
PREFIX = 6
"""Fewest digits of a hash that may stand for the whole."""

_SELECT = """
    SELECT own.number, own.hash, own.body, own.observed, parent.number
    FROM generations AS own LEFT JOIN generations AS parent ON parent.hash = own.parent
"""
_SELECT_EVALUATION = "SELECT number, hash, body, observed FROM evaluations"
_body, _observed = decoder(GenerationBody), decoder(GenerationObserved)
_evaluation_body, _evaluation_observed = decoder(EvaluationBody), decoder(EvaluationObserved)


def all_generations(con: duckdb.DuckDBPyConnection) -> list[Generation]:
    """Return every generation, oldest first."""
    return [_generation(*row) for row in con.execute(f"{_SELECT} ORDER BY own.number").fetchall()]


def generation_of_number(con: duckdb.DuckDBPyConnection, number: int) -> Generation:
    """Return a generation that is known to exist."""
    (row,) = con.execute(f"{_SELECT} WHERE own.number = ?", (number,)).fetchall()
    return _generation(*row)


def all_evaluations(con: duckdb.DuckDBPyConnection) -> list[Evaluation]:
    """Return every evaluation, oldest first."""
    return [_evaluation(*row) for row in con.execute(f"{_SELECT_EVALUATION} ORDER BY number").fetchall()]


def evaluation_of_number(con: duckdb.DuckDBPyConnection, number: int) -> Evaluation:
    """Return an evaluation that is known to exist."""
    (row,) = con.execute(f"{_SELECT_EVALUATION} WHERE number = ?", (number,)).fetchall()
    return _evaluation(*row)


def number_of_hash(con: duckdb.DuckDBPyConnection, kind: Kind, hash_: str) -> int | None:
    """Return the number under which a hash is sealed, or None."""
    row = con.execute(f"SELECT number FROM {kind.table} WHERE hash = ?", (hash_,)).fetchone()
    return int(row[0]) if row else None


def number_of_ref(con: duckdb.DuckDBPyConnection, kind: Kind, ref: str) -> int:
    """Return the number of what a ref names; raise `UnknownRefError` with the nearest match otherwise."""
    hashes: dict[int, str] = dict(con.execute(f"SELECT number, hash FROM {kind.table} ORDER BY number").fetchall())
    if not hashes:
        raise UnknownRefError(f"the registry holds no {kind.noun} yet", hint=f"`{kind.making}` seals a first one")
    if ref == "latest":
        return max(hashes)
    alias = re.fullmatch(rf"{kind.alias}-(\d{{1,9}})", ref)
    if alias and int(alias[1]) in hashes:
        return int(alias[1])
    wanted = ref.lower()
    if re.fullmatch(r"[0-9a-f]+", wanted):
        found = [number for number, hash_ in hashes.items() if hash_.startswith(wanted)]
        if found and len(wanted) < PREFIX:
            raise UnknownRefError(f"{ref!r} is too short for a hash", hint=f"give at least {PREFIX} digits, or an id")
        if len(found) > 1:
            raise _ambiguous(kind.noun, ref, [f"{kind.id(n)} ({hashes[n][:12]})" for n in found])
        if found:
            return found[0]
    ids = [kind.id(number) for number in hashes]
    near = _nearest(ref, [*ids, "latest"]) or _nearest(wanted, [hash_[: len(wanted)] for hash_ in hashes.values()])
    raise UnknownRefError(
        f"no {kind.noun} is called {ref!r}", hint=f"did you mean `{near}`?" if near else f"`{kind.listing}` lists them"
    )


def ordinal_of(con: duckdb.DuckDBPyConnection, layout: Layout[Any], number: int, *, name: str) -> tuple[int, str]:
    """Return the ordinal and full id of the record of an owner that an id or a unique prefix of one names."""
    rows = con.execute(
        f"SELECT ordinal, id FROM {layout.table} "
        f"WHERE {layout.owner.noun} = ? AND starts_with(id, ?) ORDER BY id LIMIT 6",
        (number, name),
    ).fetchall()
    # An id sorts before those it is a prefix of, so a full id comes first.
    if rows and (len(rows) == 1 or rows[0][1] == name):
        return int(rows[0][0]), str(rows[0][1])
    if rows:
        raise _ambiguous(layout.noun, name, [id_ for _, id_ in rows])
    near = _nearest_id(con, layout, number, name=name)
    raise UnknownRefError(
        f"{layout.owner.id(number)} has no {layout.noun} {name!r}", hint=f"did you mean `{near}`?" if near else None
    )


def _nearest_id(con: duckdb.DuckDBPyConnection, layout: Layout[Any], number: int, *, name: str) -> str | None:
    """Return the owner's id that a slip of the hand makes of `name`, or None.

    What stands before the first dash is the same in every id of a table, so only what follows it is compared: two
    characters may differ, and no more than one in four.
    """
    own = name.partition("-")[2] or name
    if own.endswith("-"):
        return None
    row = con.execute(
        f"SELECT id, damerau_levenshtein(left(substr(id, strpos(id, '-') + 1), ?), ?) AS slips FROM {layout.table} "
        f"WHERE {layout.owner.noun} = ? AND slips <= ? ORDER BY slips, id LIMIT 1",
        (len(own), own, number, min(2, len(own) // 4)),
    ).fetchone()
    return str(row[0]) if row else None


def ordinals(con: duckdb.DuckDBPyConnection, layout: Layout[Any], number: int, *, task: str | None = None) -> list[int]:
    """Return the ordinals of an owner's records, in order; of one task's with `task` (episodes only)."""
    where = f"{layout.owner.noun} = ?" + ("" if task is None else " AND task = ?")
    values = (number,) if task is None else (number, task)
    rows = con.execute(f"SELECT ordinal FROM {layout.table} WHERE {where} ORDER BY ordinal", values).fetchall()
    return [row[0] for row in rows]


def rows(
    con: duckdb.DuckDBPyConnection, layout: Layout[Any], number: int, *, page: Sequence[int]
) -> list[tuple[Any, ...]]:
    """Return the rows with the given ascending ordinals, as `layout.record` takes them.

    The range is what lets DuckDB skip the blocks outside it; a limit would have it unpack every body.
    """
    if not page:
        return []
    return con.execute(
        f"SELECT {', '.join(layout.columns)} FROM {layout.table} WHERE {layout.owner.noun} = ? "
        "AND ordinal BETWEEN ? AND ? AND list_contains(?, ordinal) ORDER BY ordinal",
        (number, page[0], page[-1], list(page)),
    ).fetchall()


def insert_generation(
    con: duckdb.DuckDBPyConnection, hash_: str, *, body: GenerationBody, observed: GenerationObserved
) -> int:
    """Add a generation's own row under the next number, and return that."""
    number = _next_number(con, GENERATIONS)
    con.execute(
        "INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (number, hash_, body.parent, body.domain, body.round, body.simulated, text(body), text(observed)),
    )
    return number


def insert_evaluation(
    con: duckdb.DuckDBPyConnection, hash_: str, *, body: EvaluationBody, observed: EvaluationObserved
) -> int:
    """Add an evaluation's own row under the next number, and return that."""
    number = _next_number(con, EVALUATIONS)
    light = (body.domain, body.split, body.generation, body.checkpoint, body.simulated)
    con.execute(
        "INSERT INTO evaluations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (number, hash_, *light, text(body), text(observed)),
    )
    return number


def _next_number(con: duckdb.DuckDBPyConnection, kind: Kind) -> int:
    row = con.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {kind.table}").fetchone()
    return int(row[0]) if row else 1


def insert_records(con: duckdb.DuckDBPyConnection, layout: Layout[R], number: int, *, items: Iterable[R]) -> None:
    """Add records of an owner in order, by DuckDB's bulk path (ten times faster than `executemany`)."""
    appender = con.appender(layout.table)
    numbered = enumerate(items)
    while batch := list(itertools.islice(numbered, FLUSH_EVERY)):
        for ordinal, item in batch:
            appender.append_row(number, ordinal, *layout.row(item))
        appender.flush()


def _generation(number: int, hash_: str, body: str, observed: str, parent: int | None) -> Generation:
    if digest(body) != hash_:
        raise refusals.damaged(GENERATIONS.id(number), "its content does not have the hash it was sealed under")
    parent_id = None if parent is None else GENERATIONS.id(parent)
    return Generation(GENERATIONS.id(number), hash_, _body(body), _observed(observed), parent_id)


def _evaluation(number: int, hash_: str, body: str, observed: str) -> Evaluation:
    if digest(body) != hash_:
        raise refusals.damaged(EVALUATIONS.id(number), "its content does not have the hash it was sealed under")
    return Evaluation(EVALUATIONS.id(number), hash_, _evaluation_body(body), _evaluation_observed(observed))


def _ambiguous(noun: str, name: str, candidates: list[str]) -> UnknownRefError:
    shown = ", ".join(candidates[:5]) + (", …" if len(candidates) > 5 else "")
    return UnknownRefError(f"{name!r} names more than one {noun}", hint=f"give more of one of these: {shown}")


def _nearest(wanted: str, names: Sequence[str]) -> str | None:
    return next(iter(difflib.get_close_matches(wanted, names, n=1)), None)
