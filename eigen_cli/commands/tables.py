"""Tables that fit a terminal: columns people can do without go first, then long cells are cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from eigen_cli.console import aligned

ENDLESS = 10_000
"""The width of what is no terminal."""
_LEAST = 30
"""Characters that a column of running text keeps, where others can go instead."""


def table_within(
    columns: Mapping[str, Sequence[str]],
    *,
    width: int,
    first_to_go: Iterable[str] = (),
    right: Iterable[str] = (),
    text: str = "",
    headed: bool = True,
) -> str:
    """Return columns, by their headings, as a table no wider than a terminal where that can be.

    Those in `first_to_go` are left out in that order until the others fit. The last column may be one of running
    `text`: it is let shrink before others go. What is too wide even so is cut at the end of its line.
    """
    kept = dict(columns)
    for name in first_to_go:
        if _least(kept, text) <= width:
            break
        kept.pop(name, None)
    flush_right = frozenset(right)
    rows = list(zip(*kept.values(), strict=True))
    places = [place for place, name in enumerate(kept) if name in flush_right]
    return cut_to(aligned(rows, header=list(kept) if headed else (), right=places), width)


def cut_to(table: str, width: int) -> str:
    """Return a table whose lines end with `…` where the width ends."""
    lines = table.splitlines()
    return "\n".join(line if len(line) <= width else f"{line[: width - 1]}…" for line in lines)


def by_column(header: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """Return rows as columns by their headings."""
    return {name: [row[place] for row in rows] for place, name in enumerate(header)}


def _least(columns: Mapping[str, Sequence[str]], text: str) -> int:
    """Return how many characters a table takes when its column of running text is at its shortest."""
    taken = 0
    for name, cells in columns.items():
        widest = max(len(name), *map(len, cells)) if cells else len(name)
        taken += (min(widest, _LEAST) if name == text else widest) + 2
    return taken - 2
