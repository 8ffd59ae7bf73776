"""Drawing call sequences: mostly what makes sense, often what nearly does, now and then what does not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine_pair import Call, EnginePair
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

WRONG: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, -1, 3.0, 2.5, "", "3", " 3 ", "nonsense", "3.0", "1_0", "2e1", "inf", 10**14),
    *([], {}, ["x"], [1], [[]], [None], {"a": 1}, [{}], [{"a": 1}], "###STOP###", "#W0000000", "HAT999"),
)
"""What no parameter wants, and some take all the same."""
CALLS_A_SEQUENCE = 10

Draw = Callable[[st.SearchStrategy[Any]], Any]


class Drawn:
    """Draws of one sequence."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def one(self, values: Sequence[Any]) -> Any:
        """Return one of some values."""
        return self._draw(st.sampled_from(values))

    def chance(self, percent: int) -> bool:
        """Return whether something happens; it does not in the simplest example."""
        return bool(self._draw(st.integers(0, 99)) >= 100 - percent)

    def count(self, least: int, most: int) -> int:
        """Return a number within bounds."""
        return int(self._draw(st.integers(least, most)))

    def arguments(self, sensible: dict[str, Any], *, wrong: int = 10) -> dict[str, Any]:
        """Return arguments, one of them wrong now and then, missing, or one too many."""
        arguments = dict(sensible)
        if arguments and self.chance(wrong):
            arguments[self.one(list(arguments))] = self.one(WRONG)
        if arguments and self.chance(2):
            del arguments[self.one(list(arguments))]
        if self.chance(2):
            arguments[self.one(("note", "self", "requestor"))] = self.one(WRONG)
        return arguments


def fuzzed(pair: EnginePair, sequence: Callable[[Drawn], list[Call]], *, calls: int) -> None:
    """Play sequences in both engines until `calls` calls were made; the same ones every time."""

    @st.composite
    def sequences(draw: Draw) -> list[Call]:
        return sequence(Drawn(draw))

    @settings(
        max_examples=-(-calls // CALLS_A_SEQUENCE),
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(sequences())
    def play(drawn: list[Call]) -> None:
        pair.play(drawn)

    play()
