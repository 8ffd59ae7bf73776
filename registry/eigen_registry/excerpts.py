"""The part of a text that shows where words stand in it."""

from __future__ import annotations

from collections.abc import Sequence

from eigen_registry.codec import EXCERPT, excerpt

BEFORE = 40
"""Characters shown before the first of the words."""


def excerpt_around(text: str, places: Sequence[tuple[int, str]]) -> str:
    """Return the stretch of a text where most of the different words stand, on one line.

    `places` are where the words begin, ascending, and which word it is there; with none, the text's beginning.
    """
    reach = EXCERPT - BEFORE - 20

    def different(start: int) -> int:
        return len({word for place, word in places if start <= place < start + reach})

    start = max((place for place, _ in places), key=different, default=0)
    begin = max(0, start - BEFORE)
    if begin == 0:
        return excerpt(text)
    # Not within a word, unless it is as long as what may be shown before.
    blank = text.find(" ", begin, start)
    return "…" + excerpt(text[blank + 1 if blank >= 0 else begin :])
