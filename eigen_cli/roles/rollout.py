"""Rollout: agent and user talk, tools run. A side that cannot answer is an event, never an exception."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from eigen_cli.api.backend import Request, Usage
from eigen_cli.api.errors import BackendError, BackendUnreachableError, ContextOverflowError
from eigen_cli.api.inputs import AgentInputs, UserInputs
from eigen_cli.api.messages import Requestor
from eigen_cli.api.tasks import Task
from eigen_cli.episode.driver import run_episode
from eigen_cli.episode.machine import Step, start
from eigen_cli.episode.state import EpisodeKey, EpisodeState, Event, Failed, Overflowed, Replied
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.openings import opening_chat, user_opening
from eigen_cli.roles.prompting import load_prompt


@dataclass(frozen=True)
class Rolled:
    """A finished episode and what its completions cost, failed attempts included."""

    state: EpisodeState
    usage: Usage


async def roll_out(context: RoleContext, key: EpisodeKey, task: Task, *, attempts: int) -> Rolled:
    """Run one trial of a task.

    Only infrastructure failures are retried, each time from the start under a fresh attempt number, and never because
    of how an episode went; after `attempts` of them the failure stands as the trial's row.
    """
    usage = Usage()
    for attempt in range(attempts):
        attempt_key = msgspec.structs.replace(key, attempt=attempt)
        sides = {side: Side(context, side) for side in ("agent", "user")}
        state = await run_episode(open_episode(context, attempt_key, task), context.toolbox, actors=sides)  # type: ignore[arg-type]
        usage = usage.plus(sides["agent"].usage).plus(sides["user"].usage)
        if state.stop != "infrastructure":
            break
    return Rolled(state, usage)


def open_episode(context: RoleContext, key: EpisodeKey, task: Task) -> Step:
    """Return the first step of a task's episode."""
    return start(
        key,
        task,
        context.initial_world(task),
        limits=context.limits,
        agent_chat=context.agent_chat,
        user_chat=opening_chat(user_opening(context.domain, task.scenario, context.toolbox.schemas["user"])),
        greeting=context.domain.greeting,
        stop_tokens=context.domain.stop_tokens,
    )


class Side:
    """One side's model as an actor: turns a state into a request and a reply into an event."""

    def __init__(self, context: RoleContext, side: Requestor) -> None:
        self._context = context
        self._side: Requestor = side
        self._prompt_version = load_prompt(side).version
        self.usage = Usage()

    async def __call__(self, state: EpisodeState) -> Event:
        """Ask this side; transport failures and overflowing contexts come back as events."""
        try:
            reply = await self._context.completer.complete(self._request(state))
        except BackendUnreachableError:
            raise  # nobody is there: the run ends and can be resumed; rows of failures would help no one
        except ContextOverflowError:
            return Overflowed(self._side)
        except BackendError as error:
            return Failed(error.message)
        self.usage = self.usage.plus(reply.usage)
        return Replied(self._side, reply.completion, self._prompt_version)

    def _request(self, state: EpisodeState) -> Request:
        context, key, side = self._context, state.key, self._side
        task = state.task if side in context.oracles else None
        if side == "agent":
            inputs: object = AgentInputs(context.domain, state.agent_view, task)
        else:
            stop_token = context.domain.stop_tokens[0]
            inputs = UserInputs(context.domain, state.task.scenario, state.user_view, stop_token, task)
        return Request(
            role=side,
            key=context.key(
                side,
                round_=key.round,
                plan=key.plan,
                task=key.task,
                trial=key.trial,
                turn=state.turn,
                attempt=key.attempt,
                fork=key.fork,
            ),
            inputs=inputs,
            chat=state.agent_chat if side == "agent" else state.user_chat,
            tools=context.toolbox.schemas[side],
            prompt_version=self._prompt_version,
        )
