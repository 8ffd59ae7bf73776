"""The part of a text that shows where words stand in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from eigen_registry.codec import EXCERPT, excerpt

BEFORE = 40
"""Characters shown before the first of the words."""


def excerpt_around(text: str, places: Sequence[tuple[int, str]]) -> str:
    """Return the stretch of a text where most of the different words stand, on one line.

    `places` are where the words begin, ascending, and which word it is there; with none, the text's beginning.
    """
    reach = EXCERPT - BEFORE - 20

    start = _most_different(places, reach)
    begin = max(0, start - BEFORE)
    if begin == 0:
        return excerpt(text)
    # Not within a word, unless it is as long as what may be shown before.
    blank = text.find(" ", begin, start)
    return "…" + excerpt(text[blank + 1 if blank >= 0 else begin :])


def _most_different(places: Sequence[tuple[int, str]], reach: int) -> int:
    """Return the first of the places from which most different words are in reach; 0 without any.

    A window slides over the places, so that a text that is all hits takes no longer than another.
    """
    within, end, best, most = Counter[str](), 0, 0, 0
    for start, word in places:
        while end < len(places) and places[end][0] < start + reach:
            within[places[end][1]] += 1
            end += 1
        if len(within) > most:
            best, most = start, len(within)
        within[word] -= 1
        if not within[word]:
            del within[word]
    return best
