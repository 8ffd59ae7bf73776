"""Which server a call goes to: the same for all of an episode, so that its cached prefix is of use, if it is there."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import time
from collections.abc import Sequence

from eigen_cli.api.backend import CallKey
from eigen_cli.api.errors import BackendUnreachableError
from eigen_openai.endpoint import Endpoint, unreachable
from eigen_openai.failures import AttemptFailedError, ConnectFailedError

_log = logging.getLogger("eigen.openai")
_FIRST_LOOK = 0.1
_LONGEST_PAUSE = 5.0
"""Seconds between two looks at a lost server at most."""
_MOST_IN_A_ROW = 5
"""Failures without a good reply between them after which a server is left out, where there is another."""


class Servers:
    """Chooses among servers by rendezvous hashing over the episode; those that are lost are left out until they answer.

    When one goes, only its own episodes move, and they return with it. `patience` is how many seconds all may be gone.
    """

    def __init__(self, endpoints: Sequence[Endpoint], patience: float) -> None:
        self.endpoints = tuple(endpoints)
        self._patience = patience
        self._lost: dict[Endpoint, asyncio.Task[None]] = {}
        self._all_lost_at = 0.0
        self._last_good = float("-inf")
        self._last_words = ""
        self._changed = asyncio.Event()

    @property
    def hosts(self) -> str:
        """The servers' names, for messages."""
        return ", ".join(endpoint.host for endpoint in self.endpoints)

    @property
    def ever_answered(self) -> bool:
        """Whether any of them has."""
        return any(endpoint.answered for endpoint in self.endpoints)

    def silent_since(self, moment: float) -> float:
        """Return the seconds for which no server has given a good reply, counted from a moment at the earliest."""
        return time.monotonic() - max(self._last_good, moment)

    async def check(self) -> None:
        """Raise `BackendUnreachableError` unless one server at least is there, and none refuses our key.

        Those that are not there are looked for from then on.
        """
        results = await asyncio.gather(*(endpoint.check() for endpoint in self.endpoints), return_exceptions=True)
        failures = {e: result for e, result in zip(self.endpoints, results, strict=True) if result is not None}
        for endpoint, failure in failures.items():
            if endpoint.answered or not isinstance(failure, BackendUnreachableError):
                raise failure
        if len(failures) == len(self.endpoints):
            raise failures[self.endpoints[0]]
        for endpoint in failures:
            self._lose(endpoint, _FIRST_LOOK)

    async def choose(self, key: CallKey, tried: Sequence[Endpoint]) -> Endpoint:
        """Return the server for a call; those already `tried` come last.

        Waits while all are lost; raises `BackendUnreachableError` once they have been for longer than the patience.
        """
        while len(self._lost) == len(self.endpoints):
            remaining = self._all_lost_at + self._patience - time.monotonic()
            if remaining <= 0 or not self.ever_answered:
                raise self.gone(self._last_words)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), remaining)
        if len(self.endpoints) == 1:
            return self.endpoints[0]
        there = [endpoint for endpoint in self._order(key) if endpoint not in self._lost]
        return there[sum(endpoint not in self._lost for endpoint in tried) % len(there)]

    def good(self, endpoint: Endpoint) -> None:
        """Learn that a server gave a good reply."""
        endpoint.failed_in_a_row = 0
        self._last_good = time.monotonic()

    def failed(self, endpoint: Endpoint, failure: AttemptFailedError) -> None:
        """Learn that an attempt failed for a server's reasons, and leave it out if it is lost."""
        endpoint.failed_in_a_row += 1
        self._last_words = str(failure)
        if isinstance(failure, ConnectFailedError):
            self._lose(endpoint, _FIRST_LOOK)
        elif endpoint.failed_in_a_row >= _MOST_IN_A_ROW and len(self._lost) < len(self.endpoints) - 1:
            # It may well say that it is alive: a while without it, then another try.
            self._lose(endpoint, _LONGEST_PAUSE)

    def gone(self, what: str) -> BackendUnreachableError:
        """Return the error for servers that were never there, or do not come back."""
        if not self.ever_answered:
            return unreachable(self.hosts, what)
        return BackendUnreachableError(
            f"no good reply from {self.hosts} in {self._patience:g} s; the last: {what}",
            hint="bring the server up and run the same command again: it goes on from here "
            "(the option `patience` says how long to wait)",
        )

    async def close(self) -> None:
        """Look for nobody any more."""
        tasks = tuple(self._lost.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _order(self, key: CallKey) -> list[Endpoint]:
        episode = f"{key.run}/{key.round}/{key.plan}/{key.task}/{key.trial}/{key.fork}"

        def weight(endpoint: Endpoint) -> bytes:
            return hashlib.blake2b(f"{endpoint!r} {episode}".encode(), digest_size=8).digest()

        return sorted(self.endpoints, key=weight)

    def _lose(self, endpoint: Endpoint, first_pause: float) -> None:
        if endpoint in self._lost:
            return
        _log.info("%s is lost", endpoint.host)
        self._lost[endpoint] = asyncio.create_task(self._look_for(endpoint, first_pause))
        if len(self._lost) == len(self.endpoints):
            self._all_lost_at = time.monotonic()
            self._changed.clear()

    async def _look_for(self, endpoint: Endpoint, pause: float) -> None:
        while True:
            await asyncio.sleep(pause)
            if await endpoint.alive():
                break
            pause = min(2 * pause, _LONGEST_PAUSE)
        _log.info("%s is back", endpoint.host)
        endpoint.failed_in_a_row = 0
        del self._lost[endpoint]
        self._changed.set()
