"""A model server that costs next to nothing: fixed latency, replies of fixed length, no JSON read.

It plays both sides of a conversation by the last message's role: to a customer's words the agent answers with a tool
call, to a tool's result with a text; the customer always with a text. `GET /` says how many calls there were and how
many were in flight in the mean. The first line on stdout is the port.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

AGENT_TEXT = "I have looked at your booking and this is what I can offer you under our policy. " * 11
USER_TEXT = "Thank you. Before we go on I would like to understand what that would mean for me. " * 9


def _http(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def _reply(message: dict[str, object], finish_reason: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 4000, "completion_tokens": 200, "total_tokens": 4200}
    return _http(json.dumps({"id": "x", "model": "stub", "choices": [choice], "usage": usage}).encode())


class Stub:
    """The replies, and what was seen."""

    def __init__(self, latency: float, user: str) -> None:
        function = {"name": "get_user_details", "arguments": json.dumps({"user_id": user})}
        call = {"id": "call_x", "type": "function", "function": function}
        self.latency = latency
        self.calling = _reply({"content": None, "tool_calls": [call]}, "tool_calls")
        self.agent = _reply({"content": AGENT_TEXT}, "stop")
        self.user = _reply({"content": USER_TEXT}, "stop")
        self.calls = self.in_flight = 0
        self.area = self.busy = self.since = 0.0

    def count(self, change: int) -> None:
        """Keep the integral of calls in flight."""
        now = time.perf_counter()
        if self.in_flight:
            self.area += self.in_flight * (now - self.since)
            self.busy += now - self.since
        self.since = now
        self.in_flight += change

    def answer_to(self, body: bytes) -> bytes:
        """Return the whole response to a request's body."""
        last = body.rfind(b'{"role":"')
        if body.find(b'"tools":[', last) < 0:
            return self.user
        return self.calling if body.startswith(b"user", last + 9) else self.agent

    def seen(self) -> bytes:
        """Return the counts so far, and forget them."""
        mean = self.area / self.busy if self.busy else 0.0
        counts = _http(json.dumps({"calls": self.calls, "in_flight_mean": mean}).encode())
        self.calls, self.area, self.busy = 0, 0.0, 0.0
        return counts


class Connection(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self, stub: Stub) -> None:
        self._stub = stub
        self._got = bytearray()
        self._needed = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember whom to answer."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Wait for the whole request, then for the latency."""
        self._got += data
        if not self._needed:
            end = self._got.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self._got[:end]).lower()
            if head.startswith(b"get / "):
                self._transport.write(self._stub.seen())
                self._got.clear()
                return
            length = head.find(b"content-length:")
            body = int(head[length + 15 :].split(b"\r\n", 1)[0]) if length >= 0 else 0
            self._needed = end + 4 + body
        if len(self._got) >= self._needed:
            response = (
                self._stub.answer_to(bytes(self._got)) if self._got.startswith(b"POST") else _http(b'{"data":[]}')
            )
            self._got.clear()
            self._needed = 0
            self._stub.calls += 1
            self._stub.count(+1)
            asyncio.get_running_loop().call_later(self._stub.latency, self._answer, response)

    def _answer(self, response: bytes) -> None:
        self._stub.count(-1)
        self._transport.write(response)


async def serve(latency: float, user: str) -> None:
    """Serve until killed."""
    stub = Stub(latency, user)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(stub), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), sys.argv[2]))
