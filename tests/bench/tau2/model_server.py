"""A model server that plays official tasks over HTTP: the agent and its customer, each from a script.

It keeps nothing between requests. Who is asked is the model's name, `agent` or `user`; how far a dialogue is follows
from what the asked side has said so far. Which task it is follows from the scenario in the customer's instructions, and
from then on from a mark that the customer's first words carry. Every answer takes the same time.

`GET /` tells what was seen since the last such request. The first line on stdout is the port.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

MARK = re.compile(r"\(conversation (\w+)\)")
SMALL_TALK = (
    "One more thing before we end: could you tell me how I would find all of this in my account later on?",
    "You find everything that was done today in your account, together with the confirmation sent by mail.",
)
"""What customer and agent say to each other for as many exchanges as wanted, once the task is done."""


class Line(msgspec.Struct):
    """One completion: what is said, and the calls (name, arguments as JSON)."""

    side: str
    text: str
    calls: tuple[tuple[str, str], ...] = ()


class Script(msgspec.Struct):
    """A task's dialogue, and what its customer's instructions say, whoever words the rest of them."""

    task: str
    scenario: tuple[str, ...]
    lines: list[Line]


class Said(msgspec.Struct):
    """One message of a request."""

    role: str
    content: str | None = None


class Asked(msgspec.Struct):
    """What is read of a request."""

    model: str
    messages: list[Said]


class Seen(msgspec.Struct):
    """What the server saw; times are those of `time.monotonic`."""

    calls: int = 0
    """Answered requests."""
    first: float = 0.0
    """When the first request came."""
    last: float = 0.0
    """When the last answer left."""
    all_started: float = 0.0
    """When the last episode began."""
    calls_by_then: int = 0
    in_flight_at_most: int = 0
    episodes: dict[str, int] = {}
    """Begun episodes by task."""
    strange: int = 0
    """Requests that fit no script."""


def squeezed(text: str) -> str:
    """Return a text without what only lays it out."""
    return " ".join(text.split())


def http(status: str, body: bytes) -> bytes:
    """Return a response."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def completion(line: Line, *, model: str, number: int) -> bytes:
    """Return the response that says a line."""
    calls = [
        {"id": f"call_{number}_{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for place, (name, arguments) in enumerate(line.calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": line.text or None}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    usage = {"prompt_tokens": 4000, "completion_tokens": 50, "total_tokens": 4050}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": model, "choices": [choice], "usage": usage}
    return http("200 OK", msgspec.json.encode(body))


class Model:
    """Both sides of every script."""

    def __init__(self, scripts: list[Script], *, small_talk: int) -> None:
        self._scenarios = {script.task: tuple(map(squeezed, script.scenario)) for script in scripts}
        self._answers: dict[tuple[str, str], list[bytes]] = {}
        self._read = msgspec.json.Decoder(Asked)
        self.seen = Seen()
        for script in scripts:
            first, *rest, last = script.lines
            marked = msgspec.structs.replace(first, text=f"(conversation {script.task}) {first.text}")
            talk = [Line("user", SMALL_TALK[0]), Line("agent", SMALL_TALK[1])] * small_talk
            for side in ("agent", "user"):
                own = [line for line in (marked, *rest, *talk, last) if line.side == side]
                self._answers[script.task, side] = [
                    completion(line, model=side, number=number) for number, line in enumerate(own)
                ]

    def answer_to(self, body: bytes) -> bytes:
        """Return the whole response to a request's body; 400 to one that no script has."""
        asked = self._read.decode(body)
        marks = (MARK.match(one.content) for one in asked.messages if one.role in ("user", "assistant") and one.content)
        mark = next(filter(None, marks), None)
        own = sum(one.role == "assistant" for one in asked.messages)
        if mark is None:
            task = self._task_told(asked.messages[0].content or "")
            self.seen.episodes[task] = self.seen.episodes.get(task, 0) + 1
            self.seen.all_started, self.seen.calls_by_then = time.monotonic(), self.seen.calls
        else:
            task = mark[1]
            own -= asked.model == "agent"  # its greeting, which it was not asked for
        answers = self._answers.get((task, asked.model), [])
        if not 0 <= own < len(answers):
            self.seen.strange += 1
            return http("400 Bad Request", b'{"error":{"message":"no script goes on like this"}}')
        return answers[own]

    def _task_told(self, instructions: str) -> str:
        text = squeezed(instructions)
        found = [task for task, parts in self._scenarios.items() if all(part in text for part in parts)]
        # One task's scenario can hold all that another's says; whose says more it is.
        return max(found, key=lambda task: sum(map(len, self._scenarios[task])), default="")


class Connection(asyncio.Protocol):
    """One connection, one request at a time."""

    in_flight: Counter[str] = Counter()

    def __init__(self, model: Model, latency: float) -> None:
        self._model, self._latency = model, latency
        self._got = bytearray()
        self._needed = self._head = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember whom to answer."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Wait for the whole request, then for the latency."""
        self._got += data
        if not self._needed:
            end = self._got.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self._got[:end]).lower()
            length = head.find(b"content-length:")
            body = int(head[length + 15 :].split(b"\r\n", 1)[0]) if length >= 0 else 0
            self._head, self._needed = end + 4, end + 4 + body
        if len(self._got) < self._needed:
            return
        request = bytes(self._got)
        body, self._needed = request[self._head : self._needed], 0
        self._got.clear()
        if request.startswith(b"POST"):
            seen = self._model.seen
            seen.first = seen.first or time.monotonic()
            Connection.in_flight["now"] += 1
            seen.in_flight_at_most = max(seen.in_flight_at_most, Connection.in_flight["now"])
            asyncio.get_running_loop().call_later(self._latency, self._answer, self._model.answer_to(body))
        elif request.startswith(b"GET / "):
            self._transport.write(http("200 OK", msgspec.json.encode(self._model.seen)))
            self._model.seen = Seen()
        else:
            self._transport.write(http("200 OK", b'{"data":[]}'))

    def _answer(self, response: bytes) -> None:
        seen = self._model.seen
        Connection.in_flight["now"] -= 1
        seen.calls, seen.last = seen.calls + 1, time.monotonic()
        self._transport.write(response)


async def serve(scripts: Path, *, latency: float, small_talk: int) -> None:
    """Serve until killed."""
    model = Model(msgspec.json.decode(scripts.read_bytes(), type=list[Script]), small_talk=small_talk)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(model, latency), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), latency=float(sys.argv[2]), small_talk=int(sys.argv[3])))
