"""A conversation as the agent can use it: who said what where, and what every call brought."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from eigen_cli.api.messages import Message, ToolCall, ToolResult
from eigen_cli.api.playbook import CallResult


class Line(NamedTuple):
    """Something said, and at which message."""

    at: int
    text: str


class Answered(NamedTuple):
    """A call that has its result; `at` is the result's message."""

    at: int
    name: str
    arguments: dict[str, Any]
    result: CallResult


class Transcript:
    """One conversation, indexed once; later messages of the same conversation can be added."""

    __slots__ = ("_open", "agent", "calls", "count", "length", "user")

    def __init__(self, conversation: Sequence[Message]) -> None:
        self.user: list[Line] = []
        self.agent: list[Line] = []
        self.calls: list[Answered] = []
        self.count = 0
        """Calls the agent has written so far, unparsable ones included."""
        self.length = 0
        self._open: dict[str, ToolCall] = {}
        self.extend(conversation)

    def extend(self, messages: Sequence[Message]) -> None:
        """Add the messages that follow."""
        at = self.length
        for message in messages:
            speaker = message.speaker
            if speaker == "environment":
                self._add_result(at, message.result)
            else:
                if message.text:
                    (self.user if speaker == "user" else self.agent).append(Line(at, message.text))
                if speaker == "agent" and message.tool_calls:
                    self.count += len(message.tool_calls)
                    for call in message.tool_calls:
                        self._open[call.id] = call
            at += 1
        self.length = at

    def _add_result(self, at: int, result: ToolResult | None) -> None:
        call = self._open.get(result.call_id) if result is not None else None
        if result is not None and call is not None and call.arguments is not None:
            outcome = CallResult(parsed(result.content), result.error)
            self.calls.append(Answered(at, call.name, call.arguments, outcome))

    def asked_before(self, at: int) -> Line | None:
        """Return the last thing the agent said before message `at`."""
        found = None
        for line in self.agent:
            if line.at >= at:
                break
            found = line
        return found


@lru_cache(maxsize=4096)
def parsed(content: str) -> Any:
    """Return a result's JSON value, or the plain text it is. Shared between callers: never change it."""
    if content[:1] not in '{["-0123456789tfn':
        return content
    try:
        return msgspec.json.decode(content)
    except msgspec.DecodeError:
        return content
