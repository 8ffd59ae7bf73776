"""Exploring: sequences of calls that execute, found by trying them on a world.

Arguments are drawn from real records: keys for entity-typed parameters, enumerated and example values, and values that
earlier results of the same sequence carried under the parameter's name. Preconditions are found by running: a call that
is refused is dropped and something else is tried, until the budget of calls is used up.
"""

from __future__ import annotations

import random
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

import msgspec

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Domain, Draft
from eigen_cli.api.messages import Requestor
from eigen_cli.api.record import Record, to_json
from eigen_cli.api.tasks import Action, CheckCall, Fact, Goal
from eigen_cli.api.world import WorldView
from eigen_cli.world.arguments import examples_of, ref_of
from eigen_cli.world.toolbox import CallOutcome, Tool, Toolbox
from eigen_cli.world.world import World

_KEYS = 64
"""Keys of a table an explorer chooses among; enough to vary, cheap at any size."""


@dataclass(frozen=True)
class Explored:
    """A sequence that ran: its actions, their outcomes, and the world after them."""

    actions: tuple[Action, ...]
    outcomes: tuple[CallOutcome, ...]
    world: World


class Explorer:
    """Samples executable call sequences on a world. Everything is drawn from the generator given."""

    def __init__(self, toolbox: Toolbox, *, requestor: Requestor = "agent") -> None:
        self._toolbox = toolbox
        self._requestor: Requestor = requestor
        self._tools = toolbox.tools[requestor]

    def sample(
        self, world: World, rng: random.Random, *, target: str, reads: int = 1, budget: int = 40
    ) -> Explored | None:
        """Return a sequence of up to `reads` reading calls and one successful call of `target`, or None.

        `budget` bounds the calls tried. The reading calls are those whose results gave the target's arguments.
        """
        pool = Pool()
        made: list[tuple[Action, CallOutcome]] = []
        readers = [tool for tool in self._tools.values() if tool.kind == "read"]
        for _ in range(budget):
            if readers and len(made) < reads:
                self._try(readers[rng.randrange(len(readers))], world, rng, pool, made)
                continue
            before = len(made)
            self._try(self._tools[target], world, rng, pool, made)
            if len(made) > before:
                actions, outcomes = zip(*made, strict=True)
                return Explored(actions, outcomes, outcomes[-1].world)
            if readers and rng.random() < 0.3 and len(made) > 1:
                made.pop(0)
                self._try(readers[rng.randrange(len(readers))], world, rng, pool, made)
        return None

    def enumerate(self, world: World, rng: random.Random, *, budget: int = 400) -> Iterator[Explored]:
        """Yield one sequence for every tool that can be made to run within the budget, in the tools' order."""
        share = max(4, budget // max(1, len(self._tools)))
        for name, tool in self._tools.items():
            found = self.sample(world, rng, target=name, reads=0 if tool.kind == "read" else 1, budget=share)
            if found is not None:
                yield found

    def _try(
        self,
        tool: Tool,
        world: World,
        rng: random.Random,
        pool: Pool,
        made: list[tuple[Action, CallOutcome]],
    ) -> None:
        current = made[-1][1].world if made else world
        arguments = draw_arguments(tool, current, rng, pool)
        if arguments is None:
            return
        outcome = self._toolbox.call(current, tool.name, arguments, requestor=self._requestor)
        if not outcome.error:
            pool.learn(outcome.content)
            made.append((Action(tool.name, arguments, self._requestor), outcome))


class Pool:
    """Values seen in results, by the name they stood under (and by the singular of a list's name)."""

    def __init__(self) -> None:
        self._values: dict[str, list[Any]] = {}

    def learn(self, content: str) -> None:
        """Take in a result."""
        try:
            self._walk("", msgspec.json.decode(content))
        except msgspec.DecodeError:
            return

    def get(self, name: str) -> Sequence[Any]:
        """Return the values seen under a name."""
        return self._values.get(name, ())

    def _walk(self, name: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                self._walk(key, inner)
        elif isinstance(value, list):
            for inner in value:
                self._walk(name.removesuffix("s"), inner)
        seen = self._values.setdefault(name, [])
        if len(seen) < _KEYS and value not in seen:
            seen.append(value)


def draw_arguments(tool: Tool, world: World, rng: random.Random, pool: Pool) -> dict[str, Any] | None:
    """Return JSON arguments drawn for a tool, or None when some required parameter has no source."""
    arguments: dict[str, Any] = {}
    required = set(tool.parameters.struct.__struct_fields__) - _defaulted(tool)
    for name, annotation in tool.parameters.hints.items():
        if name not in required and rng.random() < 0.5:
            continue
        drawn = _draw(name, annotation, world, rng, pool)
        if drawn is _NOTHING:
            if name in required:
                return None
            continue
        arguments[name] = drawn
    return arguments


_NOTHING: Any = object()


def _defaulted(tool: Tool) -> set[str]:
    fields = msgspec.structs.fields(tool.parameters.struct)
    return {field.name for field in fields if not field.required}


def _draw(name: str, annotation: Any, world: World, rng: random.Random, pool: Pool) -> Any:
    ref = ref_of(annotation)
    if ref is not None:
        keys = _some_keys(world, ref.table, rng)
        known = [key for key in pool.get(name) if key in keys] or keys
        return rng.choice(known) if known else _NOTHING
    if examples := examples_of(annotation):
        return to_json(rng.choice(examples))
    if seen := pool.get(name):
        return rng.choice(list(seen))
    return _draw_by_type(name, annotation, world, rng, pool)


def _draw_by_type(name: str, annotation: Any, world: World, rng: random.Random, pool: Pool) -> Any:
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _draw(name, parts[0], world, rng, pool)
    if origin is typing.Literal:
        return rng.choice(parts)
    if origin in (typing.Union, types.UnionType):
        return _draw(name, next(part for part in parts if part is not type(None)), world, rng, pool)
    if origin in (list, tuple):
        drawn = _draw(name.removesuffix("s"), parts[0], world, rng, pool)
        return _NOTHING if drawn is _NOTHING else [drawn]
    if annotation is bool:
        return rng.random() < 0.5
    if annotation in (int, float, Decimal):
        return rng.choice((1, 2, 5, 10, 50))
    if isinstance(annotation, type) and issubclass(annotation, Record):
        hints = typing.get_type_hints(annotation, include_extras=True)
        value = {field: _draw(field, hint, world, rng, pool) for field, hint in hints.items()}
        return _NOTHING if _NOTHING in value.values() else value
    return _NOTHING


def _some_keys(world: World, table: str, rng: random.Random) -> list[str]:
    """Return up to `_KEYS` neighbouring keys of a table, starting anywhere, without walking all of it."""
    base = world.base.tables[table]
    start = rng.randrange(max(1, len(base.rows) - _KEYS + 1))
    view = world.table(base.spec.record)
    keys = [key for key in islice(base.rows, start, start + _KEYS) if key in view]
    return keys + [key for key, row in world.delta.get(table, {}).items() if row is not None and key not in base.rows]


@dataclass(frozen=True)
class ExploredTemplate:
    """A scenario template made from exploration alone: the customer wants one writing tool's effect."""

    name: str
    family: str
    tools: tuple[str, ...]
    explorer: Explorer
    tool: Tool
    clauses: tuple[str, ...] = ()
    difficulty: int = 1

    def draft(self, world: WorldView, rng: random.Random) -> Draft | None:
        """Return a draft whose gold is a sequence that was executed, or None if none was found within the budget."""
        assert isinstance(world, World)
        found = self.explorer.sample(world, rng, target=self.tool.name)
        if found is None or (self.tool.kind == "write" and found.world.outcome_hash() == world.outcome_hash()):
            return None
        target = found.actions[-1]
        facts = tuple(Fact(name, value) for name, value in target.arguments.items())
        leading = [action for action in found.actions[:-1] if _feeds(action, target)]
        wanted = self.tool.summary[:1].lower() + self.tool.summary[1:].rstrip(".")
        goal = Goal(self.tool.name, f"I would like your help: please {wanted}.", facts)
        checks = () if self.tool.kind == "write" else (_called(target),)
        return Draft(goals=(goal,), known=(), gold=(*leading, target), clauses=self.clauses, checks=checks)


def _feeds(reading: Action, target: Action) -> bool:
    """Whether a reading call is about something the target names; others would ask the user for unrelated ids."""
    wanted = canonical_json(target.arguments)
    return all(canonical_json(value) in wanted for value in reading.arguments.values())


def _called(action: Action) -> CheckCall:
    return CheckCall("call_made", {"tool": action.name, "arguments": action.arguments})


def explored_templates(domain: Domain, toolbox: Toolbox) -> tuple[ExploredTemplate, ...]:
    """Return a template for each writing agent tool, for domains that bring no templates of their own."""
    explorer = Explorer(toolbox)
    clauses: Mapping[str, tuple[str, ...]] = {
        # Only what a guard vouches for: an explored action may well break a clause that code cannot decide.
        name: tuple(clause.id for clause in domain.clauses if clause.guard is not None and name in clause.tools)
        for name in toolbox.tools["agent"]
    }
    return tuple(
        ExploredTemplate(f"use_{name}", f"use_{name}", (name,), explorer, tool, clauses[name])
        for name, tool in toolbox.tools["agent"].items()
        if tool.kind == "write"
    )
