"""Every tool of a domain, called with arguments that exploring finds: what a domain without templates is judged by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.tasks import Action
from eigen_cli.roles.context import RoleContext
from eigen_cli.testing.drafted import world_of
from eigen_cli.world.explore import Pool, draw_arguments
from eigen_cli.world.toolbox import Tool
from eigen_cli.world.world import World

_ROUNDS = 2
"""How often every tool has its turn: what one tool returns is an argument of the next round."""
_TRIES = 20
_RUNS = 3
"""Successful calls after which a tool's turn is over."""


@dataclass(frozen=True)
class TriedCall:
    """One call that ran, and the world and the calls before it."""

    world: World
    action: Action
    earlier: tuple[Action, ...]


@dataclass(frozen=True)
class ToolTrials:
    """What became of the calls."""

    ran: tuple[TriedCall, ...]
    defects: tuple[str, ...]
    """Tools that broke, each with what it did, once."""
    refused: dict[str, str]
    """The last refusal of every tool that never ran; empty where no arguments could be drawn for it."""

    @staticmethod
    def of(context: RoleContext) -> ToolTrials:
        """Call every tool, its refusals allowed, on a world that carries the writes of the calls before."""
        tools = [tool for side in context.toolbox.tools.values() for tool in side.values()]
        trying = _Trying(context)
        for number in range(_ROUNDS):
            for tool in tools:
                trying.call(tool, round_=number)
        refused = {name: text for name, text in trying.refused.items() if name not in trying.ran_names}
        return ToolTrials(tuple(trying.ran), tuple(trying.defects), refused)


class _Trying:
    def __init__(self, context: RoleContext) -> None:
        self._context = context
        self._world = context.world(world_of(context))
        self._pool = Pool()
        self.ran: list[TriedCall] = []
        self.ran_names: set[str] = set()
        self.defects: dict[str, None] = {}
        self.refused: dict[str, str] = {}

    def call(self, tool: Tool, *, round_: int) -> None:
        """Give a tool its turn."""
        rng = derive_rng(self._context.seed, "tool trials", tool.owner, tool.name, round_)
        runs = 0
        self.refused.setdefault(tool.name, "")
        for attempt in range(_TRIES):
            # By turns what tools have told and anything: results alone would come back to the same few records.
            pool = Pool() if attempt % 2 else self._pool
            arguments = draw_arguments(tool, self._world, rng, pool)
            if arguments is not None:
                runs += self._try(tool, Action(tool.name, arguments, tool.owner))
            if runs == _RUNS:
                return

    def _try(self, tool: Tool, action: Action) -> bool:
        call = partial(self._context.toolbox.call, self._world, tool.name, action.arguments, requestor=tool.owner)
        outcome, again = call(), call()
        if (outcome.content, outcome.world.state_hash()) != (again.content, again.world.state_hash()):
            self.defects[f"{tool.name} answers the same call on the same world in two ways"] = None
        if outcome.defect is not None:
            self.defects[outcome.defect] = None
        if outcome.error:
            self.refused[tool.name] = outcome.content
            return False
        self.ran.append(TriedCall(self._world, action, self._earlier()))
        self.ran_names.add(tool.name)
        self._pool.learn(outcome.content)
        self._world = outcome.world
        return True

    def _earlier(self) -> tuple[Action, ...]:
        return (*self.ran[-1].earlier, self.ran[-1].action) if self.ran else ()


def untried(trials: ToolTrials) -> Iterator[tuple[str, str]]:
    """Yield every tool that exploring could not get to run, and what to know about it."""
    for name, text in trials.refused.items():
        if text:
            yield name, f"{name} refused every call that exploring made up, the last one with {text!r}"
        else:
            yield name, f"{name}: no arguments can be made up; mark parameters with `Ref` or `Examples`"
