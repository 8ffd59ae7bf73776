"""Clause guards, executed over calls: which clause a call breaks, and where in the dialogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from eigen_cli.api.domain import Clause, GuardContext
from eigen_cli.api.errors import DomainError
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Action
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World


class Breach(msgspec.Struct, frozen=True):
    """A clause a call breaks. `turn` counts completions from 0; None where there is no dialogue."""

    clause: str
    tool: str
    what: str
    turn: int | None = None


@lru_cache(maxsize=8)
def guards_by_tool(toolbox: Toolbox) -> Mapping[str, tuple[Clause, ...]]:
    """Return the guarded clauses that govern each agent tool; worked out once a toolbox."""
    guarded = [clause for clause in toolbox.domain.clauses if clause.guard is not None]
    return {
        name: tuple(clause for clause in guarded if not clause.tools or name in clause.tools)
        for name in toolbox.tools["agent"]
    }


def breaches_of_gold(actions: Sequence[Action], world: World, toolbox: Toolbox) -> list[Breach]:
    """Return what gold actions break, judged without a conversation."""
    guards = guards_by_tool(toolbox)
    found: list[Breach] = []
    earlier: list[Action] = []
    for action in actions:
        found += _ask_guards(guards, action, world, dialogue=None, earlier=earlier, turn=None)
        outcome = toolbox.call(world, action.name, action.arguments, requestor=action.requestor)
        if not outcome.error:
            earlier.append(action)
        world = outcome.world
    return found


def breaches_of_episode(messages: Sequence[Message], world: World, toolbox: Toolbox) -> list[Breach]:
    """Return what an episode's agent broke, in order. Only calls that succeeded count: a refused call did nothing."""
    guards = guards_by_tool(toolbox)
    results = {message.result.call_id: message.result for message in messages if message.result is not None}
    found: list[Breach] = []
    earlier: list[Action] = []
    turn = -1
    for place, message in enumerate(messages):
        turn += message.finish_reason is not None
        for call in message.tool_calls:
            result = results.get(call.id)
            if result is None or result.error:
                continue
            action = Action(call.name, call.arguments or {}, call.requestor)
            found += _ask_guards(guards, action, world, dialogue=messages[: place + 1], earlier=earlier, turn=turn)
            earlier.append(action)
            if toolbox.writes(call.requestor, call.name):
                world = toolbox.call(world, call.name, action.arguments, requestor=call.requestor).world
    return found


def _ask_guards(
    guards: Mapping[str, tuple[Clause, ...]],
    action: Action,
    world: World,
    *,
    dialogue: Sequence[Message] | None,
    earlier: Sequence[Action],
    turn: int | None,
) -> list[Breach]:
    if action.requestor != "agent":
        return []
    context = GuardContext(world, action.requestor, action.name, action.arguments, dialogue, tuple(earlier))
    found = []
    for clause in guards.get(action.name, ()):
        assert clause.guard is not None
        try:
            what = clause.guard(context)
        except Exception as error:  # a plugin's bug, named as what it is
            raise DomainError(
                f"the guard of clause {clause.id} failed on {action.name}: {type(error).__name__}: {error}",
                hint="this is a bug of the domain; `eigen check-domain` tries its guards",
            ) from error
        if what is not None:
            found.append(Breach(clause.id, action.name, what, turn))
    return found
