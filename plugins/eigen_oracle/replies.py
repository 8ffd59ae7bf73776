"""Answers as completions: words, or calls."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from eigen_cli.api.backend import Reply, Usage
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.messages import Completion, RawToolCall
from eigen_cli.api.tasks import Action

_CHARACTERS = 4
"""Characters a token, roughly: limits on tokens then mean something here too."""


def saying(text: str) -> Reply:
    """Return a reply of words."""
    return _reply(Completion(text=text), len(text))


def calling(actions: Sequence[Action], *, number: int) -> Reply:
    """Return a reply of calls; `number` tells its ids from those of the same side's other turns."""
    calls = tuple(
        RawToolCall(f"call_{number}_{place}", action.name, canonical_json(action.arguments).decode())
        for place, action in enumerate(actions)
    )
    length = sum(len(call.name) + len(call.arguments) for call in calls)
    return _reply(Completion(tool_calls=calls, finish_reason="tool_calls"), length)


def _reply(completion: Completion, length: int) -> Reply:
    tokens = length // _CHARACTERS + 1
    return Reply(replace(completion, completion_tokens=tokens), Usage(calls=1, completion_tokens=tokens))
