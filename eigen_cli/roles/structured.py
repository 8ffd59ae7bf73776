"""Structured answers: ask, parse, validate, hand back with the error; bounded."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import msgspec

from eigen_cli.api.backend import Completer, Request
from eigen_cli.api.messages import Completion

T = TypeVar("T")

_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


class UnusableReplyError(Exception):
    """A model kept answering something that does not validate; carries the last text and error."""

    def __init__(self, text: str, error: str, attempts: int) -> None:
        super().__init__(error)
        self.text = text
        self.error = error
        self.attempts = attempts


async def ask_structured(
    completer: Completer,
    request: Request,
    output: type[T],
    *,
    repairs: int,
    check: Callable[[T], str | None] = lambda _: None,
) -> tuple[T, Completion, int]:
    """Return the validated output, its completion and the number of attempts.

    `check` may object to a well-formed output with a reason. Every objection is handed back to the model, at most
    `repairs` times; then `UnusableReplyError`.
    """
    text, error = "", ""
    for attempt in range(repairs + 1):
        reply = await completer.complete(request)
        text = reply.completion.text
        try:
            value = msgspec.json.decode(json_part(text), type=output)
            error = check(value) or ""
        except RecursionError:
            error = "the JSON is nested too deeply"
        except (msgspec.DecodeError, UnicodeEncodeError) as failure:
            error = str(failure)
        if not error:
            return value, reply.completion, attempt + 1
        chat = request.chat.add({"role": "assistant", "content": text}).add(
            {"role": "user", "content": f"That cannot be used: {error}. Answer again with the whole corrected JSON."}
        )
        key = msgspec.structs.replace(request.key, attempt=request.key.attempt + 1)
        request = replace(request, chat=chat, key=key)
    raise UnusableReplyError(text, error, repairs + 1)


def json_part(text: str) -> str:
    """Return the JSON in an answer that may wrap it in a code fence or in prose."""
    if match := _FENCE.search(text):
        return match[1]
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if start != -1 and end > start else text
