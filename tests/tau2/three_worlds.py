"""The same calls in three ways: by the benchmark's engine, by the bridge, and by the bridge corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine_pair import Call, EnginePair

from eigen_cli.world.toolbox import CallOutcome, Toolbox
from eigen_cli.world.world import World
from eigen_tau2.bridged import Bridged


@dataclass(frozen=True)
class ThreeWorlds:
    """What calls came to: upstream and bridge agree, so one state stands for both."""

    official: World
    refused: list[bool]
    corrected: World
    corrected_outcomes: list[CallOutcome]

    @property
    def corrected_refused(self) -> list[bool]:
        """Which calls the corrected tools refuse."""
        return [outcome.error for outcome in self.corrected_outcomes]


def played(pair: EnginePair, calls: Sequence[Call]) -> ThreeWorlds:
    """Run calls in all three ways, the benchmark and the bridge ending alike."""
    pair.reset()
    refused = []
    for name, arguments in calls:
        outcome = pair.call(name, arguments)
        assert outcome.upstream_error == outcome.our_error, outcome
        refused.append(outcome.our_error)
    assert pair.differences() == []
    right = pair.domain.corrected()
    assert isinstance(right, Bridged) and right.tables == pair.domain.tables
    toolbox, world, outcomes = Toolbox(right), pair.initial, []
    for name, arguments in calls:
        outcome_ = toolbox.call(world, name, arguments)
        assert outcome_.defect is None, outcome_
        world = outcome_.world
        outcomes.append(outcome_)
    return ThreeWorlds(pair.world, refused, world, outcomes)


def row(pair: EnginePair, world: World, table: str, key: str) -> Any:
    """Return a row of one of our worlds as the benchmark writes it."""
    return pair.row(world, table, key)
