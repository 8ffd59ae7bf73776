"""Requests and tokens a minute: never more, in order, corrected by what was really spent."""

from __future__ import annotations

import asyncio

import pytest

from eigen_openai.caps import Bucket, Caps


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def caps(clock: Clock, *, requests: float = 0, tokens: float = 0) -> Caps:
    return Caps(requests_per_minute=requests, tokens_per_minute=tokens, clock=clock)


@pytest.mark.parametrize("per_minute", [6, 60, 600])
def test_no_minute_has_more_than_its_share(per_minute):
    bucket = Bucket(per_minute, clock=Clock())
    moments = [bucket.take(1) for _ in range(3 * per_minute)]
    assert moments == sorted(moments)
    burst = max(1, per_minute // 60)
    assert moments[:burst] == [0.0] * burst
    for start in range(0, 120, 7):
        assert sum(start <= moment < start + 60 for moment in moments) <= per_minute + burst
    assert moments[-1] == pytest.approx(60 * (3 * per_minute - burst) / per_minute)


def test_a_pause_saves_up_no_more_than_a_second():
    clock = Clock()
    bucket = Bucket(600, clock=clock)
    clock.now = 1000
    assert [bucket.take(1) for _ in range(12)] == pytest.approx([0.0] * 10 + [0.1, 0.2])


def test_a_request_larger_than_the_bucket_passes_and_those_behind_it_pay():
    bucket = Bucket(6000, clock=Clock())
    assert bucket.take(1000) == 0
    assert bucket.take(10) == pytest.approx((1000 - 100 + 10) / 100)


def test_both_caps_hold():
    clock = Clock()
    both = caps(clock, requests=60, tokens=6000)
    assert both.reserve(10) == 0
    assert both.reserve(10) == pytest.approx(1.0), "the requests are fewer"
    assert both.reserve(2000) == pytest.approx(2.0)
    assert both.reserve(10) > 19, "the tokens are fewer"


def test_an_estimate_is_corrected_by_what_was_spent():
    clock = Clock()
    one = caps(clock, tokens=6000)
    assert one.reserve(100) == 0
    one.settle(100, 20)
    assert one.reserve(80) == 0
    one.settle(80, 380)
    assert one.reserve(0) == pytest.approx(3.0)


def test_replies_are_expected_to_be_as_long_as_those_before():
    one = caps(Clock(), tokens=6000)
    assert one.estimate(b"x" * 400, 4096) == 100 + 256
    assert one.estimate(b"x" * 400, 32) == 100 + 32
    for _ in range(100):
        one.settle(0, 0, replied=1000)
    assert one.estimate(b"", 4096) == pytest.approx(1000, rel=0.01)


async def test_who_is_cancelled_while_waiting_has_spent_nothing():
    clock = Clock()
    one = caps(clock, requests=60, tokens=6000)
    await one.enter(100)
    waiting = asyncio.create_task(one.enter(100))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    clock.now = 1.0
    assert one.reserve(100) == 0


async def test_every_role_has_its_caps_and_waits_do_not_hold_up_another(connect, ask_for, serve):
    """Six agents' calls at two a second take two and a half seconds; the users' calls are through long before."""
    server, url = await serve()
    backend = connect(url, options={"requests_per_minute": 120})
    done = []

    async def ask(role: str, turn: int) -> None:
        await backend.complete(ask_for(role=role, turn=turn))
        done.append(role)

    await asyncio.gather(*(ask("agent", turn) for turn in range(6)), *(ask("user", turn) for turn in range(2)))
    arrivals = [entry.arrived for entry in server.log.requests]
    assert max(arrivals) - min(arrivals) >= 1.9
    assert done.index("user") <= 4
    assert backend._exchanges._caps_of("agent") is not backend._exchanges._caps_of("user")
    assert len(done) == 8


async def test_failed_attempts_count_as_requests_and_cost_no_tokens(connect, ask_for, serve):
    from eigen_cli.testing.openai_server import Fault

    server, url = await serve(faults=[Fault(kind="status", status=429, nth=(1, 2, 3))])
    backend = connect(url, options={"requests_per_minute": 300, "tokens_per_minute": 60_000})
    await backend.complete(ask_for())
    arrivals = [entry.arrived for entry in server.log.requests]
    assert len(arrivals) == 4
    caps_of_agent = backend._exchanges._caps_of("agent")
    assert caps_of_agent.reserve(0) == pytest.approx(0.2, abs=0.2)
    assert caps_of_agent._tokens is not None
    assert caps_of_agent._tokens._level > 900
