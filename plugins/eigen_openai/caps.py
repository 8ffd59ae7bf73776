"""What a role may ask of a server in a minute: requests, and tokens, counted as one goes and corrected afterwards."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

_MINUTE = 60.0
_BYTES_A_TOKEN = 4
_FIRST_GUESS = 256
"""Tokens expected of a role's replies before there was one."""
_WEIGHT = 0.1
"""How much the newest reply counts in the length expected of the next."""


class Bucket:
    """Refills evenly with `per_minute` units and holds a second's worth, one at least.

    Whoever takes more than there is goes into debt and waits until it would have been refilled: so a request larger
    than the bucket is not refused, and those behind it pay. In no minute is more taken than `per_minute`, what the
    bucket holds, and one request.
    """

    def __init__(self, per_minute: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_minute / _MINUTE
        self._holds = max(1.0, self._rate)
        self._level = self._holds
        self._clock = clock
        self._filled = clock()

    def take(self, units: float) -> float:
        """Take units now; return the seconds to wait before using them. Takers are served in order."""
        now = self._clock()
        self._level = min(self._holds, self._level + (now - self._filled) * self._rate)
        self._filled = now
        missing = min(units, self._holds) - self._level
        self._level -= units
        return max(0.0, missing / self._rate)

    def give_back(self, units: float) -> None:
        """Return what was taken in vain; negative units are taken after all."""
        self._level += units


class Caps:
    """One role's caps. A request is counted in full before it is sent, and by its true tokens once they are known."""

    def __init__(
        self,
        *,
        requests_per_minute: float | None,
        tokens_per_minute: float | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._requests = Bucket(requests_per_minute, clock=clock) if requests_per_minute else None
        self._tokens = Bucket(tokens_per_minute, clock=clock) if tokens_per_minute else None
        self._reply_tokens = float(_FIRST_GUESS)

    def estimate(self, body: bytes, max_tokens: int) -> float:
        """Return the tokens a request will probably take: its bytes by four, and a reply like those before."""
        return len(body) / _BYTES_A_TOKEN + min(self._reply_tokens, max_tokens)

    def reserve(self, tokens: float) -> float:
        """Count a request of so many tokens; return the seconds until it may be sent."""
        waits = [bucket.take(units) for bucket, units in ((self._requests, 1.0), (self._tokens, tokens)) if bucket]
        return max(waits, default=0.0)

    async def enter(self, tokens: float) -> None:
        """Wait until a request of so many tokens may be sent. One that is cancelled meanwhile costs nothing."""
        wait = self.reserve(tokens)
        if wait > 0:
            try:
                await asyncio.sleep(wait)
            except asyncio.CancelledError:
                if self._requests:
                    self._requests.give_back(1.0)
                self.settle(tokens, 0)
                raise

    def settle(self, estimated: float, spent: float, *, replied: float | None = None) -> None:
        """Correct an estimate by the tokens a request really took, of which `replied` were its reply's."""
        if self._tokens:
            self._tokens.give_back(estimated - spent)
        if replied is not None:
            self._reply_tokens += _WEIGHT * (replied - self._reply_tokens)
