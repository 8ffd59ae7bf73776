"""Planted faults live in a side table: no type that reaches a role has a place for them."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from typing import Any

import msgspec

from eigen_cli.api import inputs
from eigen_cli.api.backend import Reply, SimulatedReply
from eigen_cli.api.generations import InjectedFault

ROLE_INPUTS = (
    inputs.PlannerInputs,
    inputs.SynthesizerInputs,
    inputs.AgentInputs,
    inputs.UserInputs,
    inputs.JudgeInputs,
    inputs.ReflectorInputs,
)


def _reachable(hint: Any, seen: set[type]) -> Iterator[type]:
    """Yield every record type that can be reached from a type hint."""
    for part in typing.get_args(hint):
        yield from _reachable(part, seen)
    if not isinstance(hint, type) or hint in seen:
        return
    if dataclasses.is_dataclass(hint) or issubclass(hint, msgspec.Struct):
        seen.add(hint)
        yield hint
        for inner in typing.get_type_hints(hint).values():
            yield from _reachable(inner, seen)


def test_no_type_that_reaches_a_role_has_a_place_for_planted_faults() -> None:
    found = [record for root in (*ROLE_INPUTS, Reply) for record in _reachable(root, set())]
    names = {record.__name__ for record in found}
    assert {"Task", "Plan", "Message", "Draft", "Completion"} - names == set(), "the walk reaches nested records"
    assert not names & {InjectedFault.__name__, SimulatedReply.__name__}
    fields = {f"{record.__name__}.{name}" for record in found for name in typing.get_type_hints(record)}
    assert not [field for field in fields if "fault" in field.lower()], fields
