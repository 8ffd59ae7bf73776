"""Tags: names a user gives to generations, each movable from one to another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eigen_cli.api.errors import TagNameError, UnknownRefError
from eigen_registry.kinds import KINDS

if TYPE_CHECKING:
    import duckdb

LONGEST = 64
_FORM = re.compile(rf"[a-z0-9][a-z0-9._-]{{0,{LONGEST - 1}}}")


def check_name(name: str) -> None:
    """Raise `TagNameError` for a name that no tag may have: ill-formed, or one that means something else already."""
    if not _FORM.fullmatch(name):
        raise TagNameError(
            f"{name!r} is no name for a tag",
            hint=f"up to {LONGEST} lower-case letters, digits, `.`, `_` and `-`, the first a letter or digit",
        )
    taken = None
    if name == "latest":
        taken = "always names the last generation"
    elif any(re.fullmatch(rf"{kind.alias}-\d+", name) for kind in KINDS):
        taken = "is an id"
    elif re.fullmatch(r"[0-9a-f]{6,}", name):
        taken = "could be the beginning of a hash"
    if taken:
        raise TagNameError(f"{name!r} {taken}, so no tag can have that name", hint="choose another, such as `best`")


def all_tags(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the hash each tag names, by tag."""
    return dict(con.execute("SELECT name, hash FROM tags ORDER BY name").fetchall())


def of_hash(con: duckdb.DuckDBPyConnection, hash_: str) -> list[str]:
    """Return the tags of a generation."""
    return [name for name, named in all_tags(con).items() if named == hash_]


def put(con: duckdb.DuckDBPyConnection, name: str, hash_: str) -> None:
    """Let a tag name a generation, whatever it named before."""
    con.execute("INSERT OR REPLACE INTO tags VALUES (?, ?, now())", (name, hash_))


def check_known(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Raise `UnknownRefError` where there is no tag of this name."""
    known = all_tags(con)
    if name not in known:
        names = ", ".join(known)
        raise UnknownRefError(f"there is no tag {name!r}", hint=f"the tags are: {names}" if names else None)


def drop(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Forget a tag; raise `UnknownRefError` where there is none of that name."""
    check_known(con, name)
    con.execute("DELETE FROM tags WHERE name = ?", (name,))
