"""What the chat formats share: arguments as objects, and which turns are to be learned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from eigen_cli.api.losses import Losses
from eigen_cli.api.samples import ChatSample

REASONING = "reasoning text left out: the format has no place for it"
NO_TARGETS = "no turn to learn"
NO_OBJECT = "a call's arguments are no JSON object, which chat templates need"


def origin_columns(sample: ChatSample) -> dict[str, Any]:
    """Return the columns that say where a row comes from; trainers pass over them.

    All are text: what is null in the first rows of a file is null for ever in `datasets`, whatever follows.
    """
    origin = sample.origin
    return {
        "id": sample.id,
        "domain": origin.domain,
        "task": origin.task,
        "split": origin.split,
    }


def turns_to_learn(sample: ChatSample, losses: Losses) -> list[dict[str, Any]] | None:
    """Return a sample's chat as templates want it, or None, counted, where there is none or nothing to learn in it."""
    if not sample.targets:
        losses.drop(NO_TARGETS)
        return None
    turns = with_objects(sample.messages)
    if turns is None:
        losses.drop(NO_OBJECT)
    elif sample.reasoning:
        losses.note(REASONING)
    return turns


def with_objects(messages: tuple[dict[str, Any], ...]) -> list[dict[str, Any]] | None:
    """Return a chat as templates want it, or None where some arguments are no JSON object.

    Arguments become objects (a template prints text a second time as text, or fails on it) and missing content the
    empty string, as servers do before they render a chat.
    """
    turns = []
    for message in messages:
        turn = {**message, "content": message.get("content") or ""}
        if message.get("tool_calls"):
            calls = [_with_object(call) for call in message["tool_calls"]]
            if None in calls:
                return None
            turn["tool_calls"] = calls
        turns.append(turn)
    return turns


def _with_object(call: dict[str, Any]) -> dict[str, Any] | None:
    try:
        arguments = msgspec.json.decode(call["function"]["arguments"])
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(arguments, dict):
        return None
    return {**call, "function": {**call["function"], "arguments": arguments}}


def telling(row: dict[str, Any], *chats: str) -> dict[str, Any]:
    """Return the first row of a file, with a key more on the first message of the chats it holds.

    `datasets` settles by a file's first 10 MB whether messages are JSON or have fixed fields, and fails where a later
    row has others (a call, where there was none before). Templates pass over the key.
    """
    return {**row, **{name: [{**row[name][0], "weight": 1}, *row[name][1:]] for name in chats}}


def runs_of(sample: ChatSample) -> Iterator[tuple[int, int]]:
    """Yield stretches `[start, end)` whose assistant turns are all to be learned, both ends being such turns.

    A dialogue whose assistant turns are all to be learned, but for those before the first, is one stretch.
    """
    targets = set(sample.targets)
    start = end = -1
    for index, message in enumerate(sample.messages):
        if message["role"] != "assistant":
            continue
        if index in targets:
            start, end = (index if start < 0 else start), index + 1
        elif start >= 0:
            yield start, end
            start = -1
    if start >= 0:
        yield start, end
