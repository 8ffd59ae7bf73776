"""From the bytes of a chat completion to a `Completion`, whatever dialect the server speaks.

A reply that is not the model's doing (cut short, unreadable, empty of choices) is an `AttemptFailedError`. All that a
model can write (no text, no such tool, arguments that do not parse) is returned as it is.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import msgspec

from eigen_cli.api.backend import Request, Usage
from eigen_cli.api.messages import Completion, FinishReason, RawToolCall
from eigen_openai.failures import Answer, AttemptFailedError
from eigen_openai.secret import Secret

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
_MOST_TOKENS = 2**32
"""Tokens of a call from which on a count is nonsense and ignored; millions of smaller ones still add up exactly."""
_LONGEST_NAME = 256
"""Characters of a model's, a tool's or a fault's name and of a call's id; the rest is cut off."""
_LONGEST_ARGUMENTS = 256 * 2**10
"""Bytes of a call's arguments; cut there, they no longer parse, and the model is told so."""
_MOST_FAULTS = 64
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Answered:
    """A usable reply: the completion, its token counts, and the faults a simulating server says it planted."""

    completion: Completion
    usage: Usage
    planted: tuple[str, ...] = ()


def read_reply(answer: Answer, request: Request, *, model: str, simulated: bool = False) -> Answered:
    """Return the reply in a 2xx answer; raise `AttemptFailedError` when the server, not the model, spoilt it.

    `simulated`: the server plays the offline actors and says which faults it planted.
    """
    reply = _decode(answer.body)
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices:
        if reply.get("error"):
            raise AttemptFailedError(f"an error in place of a reply: {answer.words}")
        raise AttemptFailedError("a reply without choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise AttemptFailedError("a choice without a message")
    usage = _usage(reply.get("usage"))
    calls = _tool_calls(message.get("tool_calls"), request, answer.secret)
    finish = _finish_reason(choice.get("finish_reason"), calls, usage, request)
    text, reasoning = _split_thought(_text(message.get("content")) or _text(message.get("refusal")))
    spoken = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    completion = Completion(
        text=_clean(text, answer.secret),
        reasoning=_clean("\n".join(part for part in (spoken, reasoning) if part), answer.secret),
        tool_calls=calls,
        finish_reason=finish,
        model=_name(reply.get("model"), answer.secret, default=model),
        completion_tokens=usage.completion_tokens if usage else 0,
        prompt_tokens=usage.prompt_tokens if usage else 0,
        seconds=answer.seconds,
    )
    return Answered(
        completion=completion,
        usage=usage or Usage(),
        planted=_planted(reply.get("eigen"), answer.secret) if simulated else (),
    )


def _planted(simulation: Any, secret: Secret) -> tuple[str, ...]:
    faults = simulation.get("faults") if isinstance(simulation, dict) else None
    named = (fault for fault in faults if isinstance(fault, str)) if isinstance(faults, list) else ()
    return tuple(_name(fault, secret) for fault in named)[:_MOST_FAULTS]


def _clean(text: str, secret: Secret) -> str:
    """Return text that may be written down: encodable, and without our key."""
    return secret.masked(text if text.isascii() else _LONE_SURROGATES.sub("\ufffd", text))


def _name(value: Any, secret: Secret, *, default: str = "") -> str:
    return _clean(value, secret)[:_LONGEST_NAME] if isinstance(value, str) else default


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

    Grammar-constrained servers leak raw control characters into strings, and halves of surrogate pairs.
    """
    try:
        return json.loads(body.decode("utf-8", "replace"), strict=False)
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


def _tool_calls(calls: Any, request: Request, secret: Secret) -> tuple[RawToolCall, ...]:
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
        call_id = _name(call.get("id"), secret)
        if not call_id or call_id in taken:
            call_id = f"call_{request.key.turn}_{position}"
        while call_id in taken:  # a server that numbers as we do, but otherwise
            call_id += "_"
        taken.add(call_id)
        read.append(
            RawToolCall(
                id=call_id,
                name=_name(function.get("name"), secret),
                arguments=_bounded(_clean(_arguments(function.get("arguments")), secret)),
            )
        )
    return tuple(read)


def _arguments(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    if arguments is None:
        return "{}"
    try:
        return msgspec.json.encode(arguments).decode()
    except (ValueError, OverflowError, RecursionError):  # half a surrogate pair, an integer beyond 64 bits
        pass
    try:
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise AttemptFailedError("a tool call whose arguments are nested too deeply") from None


def _bounded(arguments: str) -> str:
    if 4 * len(arguments) <= _LONGEST_ARGUMENTS:  # UTF-8 takes four bytes a character at most
        return arguments
    return arguments.encode()[:_LONGEST_ARGUMENTS].decode("utf-8", "ignore")


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MOST_TOKENS else 0


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
