"""How many calls one server is sent at once: as many as are allowed, fewer while it asks for mercy.

Additive increase, multiplicative decrease. A refusal for load (429 and the like) or a call that timed out halves what
is allowed; every full round of good replies gives a sixteenth of the ceiling back. Rising latency lowers it more
gently, and only on strong evidence: see `Latency`.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import weakref
from collections import deque
from collections.abc import Callable

_HALVED = 0.5
_EASED = 0.8
_STEPS = 16
"""Rounds of good replies in which the allowance climbs from nothing back to its ceiling."""
_SLOWEST = 0.25
"""Share of the ceiling below which latency alone never lowers the allowance."""


class Latency:
    """Tells a server that has become slower from one that was given more to do.

    Calls are averaged over windows of at least 32 and of two rounds. A window is slow when its seconds a call *and* its
    seconds a unit of work both exceed three times their minima over the last 20 windows: longer prompts and replies
    raise the first alone, shorter ones the second alone. The minima move, so that a server that stays slow, for
    whatever reason, counts as normal after 20 windows. Only calls sent while at least half of what is allowed was in
    flight are counted, since a batching server is always faster when it is idle.
    """

    TOLERATED = 3.0
    WINDOWS = 20
    LEAST = 32

    def __init__(self) -> None:
        self._windows: deque[tuple[float, float]] = deque(maxlen=self.WINDOWS)
        self._calls = 0
        self._seconds = 0.0
        self._work = 0.0
        self.slow = False
        """Whether the last full window was slow."""

    def add(self, seconds: float, work: float, *, window: int) -> bool:
        """Count a call; return whether it completed a slow window of `window` calls."""
        self._calls += 1
        self._seconds += seconds
        self._work += work
        if self._calls < max(window, self.LEAST):
            return False
        measured = self._seconds / self._calls, self._seconds / self._work
        best = [min(column) for column in zip(*self._windows, measured, strict=True)]
        self.slow = all(now > self.TOLERATED * least for now, least in zip(measured, best, strict=True))
        self._windows.append(measured)
        self.restart()
        return self.slow

    def restart(self) -> None:
        """Begin a new window: what was allowed has changed."""
        self._calls, self._seconds, self._work = 0, 0.0, 0.0


class Throttle:
    """Admits calls to one server, in order; `ceiling` is never exceeded. Belongs to one event loop at a time."""

    def __init__(self, ceiling: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.ceiling = ceiling
        self.in_flight = 0
        self._limit = float(ceiling)
        self._clock = clock
        self._lowered = float("-inf")
        self._latency = Latency()
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def allowed(self) -> int:
        """Calls allowed in flight at this moment."""
        return int(self._limit)

    @property
    def waiting(self) -> int:
        """Calls that wait for their turn."""
        return len(self._waiting)

    def raise_ceiling(self, ceiling: int) -> None:
        """Allow as many calls as the most generous of those who share this server."""
        if ceiling > self.ceiling:
            self._limit += ceiling - self.ceiling
            self.ceiling = ceiling

    async def admitted(self) -> float:
        """Wait until a call may be sent and return the moment; `left` must follow."""
        if self.in_flight < self.allowed and not self._waiting:
            self.in_flight += 1
            return self._clock()
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.left()  # the place was given in the same moment
            else:
                with contextlib.suppress(ValueError):
                    self._waiting.remove(place)
            raise
        return self._clock()

    def left(self) -> None:
        """Give a call's place to the next."""
        self.in_flight -= 1
        while self._waiting and self.in_flight < self.allowed:
            place = self._waiting.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)

    def replied(self, sent: float, *, work: float) -> None:
        """Learn from a good reply to a call `sent` then, which has left.

        `work` is what the call cost the server, in any unit that grows with reply and prompt.
        """
        if sent < self._lowered:
            return  # sent under another allowance
        if 2 * (self.in_flight + 1) >= self._limit and self._latency.add(
            self._clock() - sent, work, window=2 * self.allowed
        ):
            self._lower(max(self._limit * _EASED, min(self._limit, self.ceiling * _SLOWEST)))
        elif not self._latency.slow and self._limit < self.ceiling:
            self._limit = min(self.ceiling, self._limit + max(1.0, self.ceiling / _STEPS) / self._limit)

    def overloaded(self, sent: float) -> None:
        """Learn that the server had no room for a call sent then, before it leaves.

        Calls refused together lower the allowance once: those sent before it was lowered say nothing new.
        """
        if sent >= self._lowered:
            self._lower(min(self._limit, float(self.in_flight)) * _HALVED)

    def _lower(self, limit: float) -> None:
        self._limit = max(1.0, limit)
        self._lowered = self._clock()
        self._latency.restart()


_shared: weakref.WeakValueDictionary[str, Throttle] = weakref.WeakValueDictionary()


def throttle_of(server: str, ceiling: int) -> Throttle:
    """Return the one throttle of a server, which all backends of this process that talk to it share."""
    throttle = _shared.get(server)
    if throttle is None:
        throttle = _shared[server] = Throttle(ceiling)
    throttle.raise_ceiling(ceiling)
    return throttle
