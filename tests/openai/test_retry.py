"""Waits: the server's wish, and our own jitter."""

from __future__ import annotations

import asyncio
import email.utils

import pytest
from tenacity import AsyncRetrying, Future, RetryCallState

from eigen_openai.failures import AttemptFailedError, BrokenError, ConnectFailedError, TimedOutError
from eigen_openai.retry import LONGEST_RETRY_AFTER, Retries, retry_after_seconds

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("2", 2.0),
        ("0.05", 0.05),
        ("-3", 0.0),
        ("nan", None),
        ("soon", None),
        ("86400", LONGEST_RETRY_AFTER),
        ("inf", LONGEST_RETRY_AFTER),
        ("9" * 5000, LONGEST_RETRY_AFTER),
        (f"1 Jan {'9' * 30} 00:00:00 GMT", None),
        ("Fri, 31 Dec 9999 23:59:59 -2359", LONGEST_RETRY_AFTER),
        ("Fri, 31 Dec 9999 23:59:59 -0000", LONGEST_RETRY_AFTER),
        ("Mon, 01 Jan 2024 00:00:00 +99999999999", None),
        ("Mon, 01 Jan 2024 00:00:00 +x1", LONGEST_RETRY_AFTER),
        ("Mon, 01 Jan 2024 99:99:99 GMT", None),
        (email.utils.formatdate(NOW + 7, usegmt=True), 7.0),
        (email.utils.formatdate(NOW - 7, usegmt=True), 0.0),
        (email.utils.formatdate(NOW + 86_400, usegmt=True), LONGEST_RETRY_AFTER),
    ],
)
def test_retry_after(header, seconds):
    assert retry_after_seconds(header, now=NOW) == seconds


def waits(failure: Exception, attempt: int, *, backoff: float = 0.5) -> list[float]:
    retries = Retries(9, backoff)
    state = RetryCallState(AsyncRetrying(), None, (), {})
    state.attempt_number = attempt
    state.outcome = Future.construct(attempt, failure, has_exception=True)
    return [retries.wait(state) for _ in range(200)]


@pytest.mark.parametrize(("attempt", "ceiling"), [(1, 0.5), (2, 1.0), (4, 4.0), (12, 30.0)])
def test_own_waits_double_and_spread_from_zero_to_their_ceiling(attempt, ceiling):
    drawn = waits(AttemptFailedError("500"), attempt)
    assert 0 <= min(drawn) < 0.2 * ceiling
    assert 0.8 * ceiling < max(drawn) <= ceiling


def test_the_servers_wait_is_never_undercut():
    drawn = waits(AttemptFailedError("429", retry_after=7.0), 1)
    assert 7.0 <= min(drawn) < max(drawn) <= 7.5


def test_who_has_lost_the_server_looks_for_it_within_a_second():
    assert max(waits(ConnectFailedError("refused"), 9, backoff=8.0)) <= 1.0


TURNED_AWAY = AttemptFailedError("429", absent=True)
OVER = [
    # failure, attempt, seconds since the first, seconds without a good reply to anybody: is it over?
    (AttemptFailedError("500"), 3, 0, 0, False),
    (AttemptFailedError("500"), 4, 0, 0, True),
    (TimedOutError("600 s"), 4, 0, 0, True),
    (BrokenError("reset"), 99, 89, 89, False),
    (BrokenError("reset"), 3, 91, 0, False),
    (BrokenError("reset"), 4, 91, 0, True),
    (TURNED_AWAY, 99, 89, 89, False),
    (TURNED_AWAY, 99, 599, 5, False),
    (TURNED_AWAY, 99, 601, 5, True),
    (TURNED_AWAY, 4, 91, 91, True),
    (TURNED_AWAY, 3, 91, 91, False),
    (ConnectFailedError("refused"), 4, 91, 91, True),
    (ConnectFailedError("refused"), 99, 91, 1, False),
]


@pytest.mark.parametrize(("failure", "attempt", "since_first", "silent", "over"), OVER)
def test_when_a_call_is_given_up(failure, attempt, since_first, silent, over):
    retries = Retries(3, 0.5, patience=90, longest=600, silent_since=lambda _: silent)
    state = RetryCallState(AsyncRetrying(), None, (), {})
    state.attempt_number = attempt
    state.start_time -= since_first
    state.outcome = Future.construct(attempt, failure, has_exception=True)
    assert retries.is_over(state) is over


class Failing:
    """Fails so many times, then answers."""

    def __init__(self, failures: int, error: type[Exception] = AttemptFailedError) -> None:
        self.calls, self.failures, self.error = 0, failures, error

    async def __call__(self) -> str:
        self.calls += 1
        if self.calls <= self.failures:
            raise self.error(f"attempt {self.calls}")
        return f"attempt {self.calls}"


@pytest.mark.parametrize("failures", [0, 1, 2, 3])
async def test_failed_attempts_are_counted(failures):
    attempt = Failing(failures)
    assert await Retries(3, 0.0)(attempt) == (f"attempt {failures + 1}", failures)
    assert attempt.calls == failures + 1


@pytest.mark.parametrize("max_retries", [0, 1, 3])
async def test_the_last_failure_is_raised_after_the_retries(max_retries):
    attempt = Failing(99)
    with pytest.raises(AttemptFailedError, match=f"attempt {max_retries + 1}$"):
        await Retries(max_retries, 0.0)(attempt)
    assert attempt.calls == max_retries + 1


async def test_other_errors_are_not_retried():
    attempt = Failing(99, KeyError)
    with pytest.raises(KeyError):
        await Retries(5, 0.0)(attempt)
    assert attempt.calls == 1


async def test_calls_that_retry_at_once_do_not_share_their_counts():
    retries = Retries(9, 0.0)
    results = await asyncio.gather(*(retries(Failing(failures)) for failures in range(8)))
    assert [failed for _, failed in results] == list(range(8))
