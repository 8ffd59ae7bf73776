"""Drivers: whoever feeds the machine. Models are awaited here; the machine itself never waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from eigen_cli.api.messages import Requestor
from eigen_cli.episode.machine import Step, advance
from eigen_cli.episode.state import Ask, CallTool, EpisodeState, Event, Returned
from eigen_cli.world.toolbox import Toolbox


class Actor(Protocol):
    """One side of a conversation: looks at the state, answers with an event."""

    async def __call__(self, state: EpisodeState) -> Event:
        """Return what became of asking this side; failures are events too, never exceptions."""


def run_tools(step: Step, toolbox: Toolbox) -> Step:
    """Run the tool calls a step asks for until a side must be asked or the episode is over."""
    state, effects = step
    while effects and isinstance(effects[0], CallTool):
        call = effects[0].call
        outcome = toolbox.call(state.world, call.name, call.arguments or {}, requestor=call.requestor)
        state, effects = advance(state, Returned(call, outcome))
    return state, effects


async def run_episode(step: Step, toolbox: Toolbox, *, actors: Mapping[Requestor, Actor]) -> EpisodeState:
    """Drive an episode from any step to its end."""
    state, effects = run_tools(step, toolbox)
    while effects and isinstance(effects[0], Ask):
        event = await actors[effects[0].side](state)
        state, effects = run_tools(advance(state, event), toolbox)
    return state
