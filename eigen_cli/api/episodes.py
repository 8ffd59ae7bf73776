"""Episodes: one rollout of a task, stored whole."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from eigen_cli.api.messages import Message

AgentStop = Literal[
    "agent_stop",
    "agent_turn_limit",
    "agent_call_limit",
    "agent_token_limit",
    "agent_time_limit",
    "agent_context_limit",
    "agent_unparsable_call",
    "agent_empty_reply",
    "tool_error_limit",
]
"""Stops the agent caused itself: genuine failures, reward 0, in every denominator."""
UserStop = Literal["user_token_limit", "user_turn_limit", "user_call_limit", "user_unparsable_call", "user_empty_reply"]
"""Stops the simulated user caused other than by ending the call: reward 0, blamed on the user."""
StopReason = Literal["user_stop", AgentStop, UserStop, "infrastructure"]

AGENT_STOPS: frozenset[str] = frozenset(get_args(AgentStop))
USER_STOPS: frozenset[str] = frozenset(get_args(UserStop))


class Limits(msgspec.Struct, frozen=True):
    """Bounds of one episode. Tokens and seconds are the model's own, summed over one side's completions."""

    agent_turns: int = 100
    user_turns: int = 80
    tool_errors: int = 10
    tool_calls: int = 200
    """Calls of both sides together; a reply that would go beyond them runs none of its calls."""
    tokens: int = 32_768
    seconds: float = 1_800.0


class Episode(msgspec.Struct, frozen=True, omit_defaults=True):
    """The hashed body of a rollout. `state_hash` and `outcome_hash` are those of the final world."""

    id: str
    task: str
    trial: int
    messages: tuple[Message, ...]
    stop: StopReason
    state_hash: str
    outcome_hash: str
    parent_episode: str | None = None
    fork_turn: int | None = None
    schema: int = 1
