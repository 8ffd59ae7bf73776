"""Projections: an episode as each side's model sees it, in OpenAI chat form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.messages import Message, Requestor, ToolCall, ToolResult


def own_turn(message: Message) -> dict[str, Any]:
    """Return a side's own message as an assistant turn: text and tool calls, never the reasoning."""
    turn: dict[str, Any] = {"role": "assistant", "content": message.text}
    if message.tool_calls:
        turn["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments_text(call)}}
            for call in message.tool_calls
        ]
    return turn


def _arguments_text(call: ToolCall) -> str:
    """Return a call's arguments as its model wrote them, or, where only lenient parsing reads them, written anew.

    Servers parse the history they are sent and refuse what is not strict JSON.
    """
    if call.arguments is None:
        return call.raw_arguments  # such a call ended the episode; nobody is sent this
    try:
        msgspec.json.decode(call.raw_arguments)
    except (msgspec.DecodeError, RecursionError):
        return canonical_json(call.arguments).decode()
    return call.raw_arguments


def heard(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return what the other side said since, as one user turn."""
    return {"role": "user", "content": "\n\n".join(texts)}


def tool_turn(result: ToolResult) -> dict[str, Any]:
    """Return a tool result as a tool turn."""
    return {"role": "tool", "tool_call_id": result.call_id, "content": result.content}


def side_turns(messages: Iterable[Message], side: Requestor) -> Iterator[tuple[dict[str, Any], Message | None]]:
    """Yield what follows a side's opening: its chat, turn by turn, as its model was sent it.

    Each turn comes with the stored message it is of; what the other side said since has none, for several of its
    messages may make one turn. What nobody was there to hear any more (a user's last words) is not yielded. The
    episode machine grows the same chat as an episode goes; a test holds the two together.
    """
    unheard: tuple[str, ...] = ()
    for message in messages:
        if message.result is not None:
            if message.result.requestor == side:
                yield tool_turn(message.result), message
        elif message.speaker == side:
            # A side is handed what it has not heard when it is asked, and so before its own words; a greeting is
            # spoken before anyone was asked, and then nothing was said yet.
            if unheard:
                yield heard(unheard), None
                unheard = ()
            yield own_turn(message), message
        elif message.text:
            unheard += (message.text,)


def visible(message: Message, side: Requestor) -> Message | None:
    """Return a message as a side may know it, or None.

    Each side knows its own calls and results; of the other side it knows only what was said.
    """
    if message.speaker == "environment":
        assert message.result is not None
        return message if message.result.requestor == side else None
    if message.speaker == side:
        return message
    if not message.text:
        return None
    return msgspec.structs.replace(message, tool_calls=(), reasoning="", tokens=None) if message.tool_calls else message
