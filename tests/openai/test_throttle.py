"""The throttle: never more than its ceiling, less under load, soon back, and never in the way of a healthy server."""

from __future__ import annotations

import asyncio

import pytest

from eigen_openai.throttle import Latency, Throttle, throttle_of


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def calls(throttle: Throttle, clock: Clock, count: int, *, seconds: float = 1.0, work: float = 100.0) -> None:
    """Pass so many good calls, always as many at once as are allowed."""
    while count > 0:
        sent = [await throttle.admitted() for _ in range(min(throttle.allowed, count))]
        clock.now += seconds
        for moment in sent:
            throttle.left()
            throttle.replied(moment, work=work)
        count -= len(sent)


async def test_as_many_as_allowed_pass_and_the_rest_in_order():
    throttle, passed = Throttle(2), []

    async def call(number: int) -> None:
        await throttle.admitted()
        passed.append(number)

    tasks = [asyncio.create_task(call(number)) for number in range(5)]
    await asyncio.sleep(0)
    assert (passed, throttle.in_flight, throttle.waiting) == ([0, 1], 2, 3)
    for expected in ([0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]):
        throttle.left()
        await asyncio.sleep(0)
        assert passed == expected
        assert throttle.in_flight == 2
    await asyncio.gather(*tasks)


async def test_who_gives_up_waiting_loses_nobodys_place():
    throttle = Throttle(1)
    await throttle.admitted()
    waiting = [asyncio.create_task(throttle.admitted()) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.sleep(0)
    throttle.left()
    waiting[1].cancel()  # in the very moment in which it was given the place
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert waiting[2].done()
    assert (throttle.in_flight, throttle.waiting) == (1, 0)
    throttle.left()
    assert throttle.in_flight == 0


async def test_calls_refused_together_halve_the_allowance_once(clock):
    throttle = Throttle(64, clock=clock)
    sent = [await throttle.admitted() for _ in range(64)]
    clock.now += 1
    for moment in sent:
        throttle.overloaded(moment)
    assert throttle.allowed == 32
    clock.now += 1
    throttle.overloaded(clock.now)
    assert throttle.allowed == 16
    for _ in range(20):
        throttle.overloaded(clock.now)
        clock.now += 1
    assert throttle.allowed == 1, "one call may always be tried"


async def test_what_is_halved_is_what_was_in_use(clock):
    throttle = Throttle(64, clock=clock)
    sent = [await throttle.admitted() for _ in range(8)]
    throttle.overloaded(sent[0])
    assert throttle.allowed == 4


async def test_good_replies_give_the_allowance_back_step_by_step(clock):
    throttle = Throttle(64, clock=clock)
    for _ in range(10):
        throttle.overloaded(await throttle.admitted())
        throttle.left()
        clock.now += 1
    assert throttle.allowed == 1
    seen = []
    for _ in range(20):
        await calls(throttle, clock, throttle.allowed)
        seen.append(throttle.allowed)
    assert seen == sorted(seen)
    assert seen[3] <= 20, "not all at once"
    assert seen[17] == seen[19] == 64, "and no further"


async def test_a_reply_to_a_call_sent_before_the_fall_raises_nothing(clock):
    throttle = Throttle(8, clock=clock)
    early = await throttle.admitted()
    clock.now += 1
    throttle.overloaded(await throttle.admitted())
    allowed = throttle.allowed
    for _ in range(50):
        throttle.replied(early, work=1)
    assert throttle.allowed == allowed


async def test_a_slower_server_gets_less_and_no_less_than_a_quarter(clock):
    throttle = Throttle(64, clock=clock)
    await calls(throttle, clock, 600)
    assert throttle.allowed == 64
    await calls(throttle, clock, 192, seconds=10)
    assert throttle.allowed == 51
    await calls(throttle, clock, 1500, seconds=10)
    assert throttle.allowed == 16
    await calls(throttle, clock, 3000)
    assert throttle.allowed == 64


async def test_a_server_that_stays_slow_is_in_the_end_taken_as_it_is(clock):
    throttle = Throttle(32, clock=clock)
    await calls(throttle, clock, 300)
    await calls(throttle, clock, 200, seconds=5)
    assert throttle.allowed < 32
    await calls(throttle, clock, 40 * 64, seconds=5)
    assert throttle.allowed == 32


@pytest.mark.parametrize(
    ("seconds", "work"),
    [(10.0, 1000.0), (1.0, 10.0), (2.5, 100.0)],
    ids=["longer replies", "shorter replies at the same latency", "two and a half times slower"],
)
async def test_other_work_is_no_slowness(clock, seconds, work):
    throttle = Throttle(64, clock=clock)
    await calls(throttle, clock, 600)
    await calls(throttle, clock, 1000, seconds=seconds, work=work)
    assert throttle.allowed == 64


async def test_what_an_idle_server_could_do_is_no_measure(clock):
    """A planner's lone calls are fast; the batch that follows is slower for everybody, and as it should be."""
    throttle = Throttle(64, clock=clock)
    for _ in range(200):
        sent = await throttle.admitted()
        clock.now += 0.1
        throttle.left()
        throttle.replied(sent, work=100)
    await calls(throttle, clock, 1000, seconds=5)
    assert throttle.allowed == 64


def test_few_calls_are_no_evidence():
    latency = Latency()
    for _ in range(Latency.LEAST):
        latency.add(1.0, 10, window=1)
    assert [latency.add(100.0, 10, window=1) for _ in range(Latency.LEAST)] == [False] * (Latency.LEAST - 1) + [True]


def test_a_server_has_one_throttle_as_large_as_the_largest_wish():
    one, other = throttle_of("http://a/v1 KEY", 8), throttle_of("http://a/v1 KEY", 32)
    assert one is other
    assert one.ceiling == one.allowed == 32
    assert throttle_of("http://a/v1 KEY", 4).ceiling == 32
    assert throttle_of("http://a/v1 OTHER_KEY", 4).ceiling == 4
