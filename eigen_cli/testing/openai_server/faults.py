"""Misbehaviour on command: which request meets which fault, and what it does to a reply.

Faults of transport are drawn anew for every attempt at a call, so that a retry can get through. Faults of content
are drawn once a call: whoever asks again, after a crash say, is given the same wrong answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from eigen_cli.api.canonical import derive_rng
from eigen_cli.testing.openai_server.chat import ChatRequest

FaultKind = Literal[
    "status",
    "reset",
    "truncated",
    "invalid_json",
    "empty_choices",
    "stall",
    "early_length",
    "error_finish",
    "wrong_tool",
    "bad_arguments",
    "control_characters",
]
CONTENT_FAULTS: frozenset[FaultKind] = frozenset({"wrong_tool", "bad_arguments", "control_characters"})


class Fault(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One fault and when it strikes.

    It strikes the requests whose arrival numbers (from 1) are listed in `nth` or, where none are, each request with
    probability `rate`, drawn from `seed` and the request's own identity: the order of arrival does not matter.
    The first `after` requests are spared. `times` bounds how often it strikes the same call; 0 is no bound.
    """

    kind: FaultKind
    nth: tuple[int, ...] = ()
    rate: float = 1.0
    seed: int = 0
    after: int = 0
    times: int = 0
    status: int = 500
    """`status`: the HTTP status answered; 401 repeats the key it was sent, as rude servers do."""
    retry_after: float | str | None = None
    """`status`: the `Retry-After` header, in seconds or as it stands."""
    seconds: float = 30.0
    """`stall`: how long nothing is said before the reply comes after all."""


def parse_faults(data: bytes | str) -> tuple[Fault, ...]:
    """Return the faults in a JSON list (or a single JSON object); raise `msgspec.MsgspecError` for anything else."""
    read = msgspec.json.decode(data, type=Fault | list[Fault], strict=False)
    return (read,) if isinstance(read, Fault) else tuple(read)


class Schedule:
    """Draws the faults that strike a request."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        self._struck: dict[tuple[int, str], int] = {}

    def strike(self, request: ChatRequest, *, attempt: int) -> tuple[Fault | None, tuple[Fault, ...]]:
        """Return the first fault of transport and all faults of content that strike; `attempt` counts from 0."""
        struck = [fault for place, fault in enumerate(self.faults) if self._strikes(place, request, attempt)]
        transport = [fault for fault in struck if fault.kind not in CONTENT_FAULTS]
        return (transport[0] if transport else None), tuple(fault for fault in struck if fault.kind in CONTENT_FAULTS)

    def _strikes(self, place: int, request: ChatRequest, attempt: int) -> bool:
        fault = self.faults[place]
        past = self._struck.get((place, request.identity), 0)
        if (fault.times and past >= fault.times) or 0 < request.number <= fault.after:
            return False
        if fault.nth:
            strikes = request.number in fault.nth
        else:
            occasion = "" if fault.kind in CONTENT_FAULTS else attempt
            strikes = derive_rng(fault.seed, fault.kind, place, request.identity, occasion).random() < fault.rate
        if strikes:
            self._struck[place, request.identity] = past + 1
        return strikes


def spoil(body: dict[str, Any], kind: FaultKind) -> None:
    """Change a reply's body as a fault of content, or of the server's judgement, does."""
    choice = body["choices"][0]
    message = choice["message"]
    functions = [call["function"] for call in message.get("tool_calls", ())]
    if kind == "empty_choices":
        body["choices"] = []
    elif kind == "error_finish":
        choice["finish_reason"] = "error"
    elif kind == "early_length":
        text = message["content"] or ""
        message["content"] = text[: len(text) // 2]
        message.pop("tool_calls", None)
        choice["finish_reason"] = "length"
        body["usage"]["completion_tokens"] //= 2
    elif kind == "wrong_tool":
        for function in functions:
            function["name"] = f"{function['name']}_v2"
    elif kind == "bad_arguments":
        for function in functions:
            function["arguments"] = function["arguments"].rstrip().removesuffix("}") + ',"'
    elif kind == "control_characters":
        if message["content"]:
            message["content"] += "\n"
        for function in functions:
            function["arguments"] += "\n"


def with_raw_control_characters(encoded: bytes) -> bytes:
    """Return JSON whose escaped line breaks and tabs stand raw in their strings, which JSON forbids."""
    spelt = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
    return re.sub(rb"(?<!\\)((?:\\\\)*)\\([nrt])", lambda found: found.group(1) + spelt[found.group(2)], encoded)
