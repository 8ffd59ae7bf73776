"""What a request looks like as a file, and what an answer may look like.

A request holds all that a model would be sent and nothing else. An answer is a JSON object: `text`, or `tool_calls`, or
(where the request has a schema) `output`; `reasoning` is kept apart from what is said.
"""

from __future__ import annotations

from typing import Any

import msgspec

from eigen_cli.api.backend import Request
from eigen_cli.api.canonical import SHORT, canonical_json
from eigen_cli.api.messages import Completion, RawToolCall

_HOW_TO = {
    "text": 'write {"text": "…"}; reasoning goes into "reasoning", which nobody in the conversation sees',
    "tools": 'write {"text": "…"} to speak, or {"tool_calls": [{"name": "…", "arguments": {…}}]} to call tools',
    "schema": 'write {"output": {…}}, an object that satisfies the schema',
}
_FIELDS = frozenset({"text", "tool_calls", "output", "reasoning", "model"})


class UnusableAnswerError(ValueError):
    """An answer file that is none; its text says what is wrong with it."""


class WrittenCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call as an answer writes it: arguments as an object, or as the text of one."""

    name: str
    arguments: dict[str, Any] | str = {}
    id: str = ""


class Answer(msgspec.Struct, frozen=True):
    """An answer, read."""

    text: str = ""
    tool_calls: tuple[WrittenCall, ...] = ()
    output: Any = msgspec.UNSET
    reasoning: str = ""
    model: str = ""


def letter_name(request: Request) -> str:
    """Return the file name, without its ending, of a request: readable, unique, safe in any file system.

    It ends in the request's hash: a request that changed since it was answered is another letter.
    """
    key = request.key
    parts = (
        f"r{key.round}",
        key.task or key.plan or "plan",
        f"t{key.trial}",
        key.role,
        f"{key.turn:03}",
        f"{key.attempt}",
    )
    readable = "-".join("".join(sign if sign.isalnum() else "_" for sign in part)[:40] for part in parts)
    return f"{readable}-{request.fingerprint()[:SHORT]}"


def written_request(request: Request) -> bytes:
    """Return a request's file: who is asked, the messages, tools, schema, settings, and how to answer."""
    kind = "schema" if request.schema else "tools" if request.tools else "text"
    body = {
        "role": request.role,
        "key": request.key.path(),
        "how_to_answer": _HOW_TO[kind],
        "messages": request.chat.messages(),
        "tools": request.tools.definitions() if request.tools else None,
        "schema": request.schema.body if request.schema else None,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
    }
    return msgspec.json.format(msgspec.json.encode(body), indent=1)


def read_answer(data: bytes, request: Request, *, model: str) -> Completion:
    """Return the completion an answer file holds; raises `UnusableAnswerError` saying what is wrong with it."""
    try:
        value = msgspec.json.decode(data)
        if isinstance(value, dict) and (unknown := sorted(set(value) - _FIELDS)):
            raise UnusableAnswerError(f"unknown fields {', '.join(unknown)}; known: {', '.join(sorted(_FIELDS))}")
        answer = msgspec.convert(value, Answer)
    except msgspec.MsgspecError as error:
        raise UnusableAnswerError(f"not an answer: {error}") from error
    text = answer.text
    if answer.output is not msgspec.UNSET:
        if request.schema is None:
            raise UnusableAnswerError("it has an output, and no schema was asked for: write text or tool_calls")
        text = canonical_json(answer.output).decode()
    if answer.tool_calls and request.tools is None:
        raise UnusableAnswerError("it calls tools, and this role has none here")
    if not text.strip() and not answer.tool_calls:
        raise UnusableAnswerError("it says nothing and calls nothing")
    calls = tuple(
        RawToolCall(call.id or f"call_{request.key.turn}_{place}", call.name, _arguments(call))
        for place, call in enumerate(answer.tool_calls)
    )
    return Completion(
        text=text,
        reasoning=answer.reasoning,
        tool_calls=calls,
        finish_reason="tool_calls" if calls else "stop",
        model=answer.model or model,
    )


def _arguments(call: WrittenCall) -> str:
    return call.arguments if isinstance(call.arguments, str) else canonical_json(call.arguments).decode()
