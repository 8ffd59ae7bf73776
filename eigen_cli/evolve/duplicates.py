"""Near-duplicates: tasks that ask for the same thing in nearly the same words.

Two tasks are compared when their gold actions have the same tools in the same order. Ids, dates and amounts are masked,
so that swapping a reservation number does not make a new task; what remains is compared as sets of word triples.
"""

from __future__ import annotations

import re

from eigen_cli.api.tasks import Task

THRESHOLD = 0.5
"""Jaccard similarity from which two tasks count as near-duplicates."""

_WORD = re.compile(r"[a-z']+|\S*\d\S*")

Shingles = frozenset[tuple[str, ...]]


def shingles(task: Task) -> Shingles:
    """Return the masked word triples of what a task's user is told."""
    scenario = task.scenario
    text = " ".join([scenario.persona, scenario.reason, *(goal.request for goal in scenario.goals)])
    words = ["#" if any(sign.isdigit() for sign in word) else word for word in _WORD.findall(text.lower())]
    return frozenset(tuple(words[place : place + 3]) for place in range(max(1, len(words) - 2)))


def similarity(first: Shingles, second: Shingles) -> float:
    """Return the Jaccard similarity of two sets of triples."""
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


class DuplicateIndex:
    """The tasks accepted so far, by the tools of their gold actions."""

    def __init__(self) -> None:
        self._by_tools: dict[tuple[str, ...], list[tuple[str, Shingles]]] = {}

    def nearest(self, task: Task) -> tuple[str, float] | None:
        """Return the most similar earlier task at or above the threshold, with its similarity."""
        own = shingles(task)
        close = [(similarity(own, other), name) for name, other in self._by_tools.get(_tools(task), ())]
        best = max(close, default=(0.0, ""))
        return (best[1], best[0]) if best[0] >= THRESHOLD else None

    def add(self, task: Task) -> None:
        """Remember an accepted task."""
        self._by_tools.setdefault(_tools(task), []).append((task.id, shingles(task)))


def _tools(task: Task) -> tuple[str, ...]:
    return tuple(action.name for action in task.gold)
