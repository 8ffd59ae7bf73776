"""The episode machine: `advance(state, event) -> (state, effects)`. It never waits, calls a tool or asks a model.

Every driver uses it: the async rollout, trainers' environments, a person playing one side, and resume.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from eigen_cli.api.backend import Chat
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.episodes import Limits, StopReason
from eigen_cli.api.messages import Completion, Message, RawToolCall, Requestor, ToolCall, ToolResult
from eigen_cli.api.projection import heard, own_turn, tool_turn, visible
from eigen_cli.api.tasks import STOP_TOKEN, Task
from eigen_cli.episode.state import (
    Ask,
    CallTool,
    Effect,
    EpisodeKey,
    EpisodeState,
    Event,
    Failed,
    Overflowed,
    Replied,
    Returned,
    Stop,
)
from eigen_cli.world.world import World

MOST_CHARACTERS = 100_000
"""Characters of a call's arguments at most; a call that writes more is not one a tool could mean."""
MOST_NESTED = 64
"""Levels of arrays and objects in a call's arguments at most."""
_TOO_DEEP = f"the arguments are nested more than {MOST_NESTED} levels deep"

Step = tuple[EpisodeState, tuple[Effect, ...]]
_replace = msgspec.structs.replace


def start(
    key: EpisodeKey,
    task: Task,
    world: World,
    *,
    limits: Limits,
    agent_chat: Chat,
    user_chat: Chat,
    greeting: str | None,
    stop_tokens: tuple[str, ...] = (STOP_TOKEN,),
) -> Step:
    """Open an episode. With a greeting the agent has spoken first (fixed words); without, the user speaks first."""
    state = EpisodeState(key, task, limits, world, world, agent_chat, user_chat, stop_tokens)
    if greeting is not None:
        state = said(state, Message(speaker="agent", text=greeting))
    return _ask(state, "user")


def advance(state: EpisodeState, event: Event) -> Step:
    """Return the next state and what it asks for. Raises `ValueError` for an event the state does not wait for."""
    if state.stop is not None:
        raise ValueError("the episode is over")
    match event:
        case Replied(side=side) if side == state.waiting:
            return _replied(state, event)
        case Returned() if state.waiting == "tools":
            return _returned(state, event)
        case Overflowed(side=side) if side == state.waiting:
            return _stop(state, "agent_context_limit" if side == "agent" else "user_token_limit")
        case Failed():
            return _stop(_replace(state, failure=event.reason), "infrastructure")
        case _:
            raise ValueError(f"the episode waits for {state.waiting}, not for {event!r}")


def _replied(state: EpisodeState, event: Replied) -> Step:
    side, completion = event.side, event.completion
    counts = (state.agent if side == "agent" else state.user).plus(completion)
    calls = _parsed_calls(state, side, completion.tool_calls)
    message = Message(
        speaker=side,
        text=completion.text,
        reasoning=completion.reasoning,
        tool_calls=calls,
        finish_reason=completion.finish_reason,
        model=completion.model,
        prompt_version=event.prompt_version,
        tokens=completion.tokens,
    )
    after = _replace(state, asked=state, calls=state.calls + len(calls), pending=calls)
    after = _replace(after, agent=counts) if side == "agent" else _replace(after, user=counts)
    state = said(after, message)
    reason = _stop_after_reply(state, side, completion, calls)
    if reason is not None:
        return _stop(state, reason)
    if calls:
        return _replace(state, waiting="tools"), (CallTool(calls[0]),)
    return _ask(state, "user" if side == "agent" else "agent")


def _stop_after_reply(
    state: EpisodeState, side: Requestor, completion: Completion, calls: tuple[ToolCall, ...]
) -> StopReason | None:
    """Return why a side's reply ends the episode: its stop token, its own limits, or an unusable reply."""
    agent = side == "agent"
    counts, limits = (state.agent if agent else state.user), state.limits
    if completion.finish_reason == "length" or counts.tokens > limits.tokens:
        return "agent_token_limit" if agent else "user_token_limit"
    if any(call.error for call in calls):
        return "agent_unparsable_call" if agent else "user_unparsable_call"
    if state.calls > limits.tool_calls:
        return "agent_call_limit" if agent else "user_call_limit"
    if any(token in completion.text for token in state.stop_tokens):
        return "agent_stop" if agent else "user_stop"
    if not completion.text.strip() and not calls:
        return "agent_empty_reply" if agent else "user_empty_reply"
    if agent and counts.seconds > limits.seconds:
        return "agent_time_limit"
    return None


def _returned(state: EpisodeState, event: Returned) -> Step:
    call, outcome = event.call, event.outcome
    if call.id != state.pending[0].id:
        raise ValueError(f"call {call.id} returned out of order; {state.pending[0].id} was running")
    result = ToolResult(call.id, call.requestor, call.name, outcome.content, outcome.error, outcome.changes)
    state = _replace(
        said(state, Message(speaker="environment", result=result)),
        world=outcome.world,
        pending=state.pending[1:],
        tool_errors=state.tool_errors + outcome.error,
        defects=(*state.defects, outcome.defect) if outcome.defect else state.defects,
    )
    if state.tool_errors >= state.limits.tool_errors:
        return _stop(state, "tool_error_limit")
    if state.pending:
        return state, (CallTool(state.pending[0]),)
    return _ask(state, call.requestor)


def _ask(state: EpisodeState, side: Requestor) -> Step:
    """Deliver what the side has not heard yet and ask it, unless it has used up its turns."""
    if side == "agent" and state.agent.turns >= state.limits.agent_turns:
        return _stop(state, "agent_turn_limit")
    if side == "user" and state.user.turns >= state.limits.user_turns:
        return _stop(state, "user_turn_limit")
    return _replace(deliver(state, side), waiting=side), (Ask(side),)


def _stop(state: EpisodeState, reason: StopReason) -> Step:
    return _replace(state, waiting=None, pending=(), stop=reason), (Stop(reason),)


def deliver(state: EpisodeState, side: Requestor) -> EpisodeState:
    """Hand a side what was said to it since its last turn, as one chat message."""
    if side == "agent" and state.unheard_agent:
        return _replace(state, agent_chat=state.agent_chat.add(heard(state.unheard_agent)), unheard_agent=())
    if side == "user" and state.unheard_user:
        return _replace(state, user_chat=state.user_chat.add(heard(state.unheard_user)), unheard_user=())
    return state


def said(state: EpisodeState, message: Message) -> EpisodeState:
    """Append a message to the record, to both views and to the chats."""
    agent_view, user_view = state.agent_view, state.user_view
    if (seen := visible(message, "agent")) is not None:
        agent_view = (*agent_view, seen)
    if (seen := visible(message, "user")) is not None:
        user_view = (*user_view, seen)
    state = _replace(state, messages=(*state.messages, message), agent_view=agent_view, user_view=user_view)
    if message.result is not None:
        turn = tool_turn(message.result)
        if message.result.requestor == "agent":
            return _replace(state, agent_chat=state.agent_chat.add(turn))
        return _replace(state, user_chat=state.user_chat.add(turn))
    said = (message.text,) if message.text else ()
    if message.speaker == "agent":
        return _replace(
            state, agent_chat=state.agent_chat.add(own_turn(message)), unheard_user=state.unheard_user + said
        )
    return _replace(state, user_chat=state.user_chat.add(own_turn(message)), unheard_agent=state.unheard_agent + said)


def _parsed_calls(state: EpisodeState, side: Requestor, raw_calls: tuple[RawToolCall, ...]) -> tuple[ToolCall, ...]:
    taken = {call.id for message in state.messages for call in message.tool_calls} if raw_calls else set()
    calls = []
    for place, raw in enumerate(raw_calls):
        identity = raw.id if raw.id and raw.id not in taken else f"call_{state.calls + place}_{side}"
        taken.add(identity)
        arguments, error = parse_arguments(raw.arguments)
        calls.append(ToolCall(identity, side, raw.name, raw.arguments, arguments, error))
    return tuple(calls)


def parse_arguments(raw: str) -> tuple[dict[str, Any] | None, str | None]:
    """Return the arguments object a model wrote, or why it is none. Empty text means no arguments."""
    if not raw.strip():
        return {}, None
    if len(raw) > MOST_CHARACTERS:
        return None, f"the arguments are longer than {MOST_CHARACTERS} characters"
    try:
        value = json.loads(raw, strict=False)  # models put raw newlines into strings
        if _deeper_than(value, MOST_NESTED):
            return None, _TOO_DEEP
        canonical_json(value)
    except RecursionError:  # how deep Python's own parser goes differs from version to version
        return None, _TOO_DEEP
    except UnicodeEncodeError:
        return None, "the arguments hold half a Unicode character"
    except ValueError as error:
        return None, f"the arguments are not JSON: {error}"
    if not isinstance(value, dict):
        return None, f"the arguments are {type(value).__name__}, not an object"
    return value, None


def _deeper_than(value: Any, levels: int) -> bool:
    """Whether a JSON value is nested beyond a number of levels; walks level by level, without recursion."""
    level = [value]
    for _ in range(levels):
        inner = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list)]
        level = [item for items in inner for item in items]
        if not level:
            return False
    return any(isinstance(part, dict | list) for part in level)
