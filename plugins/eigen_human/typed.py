"""What a person types, read as a turn: words, tool calls, or a wish to see something first."""

from __future__ import annotations

import json
from typing import Any, Literal

import msgspec

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.messages import RawToolCall

HELP = """type what you want to say, and press enter
/call TOOL name=value name=value    call a tool; values are JSON, or plain words where they are none
/call TOOL {"name": "value"}        the same, with the arguments as one JSON object
/tools                              your tools            /tools TOOL   one of them in full
/briefing                           what you were told at the start (policy, or whom you play)
/stop                               end the conversation (the customer's side)
/quit                               leave; what was said so far is kept"""

Wish = Literal["help", "tools", "briefing", "quit", "stop"]


class Said(msgspec.Struct, frozen=True):
    """Words."""

    text: str


class Called(msgspec.Struct, frozen=True):
    """A tool call."""

    call: RawToolCall


class Wanted(msgspec.Struct, frozen=True):
    """A wish, with the word after it."""

    wish: Wish
    about: str = ""


class Misread(msgspec.Struct, frozen=True):
    """A line that makes no turn, and why."""

    why: str


Typed = Said | Called | Wanted | Misread


def read(line: str, *, call_id: str) -> Typed:
    """Return what a line means; nothing typed is misread as well."""
    line = line.strip()
    if not line:
        return Misread("nothing was typed; /help says what can be")
    if not line.startswith("/"):
        return Said(line)
    command, _, rest = line[1:].partition(" ")
    if command == "call":
        return _call(rest.strip(), call_id)
    if command in ("help", "tools", "briefing", "quit", "stop"):
        return Wanted(command, rest.strip())  # type: ignore[arg-type]
    return Misread(f"there is no /{command}; /help says what there is")


def _call(rest: str, call_id: str) -> Typed:
    name, _, written = rest.partition(" ")
    written = written.strip()
    if not name:
        return Misread("/call needs the name of a tool; /tools lists them")
    if written.startswith("{"):
        return Called(RawToolCall(call_id, name, written))
    try:
        arguments = dict(_pairs(written))
    except ValueError as error:
        return Misread(str(error))
    return Called(RawToolCall(call_id, name, canonical_json(arguments).decode()))


def _pairs(written: str) -> list[tuple[str, Any]]:
    """Return `name=value name=value` as pairs; a value is JSON if it can be read as such, and else the words it is."""
    pairs: list[tuple[str, Any]] = []
    decoder = json.JSONDecoder()
    while written:
        name, equals, rest = written.partition("=")
        if not equals or not name.strip().isidentifier():
            raise ValueError(f"expected name=value at {written[:40]!r}")
        try:
            value, end = decoder.raw_decode(rest)
            if end < len(rest) and not rest[end].isspace():
                raise ValueError
        except ValueError:
            value, end = _words(rest)
        pairs.append((name.strip(), value))
        written = rest[end:].strip()
    return pairs


def _words(rest: str) -> tuple[str, int]:
    """Return the plain words of a value, up to the next ` name=` or the end, and where they end."""
    words: list[str] = []
    end = 0
    for word in rest.split(" "):
        if words and word.partition("=")[1] and word.partition("=")[0].isidentifier():
            break
        words.append(word)
        end += len(word) + 1
    return " ".join(words).strip(), min(end, len(rest))
