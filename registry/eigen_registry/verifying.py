"""Checking that a contents file is what was sealed: every byte hashed again, every repeated column compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigen_cli.api.errors import RegistryError
from eigen_cli.api.evaluations import Evaluation
from eigen_cli.api.generations import Generation
from eigen_registry import refusals, rows
from eigen_registry.codec import EPISODES, TASKS, Layout
from eigen_registry.hashing import RunningDigest, pinned
from eigen_registry.kinds import GENERATIONS, Kind
from eigen_registry.writing import CAME_TO, layouts_of

if TYPE_CHECKING:
    import duckdb


def verify(con: duckdb.DuckDBPyConnection, kind: Kind, owner: Generation | Evaluation, *, path: Path) -> None:
    """Read everything in a contents file; raise `RegistryError` where it is not what `owner` was sealed with."""
    digests = {}
    for layout in layouts_of(kind):
        count = rows.count(con, layout)
        if count is None:
            raise refusals.damaged_contents(path, owner.id, f"the order of its {layout.noun}s is lost")
        digests[layout.field] = (layout, _rehash(con, layout, count, owner=owner, path=path))
    found = pinned(digests)
    sealed = owner.body.contents
    wrong = [field for field in sorted({*found, *sealed}) if found.get(field) != sealed.get(field)]
    if wrong:
        raise refusals.damaged_contents(path, owner.id, f"its {', '.join(wrong)} are not those it was sealed with")
    if kind is GENERATIONS:
        _check_look_ups(con, owner, path=path)


def _rehash(
    con: duckdb.DuckDBPyConnection, layout: Layout[Any], count: int, *, owner: Generation | Evaluation, path: Path
) -> RunningDigest:
    running, light = RunningDigest(), len(layout.light)
    for page in rows.pages(con, layout, columns=(*layout.light, *layout.stored), count=count):
        for row in page:
            running.add(row[light : light + layout.hashed])
            try:
                right = layout.light_of(layout.record(*(row[light:] or row)))
            except RegistryError as error:
                raise refusals.damaged_contents(path, owner.id, error.message) from error
            if right != row[:light]:
                raise refusals.damaged_contents(
                    path, owner.id, f"what lists show of {layout.noun} {row[0]} is not what it says"
                )
    return running


def _check_look_ups(con: duckdb.DuckDBPyConnection, owner: Generation | Evaluation, *, path: Path) -> None:
    for layout in (TASKS, EPISODES):
        right, found = f"SELECT id, ordinal FROM {layout.table}", f"SELECT id, ordinal FROM {layout.noun}_ids"
        if _differ(con, right, found):
            raise refusals.damaged_contents(path, owner.id, f"its index of {layout.noun} ids is wrong")
    if _differ(con, CAME_TO, "SELECT task, trials, passed FROM outcomes"):
        raise refusals.damaged_contents(path, owner.id, "what its tasks came to is not what its episodes say")


def _differ(con: duckdb.DuckDBPyConnection, one: str, other: str) -> bool:
    """Tell whether two queries give different rows."""
    return any(
        con.execute(f"({left}) EXCEPT ALL ({right}) LIMIT 1").fetchone() is not None
        for left, right in ((one, other), (other, one))
    )
