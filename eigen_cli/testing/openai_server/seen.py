"""What the server saw: every request, when it came, and how it ended, in memory and as JSON lines."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import msgspec

from eigen_cli.testing.openai_server.chat import ChatRequest

ANSWERED = "answered"
"""The outcome of a request whose reply was written to the socket to its end and was not spoilt in transport."""


class SeenRequest(msgspec.Struct, omit_defaults=True):
    """One request. Times are seconds since the epoch; `completed` is None while it is in flight."""

    number: int
    trace: str
    """Call key and start of the request's hash, or empty when the caller sent neither."""
    identity: str
    arrived: float
    in_flight: int
    """Requests in flight at its arrival, itself included."""
    completed: float | None = None
    outcome: str = ""
    """`answered`, `abandoned` by the caller, `refused …`, `failed` (the responder raised), or the fault it met."""
    faults: tuple[str, ...] = ()
    """Faults of content the server put into the reply."""
    planted: tuple[str, ...] = ()
    """Faults the simulated actor says it planted."""


class RequestLog:
    """Requests in order of arrival; with `path`, each arrival and each end is appended as one flushed JSON line."""

    def __init__(self, path: Path | None = None) -> None:
        self.requests: list[SeenRequest] = []
        self.in_flight = 0
        self.max_in_flight = 0
        self._attempts: Counter[str] = Counter()
        self._file: BinaryIO | None = path.open("ab") if path else None

    def arrive(self, request: ChatRequest) -> tuple[SeenRequest, int]:
        """Record an arrival; return its entry and how often the same call has come before."""
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        entry = SeenRequest(
            number=request.number,
            trace=request.trace,
            identity=request.identity,
            arrived=time.time(),
            in_flight=self.in_flight,
        )
        self.requests.append(entry)
        attempt = self._attempts[request.identity]
        self._attempts[request.identity] += 1
        self._write(entry)
        return entry, attempt

    def end(self, entry: SeenRequest, outcome: str) -> None:
        """Record how a request ended."""
        self.in_flight -= 1
        entry.completed = time.time()
        entry.outcome = outcome
        self._write(entry)

    def answered_twice(self) -> dict[str, int]:
        """Return the calls that were answered in full more than once, and how often."""
        return answered_twice(self.requests)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, entry: SeenRequest) -> None:
        if self._file is not None:
            self._file.write(msgspec.json.encode(entry) + b"\n")
            self._file.flush()


def read_log(path: Path) -> list[SeenRequest]:
    """Return the requests in a log file in order of arrival, each as last written; a torn last line is left out."""
    entries: dict[tuple[int, float], SeenRequest] = {}
    for line in path.read_bytes().split(b"\n")[:-1]:
        entry = msgspec.json.decode(line, type=SeenRequest)
        entries[entry.number, entry.arrived] = entry
    return list(entries.values())


def answered_twice(requests: Iterable[SeenRequest]) -> dict[str, int]:
    """Return the calls that were answered in full more than once, and how often."""
    times = Counter(entry.identity for entry in requests if entry.outcome == ANSWERED)
    return {identity: count for identity, count in times.items() if count > 1}
