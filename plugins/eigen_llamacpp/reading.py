"""From the text a model wrote to a completion."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from eigen_cli.api.backend import Request
from eigen_cli.api.messages import Completion, FinishReason, RawToolCall
from eigen_llamacpp.bounded import respond_name

_ARGUMENTS = re.compile(r'\s*\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"arguments"\s*:\s*(.*\S)\s*\}\s*', re.DOTALL)
"""A call's arguments, as they were written."""
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Written:
    """What a model wrote. `complete` is False where the limit on tokens cut it."""

    text: str
    complete: bool
    prompt_tokens: int
    reused_tokens: int
    """Tokens of the prompt that had been computed for an earlier call."""
    tokens: int
    seconds: float


def read_reply(written: Written, request: Request, *, model: str) -> Completion:
    """Return the completion that a reply is; one that was cut or does not parse stays the text that it is."""
    text = written.text
    calls: tuple[RawToolCall, ...] = ()
    value = _json(text) if written.complete and (request.tools or request.schema) else None
    if isinstance(value, dict) and request.tools:
        text, calls = _step(value, text, request)
    elif value is not None:
        # Grammars let raw line breaks into strings, which JSON forbids: what a lenient parser reads is written anew.
        text = json.dumps(value)
    finish: FinishReason = "length" if not written.complete else "tool_calls" if calls else "stop"
    return Completion(
        text=text,
        tool_calls=calls,
        finish_reason=finish,
        model=model,
        completion_tokens=written.tokens,
        prompt_tokens=written.prompt_tokens,
        seconds=written.seconds,
    )


def _step(value: dict[str, Any], text: str, request: Request) -> tuple[str, tuple[RawToolCall, ...]]:
    """Return what a step says and what it calls: one of both."""
    assert request.tools is not None
    name, arguments = value.get("name"), value.get("arguments")
    if name == respond_name(request.tools.definitions()) and isinstance(arguments, dict):
        return _LONE_SURROGATES.sub("\ufffd", str(arguments.get("text", ""))).strip(), ()
    raw = _ARGUMENTS.fullmatch(text)
    if not isinstance(name, str) or raw is None:
        return text, ()
    return "", (RawToolCall(id=f"call_{request.key.turn}", name=name, arguments=raw[1]),)


def _json(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
