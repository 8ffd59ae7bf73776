"""How long to wait before another attempt, and when to give up."""

from __future__ import annotations

import email.utils
import math
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from eigen_openai.failures import AttemptFailedError, BrokenError, ConnectFailedError

T = TypeVar("T")

LONGEST_WAIT = 30.0
"""Seconds; the ceiling of our own exponential waits."""
LONGEST_RETRY_AFTER = 120.0
"""Seconds; a server that asks for a longer pause is asked again after this one."""
_WAIT_FOR_LOST = 1.0
"""Seconds at most before a call whose server was lost looks for another, or waits until it is found again."""


def retry_after_seconds(value: str | None, *, now: float | None = None) -> float | None:
    """Return the wait a `Retry-After` header asks for, capped; None if unreadable.

    RFC 9110, section 10.2.3: seconds or an HTTP date, which is taken against `now` (seconds since the epoch).
    """
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - (time.time() if now is None else now)
        except (ValueError, ArithmeticError, TypeError, LookupError, OSError):
            return None  # years, months and zones that the calendar, or the C library, has not
    if seconds != seconds:  # "nan" is a float to Python
        return None
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER)


class Retries:
    """Bounded retries of a backend's calls: exponential waits with full jitter, or the server's wait and a little more.

    The server's wait is never undercut; the jitter on top keeps callers that were turned away together from coming
    back together. More than `max_retries` failures end a call, with two exceptions, for how often one knocks at a
    closed door says nothing: broken connections do so only after `patience` seconds, absent servers only when they
    have been silent towards everybody for as long, or have turned this call away for `longest` seconds.
    """

    def __init__(
        self,
        max_retries: int,
        backoff: float,
        *,
        patience: float = 0.0,
        longest: float = math.inf,
        silent_since: Callable[[float], float] = lambda moment: time.monotonic() - moment,
    ) -> None:
        self._max_retries = max_retries
        self._backoff = backoff
        self._patience = patience
        self._longest = longest
        self._silent_since = silent_since
        self._exponential = wait_random_exponential(multiplier=backoff, max=LONGEST_WAIT)
        self._policy = AsyncRetrying(
            retry=retry_if_exception_type(AttemptFailedError), stop=self.is_over, wait=self.wait, reraise=True
        )

    async def __call__(self, attempt: Callable[[], Awaitable[T]]) -> tuple[T, int]:
        """Return what an attempt gave and how many failed before it; raise the last failure of too many."""
        # The first attempt goes without tenacity, whose bookkeeping costs 85 µs, a fifth of a call. If it fails, the
        # policy is told so as its own first attempt.
        try:
            return await attempt(), 0
        except AttemptFailedError as failed:
            unreported = [failed]

        async def report_then_attempt() -> T:
            if unreported:
                raise unreported.pop()
            return await attempt()

        policy = self._policy.copy()  # it carries state
        result: T = await policy(report_then_attempt)
        return result, policy.statistics["attempt_number"] - 1

    def is_over(self, state: RetryCallState) -> bool:
        """Return whether a failed attempt was the last."""
        if state.attempt_number <= self._max_retries:
            return False
        failure = state.outcome.exception() if state.outcome else None
        waited = time.monotonic() - state.start_time
        if isinstance(failure, BrokenError):
            return waited >= self._patience
        if not isinstance(failure, AttemptFailedError) or not failure.absent:
            return True
        return waited >= self._longest or self._silent_since(state.start_time) >= self._patience

    def wait(self, state: RetryCallState) -> float:
        """Return the seconds to wait after a failed attempt."""
        failure = state.outcome.exception() if state.outcome else None
        if isinstance(failure, ConnectFailedError):
            return random.uniform(0, min(self._backoff, _WAIT_FOR_LOST))
        if isinstance(failure, AttemptFailedError) and failure.retry_after is not None:
            return failure.retry_after + random.uniform(0, self._backoff)
        return self._exponential(state)
