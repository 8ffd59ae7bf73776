"""Weather: servers without room, that break off, or stand still for a while; and what becomes of calls and run."""

from __future__ import annotations

import asyncio
import time

import pytest

from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_cli.testing.openai_server import Fault, Refusal

PATIENT = {"patience": 20, "backoff": 0.02}


class Roomy:
    """A server with room for so many calls at once, which turns the others away."""

    def __init__(self, room: int) -> None:
        self.room, self.inside, self.most = room, 0, 0

    async def __call__(self, request):
        if self.inside >= self.room:
            return Refusal(429, b'{"error":{"message":"too many requests"}}')
        self.inside += 1
        self.most = max(self.most, self.inside)
        await asyncio.sleep(0.03)
        self.inside -= 1
        return "served"


async def test_a_server_with_little_room_is_soon_sent_what_it_has_room_for(connect, ask_for, serve):
    server, url = await serve(Roomy(6))
    backend = connect(url, concurrency=64, max_retries=2, options=PATIENT)
    replies = await asyncio.gather(*(backend.complete(ask_for(turn=turn)) for turn in range(300)))
    assert {reply.completion.text for reply in replies} == {"served"}
    turned_away = [entry.outcome == "refused 429" for entry in server.log.requests]
    assert sum(turned_away[:64]) == 58
    assert sum(turned_away[64:]) < 3 * 236, "it is not stormed for ever"
    late = [entry.in_flight for entry in server.log.requests[-100:]]
    assert max(late) <= 20, "far below the 64 that are allowed"


@pytest.mark.parametrize("retry_after", [None, 0.05], ids=["without Retry-After", "with Retry-After"])
async def test_a_storm_costs_time_and_no_calls(connect, ask_for, serve, retry_after):
    """Everybody is turned away for a second: no number of retries, only the patience, is enough."""
    server, url = await serve(faults=[Fault(kind="status", status=429, retry_after=retry_after)])
    backend = connect(url, concurrency=16, max_retries=0, options=PATIENT)
    calls = [asyncio.create_task(backend.complete(ask_for(f"{turn}", turn=turn))) for turn in range(40)]
    await asyncio.sleep(1.0)
    assert not any(call.done() for call in calls)
    server.set_faults([])
    replies = await asyncio.gather(*calls)
    assert len(replies) == 40
    assert sum(reply.usage.retries for reply in replies) > 40
    assert server.log.answered_twice() == {}


async def test_a_storm_that_does_not_end_ends_the_run_and_not_its_calls(connect, ask_for, serve):
    _, url = await serve(faults=[Fault(kind="status", status=429)])
    with pytest.raises(BackendUnreachableError, match=r"no good reply from .* in 0\.3 s; the last: 429: on command"):
        await connect(url, max_retries=0, options={"patience": 0.3}).complete(ask_for())


async def test_a_server_that_serves_others_is_no_lost_server(connect, ask_for, serve):
    """One call is turned away again and again while others are answered: it fails alone, and not before its time."""

    def answer(request):
        return Refusal(429) if "unlucky" in request.chat.messages()[-1]["content"] else "fine"

    _, url = await serve(answer)
    backend = connect(url, max_retries=0, timeout=0.6, options={"patience": 0.3})
    started = time.monotonic()
    unlucky = asyncio.create_task(backend.complete(ask_for("unlucky")))
    while not unlucky.done():
        await backend.complete(ask_for("another"))
        await asyncio.sleep(0.02)
    with pytest.raises(BackendError, match="the last: 429") as raised:
        await unlucky
    assert not isinstance(raised.value, BackendUnreachableError)
    assert time.monotonic() - started >= 0.6


async def test_half_of_all_requests_reset_costs_no_call(connect, ask_for, serve):
    server, url = await serve(faults=[Fault(kind="reset", rate=0.5, seed=2)])
    backend = connect(url, max_retries=1, options=PATIENT)
    replies = await asyncio.gather(*(backend.complete(ask_for(f"{turn}", turn=turn)) for turn in range(100)))
    assert [reply.completion.text for reply in replies] == [f"{turn}" for turn in range(100)]
    assert max(reply.usage.retries for reply in replies) > 2, "some met more resets than they have retries"
    assert server.log.answered_twice() == {}


async def test_a_request_that_always_breaks_its_connection_fails_alone(connect, ask_for, serve):
    _, url = await serve(faults=[Fault(kind="reset", after=1)])
    backend = connect(url, max_retries=1, options={"patience": 0.0})
    await backend.complete(ask_for())
    with pytest.raises(BackendError, match=r"in 2 attempts; the last: the connection broke") as raised:
        await backend.complete(ask_for())
    assert not isinstance(raised.value, BackendUnreachableError)


async def test_a_server_that_stands_still_is_asked_again_and_then_given_up(connect, ask_for, serve):
    """What is left of the sixty seconds' stall: the timeout is a setting, and here it is short."""
    server, url = await serve(faults=[Fault(kind="stall", seconds=60)])
    backend = connect(url, max_retries=1, timeout=0.3, options=PATIENT)
    with pytest.raises(BackendError, match=r"in 2 attempts; the last: no full reply within 0\.3 s") as raised:
        await backend.complete(ask_for())
    assert not isinstance(raised.value, BackendUnreachableError)
    assert [entry.outcome for entry in server.log.requests][:1] == ["abandoned"]
    ((_, seen),) = backend.telemetry().items()
    assert (seen.total.calls, seen.total.retries, seen.total.failures) == (0, 1, 1)


async def test_calls_that_time_out_lower_what_is_sent(connect, ask_for, serve):
    _, url = await serve(faults=[Fault(kind="stall", seconds=60, nth=tuple(range(1, 9)))])
    backend = connect(url, concurrency=8, timeout=0.3, options=PATIENT)
    replies = await asyncio.gather(*(backend.complete(ask_for(turn=turn)) for turn in range(8)))
    assert sum(reply.usage.retries for reply in replies) == 8
    assert backend._servers.endpoints[0].throttle.allowed < 8
