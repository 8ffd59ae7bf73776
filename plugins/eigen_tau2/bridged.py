"""What the three bridged domains have in common: official data as worlds of ours, official tasks, official scoring.

The bridge's tools behave as the benchmark's do, upstream defects included, so that official scores are official;
`corrected()` is the same domain with the defects put right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from eigen_cli.api.domain import Domain
from eigen_cli.api.tasks import CheckCall, RecordPatch, Task
from eigen_cli.api.verifier import Replayer
from eigen_cli.api.world import WorldView

Sides = Mapping[str, Any]
"""A state as the benchmark writes it, as JSON values, by side: `agent`, and `user` where users have a database."""


class Bridged(Domain):
    """Base of the `tau2-*` domains, mixed in before the domain of ours that each of them extends."""

    folder: ClassVar[str]
    """The domain's folder in the benchmark's data."""

    def sides(self, world: WorldView) -> Sides:
        """Return the whole state in the benchmark's form: what its database models dump."""
        raise NotImplementedError

    def touched_sides(self, world: WorldView) -> Sides:
        """Return only what differs from the official database; equal for two worlds exactly when `sides` is."""
        raise NotImplementedError

    def official_gold(self, task: Task, replayer: Replayer) -> Sides:
        """Return `touched_sides` of the gold state as the benchmark's evaluator makes it, its defects included."""
        del task
        return self.touched_sides(replayer.gold_world())

    def corrected(self) -> Domain:
        """Return this domain, over the same tables and records, with tools free of upstream defects."""
        raise NotImplementedError

    def initial_patch(self, initial_state: Mapping[str, Any] | None, world: WorldView) -> tuple[RecordPatch, ...]:
        """Return what a task's initial state changes in the world it starts from.

        Raises `ValueError`, saying what was found and what is known, for functions, data or ids this domain lacks.
        """
        raise NotImplementedError

    def check_of(self, assertion: Mapping[str, Any]) -> CheckCall:
        """Return the check that an environment assertion of a task means; raises `ValueError` for an unknown one."""
        raise NotImplementedError
