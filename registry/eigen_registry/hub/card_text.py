"""Markdown in which text from records stays text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_RUNS = re.compile(r"`+")


def code(text: str) -> str:
    """Return any text as a code span on one line: markup, links and HTML in it are letters like any other."""
    flat = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    # A bar would end a table's cell even here, and an escape for it would show outside of tables.
    flat = flat.replace("|", "¦")
    if not flat:
        return ""
    fence = "`" * (1 + max((len(run) for run in _RUNS.findall(flat)), default=0))
    padding = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{padding}{flat}{padding}{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are Markdown already."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def paragraph(text: str) -> str:
    """Return a text on one line, however it was broken in the source."""
    return " ".join(text.split())
