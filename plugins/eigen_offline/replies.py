"""Wrapping an answer: estimated tokens, the profile's name, and the faults it commits."""

from __future__ import annotations

from eigen_cli.api.backend import SimulatedReply, Usage
from eigen_cli.api.messages import Completion, RawToolCall

_CHARACTERS = 4
"""Characters a token, roughly: limits on tokens then mean something offline too."""


def replied(
    text: str, *, model: str, calls: tuple[RawToolCall, ...] = (), faults: tuple[str, ...] = ()
) -> SimulatedReply:
    """Return a simulated reply of text, calls or both."""
    length = len(text) + sum(len(call.name) + len(call.arguments) for call in calls)
    tokens = length // _CHARACTERS + 1
    completion = Completion(
        text=text,
        tool_calls=calls,
        finish_reason="tool_calls" if calls else "stop",
        model=model,
        completion_tokens=tokens,
    )
    return SimulatedReply(completion=completion, usage=Usage(calls=1, completion_tokens=tokens), faults=faults)
