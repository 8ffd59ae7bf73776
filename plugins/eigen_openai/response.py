"""From the bytes of a chat completion to a `Completion`, whatever dialect the server speaks.

A reply that is not the model's doing (cut short, unreadable, empty of choices) is an `AttemptFailedError`. All that a
model can write (no text, no such tool, arguments that do not parse) is returned as it is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec

from eigen_cli.api.backend import Request, Usage
from eigen_cli.api.messages import Completion, FinishReason, RawToolCall
from eigen_openai.failures import AttemptFailedError, excerpt

_THINK = "<think>"
_THOUGHT = "</think>"
_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}
_SERVER_FINISH = frozenset({"error", "abort", "insufficient_system_resource"})
"""Finish reasons by which servers admit that they, not the model, ended a reply."""


@dataclass(frozen=True)
class Answered:
    """A usable reply: the completion, its token counts, and the faults a simulating server says it planted."""

    completion: Completion
    usage: Usage
    planted: tuple[str, ...] = ()


def read_reply(body: bytes, request: Request, *, model: str, seconds: float) -> Answered:
    """Return the reply in a 2xx body; raise `AttemptFailedError` when the server, not the model, spoilt it."""
    reply = _decode(body)
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices:
        if reply.get("error"):
            raise AttemptFailedError(f"an error in place of a reply: {excerpt(body)}")
        raise AttemptFailedError("a reply without choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise AttemptFailedError("a choice without a message")
    usage = _usage(reply.get("usage"))
    calls = _tool_calls(message.get("tool_calls"), request)
    finish = _finish_reason(choice.get("finish_reason"), calls, usage, request)
    text, reasoning = _split_thought(_text(message.get("content")) or _text(message.get("refusal")))
    spoken = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    simulation = reply.get("eigen")
    planted = simulation.get("faults", ()) if isinstance(simulation, dict) else ()
    completion = Completion(
        text=text,
        reasoning="\n".join(part for part in (spoken, reasoning) if part),
        tool_calls=calls,
        finish_reason=finish,
        model=reply["model"] if isinstance(reply.get("model"), str) else model,
        completion_tokens=usage.completion_tokens if usage else 0,
        prompt_tokens=usage.prompt_tokens if usage else 0,
        seconds=seconds,
    )
    return Answered(
        completion=completion,
        usage=usage or Usage(),
        planted=tuple(str(fault) for fault in planted),
    )


def _decode(body: bytes) -> dict[str, Any]:
    try:
        reply = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        reply = _decode_leniently(body)
    if not isinstance(reply, dict):
        raise AttemptFailedError("a reply that is not a JSON object")
    return reply


def _decode_leniently(body: bytes) -> Any:
    """Return a body that only a lenient parser can read.

    Grammar-constrained servers leak raw control characters into strings, and halves of surrogate pairs, which nothing
    downstream could encode: those become question marks.
    """
    try:
        reply = json.loads(body.decode("utf-8", "replace"), strict=False)
        return msgspec.json.decode(json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise AttemptFailedError(f"a reply that is not JSON ({len(body)} bytes)") from None


def _text(content: Any) -> str:
    """Return a message field as text: a string, the text parts of a list, or nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _split_thought(text: str) -> tuple[str, str]:
    """Return (text, reasoning) of a reply whose thinking the server left in the text.

    Chat templates that open the thought themselves leave only its end; a reply cut while thinking has only its start.
    """
    before, closed, after = text.partition(_THOUGHT)
    opened = before.lstrip().startswith(_THINK)
    if opened:
        before = before.lstrip().removeprefix(_THINK)
    if closed and (opened or _THINK not in before):
        return after.lstrip(), before.strip()
    return ("", before.strip()) if opened else (text, "")


def _tool_calls(calls: Any, request: Request) -> tuple[RawToolCall, ...]:
    """Return tool calls with their arguments as written; ids that are missing or repeated are made from the turn."""
    if not isinstance(calls, list):
        return ()
    read: list[RawToolCall] = []
    taken: set[str] = set()
    for position, call in enumerate(calls):
        if not isinstance(call, dict):
            continue
        nested = call.get("function")
        function = nested if isinstance(nested, dict) else call
        given = call.get("id")
        call_id = given if isinstance(given, str) and given and given not in taken else ""
        call_id = call_id or f"call_{request.key.turn}_{position}"
        taken.add(call_id)
        name = function.get("name")
        read.append(
            RawToolCall(
                id=call_id,
                name=name if isinstance(name, str) else "",
                arguments=_arguments(function.get("arguments")),
            )
        )
    return tuple(read)


def _arguments(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return "{}" if arguments is None else msgspec.json.encode(arguments).decode()


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _usage(usage: Any) -> Usage | None:
    """Return token counts, or None when the server reports none."""
    if not isinstance(usage, dict) or "completion_tokens" not in usage:
        return None
    details = usage.get("prompt_tokens_details")
    return Usage(
        calls=1,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")) if isinstance(details, dict) else 0,
    )


def _finish_reason(reason: Any, calls: tuple[RawToolCall, ...], usage: Usage | None, request: Request) -> FinishReason:
    """Return why the model stopped; raise `AttemptFailedError` when it was stopped below the limit it was given."""
    if not isinstance(reason, str):
        return "tool_calls" if calls else "stop"
    if reason in _SERVER_FINISH:
        raise AttemptFailedError(f"a reply the server broke off ({reason})")
    if reason == "length" and usage and usage.completion_tokens < request.max_tokens:
        raise AttemptFailedError(
            f"a reply cut at {usage.completion_tokens} of {request.max_tokens} tokens; the server's context may be full"
        )
    return _FINISH.get(reason) or ("tool_calls" if calls else "stop")
