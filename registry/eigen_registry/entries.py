"""The SQL of the catalogue: one row a sealed generation or evaluation, pushes, and what was removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from eigen_cli.api.browsing import Damaged, Push, Sealed
from eigen_cli.api.canonical import digest
from eigen_cli.api.errors import RegistryError
from eigen_cli.api.evaluations import Evaluation, EvaluationBody, EvaluationObserved
from eigen_cli.api.generations import Generation, GenerationBody, GenerationObserved
from eigen_registry import refusals
from eigen_registry.codec import decoder, text
from eigen_registry.kinds import EVALUATIONS, GENERATIONS, Kind

if TYPE_CHECKING:
    import duckdb

R = TypeVar("R")

_SELECT = """
    SELECT own.number, own.hash, own.body, own.observed, parent.number
    FROM generations AS own LEFT JOIN generations AS parent ON parent.hash = own.parent
"""
_SELECT_EVALUATION = "SELECT number, hash, body, observed FROM evaluations"
_body, _observed = decoder(GenerationBody), decoder(GenerationObserved)
_evaluation_body, _evaluation_observed = decoder(EvaluationBody), decoder(EvaluationObserved)
_REPEATED = {
    GENERATIONS: ("parent", "domain", "round", "simulated"),
    EVALUATIONS: ("domain", "split", "generation", "checkpoint", "simulated"),
}
"""Columns that say again what the body beside them says, and have its fields' names."""


def all_generations(con: duckdb.DuckDBPyConnection) -> list[Generation]:
    """Return every generation, oldest first."""
    return [_generation(*row) for row in con.execute(f"{_SELECT} ORDER BY own.number").fetchall()]


def readable_generations(con: duckdb.DuckDBPyConnection) -> tuple[list[Generation], list[Damaged]]:
    """Return every generation whose row can be read, and why the others' rows cannot; both oldest first."""
    found: list[Generation] = []
    damaged: list[Damaged] = []
    for row in con.execute(f"{_SELECT} ORDER BY own.number").fetchall():
        try:
            found.append(_generation(*row))
        except RegistryError as error:
            damaged.append(Damaged(GENERATIONS.id(row[0]), row[1], error.message))
    return found, damaged


def names(con: duckdb.DuckDBPyConnection) -> list[Sealed]:
    """Return what everything sealed is called, generations first, each kind oldest first."""
    return [
        *(Sealed("generation", GENERATIONS.id(number), hash_) for number, hash_ in hashes(con, GENERATIONS).items()),
        *(Sealed("evaluation", EVALUATIONS.id(number), hash_) for number, hash_ in hashes(con, EVALUATIONS).items()),
    ]


def check_repeated(con: duckdb.DuckDBPyConnection, kind: Kind, owner: Generation | Evaluation) -> None:
    """Raise `RegistryError` where the columns beside a body do not say what it says."""
    columns = _REPEATED[kind]
    found = con.execute(f"SELECT {', '.join(columns)} FROM {kind.table} WHERE hash = ?", (owner.hash,)).fetchone()
    if found is None:
        return  # Removed since.
    right = tuple(getattr(owner.body, column) for column in columns)
    differing = [
        f"{column} is {_shown(value)}, in its body {_shown(other)}"
        for column, value, other in zip(columns, found, right, strict=True)
        if value != other
    ]
    if differing:
        raise refusals.damaged(owner.id, f"what the catalogue repeats of it is wrong: {'; '.join(differing)}")


def generation_of_number(con: duckdb.DuckDBPyConnection, number: int) -> Generation:
    """Return a generation that is known to exist."""
    (row,) = con.execute(f"{_SELECT} WHERE own.number = ?", (number,)).fetchall()
    return _generation(*row)


def children(con: duckdb.DuckDBPyConnection, hash_: str) -> list[str]:
    """Return the ids of the generations here that were made from one."""
    rows = con.execute("SELECT number FROM generations WHERE parent = ? ORDER BY number", (hash_,)).fetchall()
    return [GENERATIONS.id(number) for (number,) in rows]


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


def hashes(con: duckdb.DuckDBPyConnection, kind: Kind) -> dict[int, str]:
    """Return the hash of everything sealed of a kind, by number, oldest first."""
    return dict(con.execute(f"SELECT number, hash FROM {kind.table} ORDER BY number").fetchall())


def insert_generation(
    con: duckdb.DuckDBPyConnection, hash_: str, *, body: GenerationBody, observed: GenerationObserved
) -> int:
    """Add a generation's row under the next number, and return that. A number that was removed is not used again."""
    row = con.execute(
        "SELECT coalesce(max(number), 0) + 1 FROM (SELECT number FROM generations UNION ALL SELECT number FROM removed)"
    ).fetchone()
    number = int(row[0]) if row else 1
    con.execute(
        "INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (number, hash_, body.parent, body.domain, body.round, body.simulated, text(body), text(observed)),
    )
    return number


def insert_evaluation(
    con: duckdb.DuckDBPyConnection, hash_: str, *, body: EvaluationBody, observed: EvaluationObserved
) -> int:
    """Add an evaluation's row under the next number, and return that."""
    row = con.execute("SELECT coalesce(max(number), 0) + 1 FROM evaluations").fetchone()
    number = int(row[0]) if row else 1
    light = (body.domain, body.split, body.generation, body.checkpoint, body.simulated)
    con.execute(
        "INSERT INTO evaluations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (number, hash_, *light, text(body), text(observed)),
    )
    return number


def delete_generation(con: duckdb.DuckDBPyConnection, number: int) -> None:
    """Forget a generation but for its number, which stays its own."""
    con.execute("INSERT INTO removed SELECT number, hash, now() FROM generations WHERE number = ?", (number,))
    con.execute("DELETE FROM generations WHERE number = ?", (number,))


def removed_numbers(con: duckdb.DuckDBPyConnection) -> set[int]:
    """Return the numbers of the generations that were removed."""
    return {number for (number,) in con.execute("SELECT number FROM removed").fetchall()}


def pushes(con: duckdb.DuckDBPyConnection) -> list[Push]:
    """Return what was pushed, oldest first."""
    rows = con.execute('SELECT hash, repo, tag, "commit", pushed_at FROM pushes ORDER BY pushed_at, rowid').fetchall()
    return [Push(*row) for row in rows]


def insert_push(con: duckdb.DuckDBPyConnection, push: Push) -> None:
    """Add a push unless it is known: the same commit under the same tag of the same repo is one push."""
    values = (push.hash, push.repo, push.tag, push.commit)
    known = con.execute(
        'SELECT 1 FROM pushes WHERE hash = ? AND repo = ? AND tag = ? AND "commit" = ?', values
    ).fetchone()
    if known is None:
        con.execute("INSERT INTO pushes VALUES (?, ?, ?, ?, ?)", (*values, push.pushed_at))


def _generation(number: int, hash_: str, body: str, observed: str, parent: int | None) -> Generation:
    id_ = GENERATIONS.id(number)
    _check_hash(id_, hash_, body)
    parent_id = None if parent is None else GENERATIONS.id(parent)
    return Generation(id_, hash_, _read(id_, _body, body), _read(id_, _observed, observed), parent_id)


def _evaluation(number: int, hash_: str, body: str, observed: str) -> Evaluation:
    id_ = EVALUATIONS.id(number)
    _check_hash(id_, hash_, body)
    return Evaluation(id_, hash_, _read(id_, _evaluation_body, body), _read(id_, _evaluation_observed, observed))


def _check_hash(id_: str, hash_: str, body: str) -> None:
    if digest(body) != hash_:
        raise refusals.damaged(id_, "its content does not have the hash it was sealed under")


def _read(id_: str, decode: Callable[[str], R], stored: str) -> R:
    """Decode what is stored of a row; raise `RegistryError` that says whose row it is."""
    try:
        return decode(stored)
    except RegistryError as error:
        raise refusals.unreadable(id_, error) from error


def _shown(value: object) -> str:
    """Return a column's value as messages show it."""
    return "nothing" if value is None else repr(value)
