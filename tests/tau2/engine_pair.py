"""The benchmark's engine and ours side by side, for the domains whose state is one database of rows.

The benchmark's database is built once. Whatever a call could have changed in it, it has looked up by its key, so rows
looked up are recorded, compared after each sequence, and put back from a copy before the next.
"""

from __future__ import annotations

import copy
import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("tau2")

from loguru import logger
from tau2.data_model.message import ToolCall

from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World
from eigen_tau2.bridged import Bridged

logger.remove()

Call = tuple[str, dict[str, Any]]


class LookedUp(dict[str, Any]):
    """A table of the benchmark that remembers which rows were looked up."""

    def __init__(self, rows: Mapping[str, Any]) -> None:
        super().__init__(rows)
        self.pristine = dict(rows)
        self.keys_seen: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.keys_seen.add(key)
        row = super().__getitem__(key)
        if row is self.pristine.get(key):  # first look: what may be changed is a copy
            row = row.model_copy(deep=True)
            super().__setitem__(key, row)
        return row

    def __setitem__(self, key: str, row: Any) -> None:
        self.keys_seen.add(key)
        super().__setitem__(key, row)

    def reset(self) -> None:
        """Put every row looked up back as it was."""
        for key in self.keys_seen:
            if key in self.pristine:
                super().__setitem__(key, self.pristine[key])
            else:
                self.pop(key, None)
        self.keys_seen.clear()

    def dumped(self) -> dict[str, Any]:
        """Return the rows looked up, as the benchmark's hash sees them."""
        return {
            key: super(LookedUp, self).__getitem__(key).model_dump(warnings=False)
            for key in self.keys_seen
            if key in self
        }


@dataclass
class Outcome:
    """What one call did in both engines."""

    call: Call
    upstream_error: bool
    upstream: str
    our_error: bool
    ours: str


@dataclass
class EnginePair:
    """Both engines over the official database; `row` reads one of ours in the benchmark's form."""

    domain: Bridged
    environment: Any
    row: Callable[[World, str, str], Any]
    seed: int = 0
    tables: dict[str, LookedUp] = field(init=False)
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.initial = World(build_base(self.domain, WorldRef(self.seed, 0), freeze=False))
        self.world = self.initial
        self.toolbox = Toolbox(self.domain)
        database = self.environment.tools.db
        self.initial_hash = self.environment.get_db_hash()
        self.tables = {name: LookedUp(getattr(database, name)) for name in type(database).model_fields}
        for name, table in self.tables.items():
            setattr(database, name, table)

    def reset(self) -> None:
        """Start both engines anew."""
        self.world = self.initial
        for table in self.tables.values():
            table.reset()

    def call(self, name: str, arguments: dict[str, Any]) -> Outcome:
        """Run one call in both engines."""
        given = copy.deepcopy(arguments)
        with warnings.catch_warnings():  # of pydantic, about the odd values the benchmark stored
            warnings.simplefilter("ignore")
            answer = self.environment.get_response(
                ToolCall(id="1", name=name, arguments=arguments, requestor="assistant")
            )
        outcome = self.toolbox.call(self.world, name, given)
        assert outcome.defect is None, (name, given, outcome.defect)
        self.world = outcome.world
        self.counts["error" if answer.error else "ok"] += 1
        self.counts[f"{name} {'error' if answer.error else 'ok'}"] += 1
        return Outcome((name, given), answer.error, answer.content, outcome.error, outcome.content)

    def play(self, calls: Iterable[Call]) -> None:
        """Run a sequence in both engines from the start; each call must end alike, and so must the state.

        A call that the benchmark refuses halfway, after it has begun to write, ends the sequence: ours has not written.
        """
        self.reset()
        for name, arguments in calls:
            outcome = self.call(name, arguments)
            assert outcome.upstream_error == outcome.our_error, outcome
            if outcome.upstream_error and self.differences():
                self.counts["refused halfway upstream"] += 1
                return
            if not outcome.upstream_error:
                assert_same_results(outcome)
        assert self.differences() == []

    def differences(self) -> list[str]:
        """Return which rows differ between the engines, of all that either may have changed."""
        different = []
        for name, table in self.tables.items():
            dumped = table.dumped()
            ours = self.domain.touched_sides(self.world)["agent"].get(name, {})
            for key in dumped.keys() | ours.keys():
                mine, theirs = self.row(self.world, name, key), dumped.get(key)
                if theirs is None and key not in table.keys_seen:
                    theirs = table.pristine[key].model_dump()
                if json.dumps(mine, sort_keys=True) != json.dumps(theirs, sort_keys=True):
                    different.append(f"{name} {key}:\n  ours   {mine}\n  theirs {theirs}")
        return different


def assert_same_results(outcome: Outcome) -> None:
    """Compare what a call returned, where both engines return JSON."""
    try:
        theirs, mine = json.loads(outcome.upstream), json.loads(outcome.ours)
    except json.JSONDecodeError:
        return
    assert mine == theirs, outcome
