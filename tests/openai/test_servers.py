"""Several servers: an episode stays where its prefix is cached, leaves a server that is lost, and returns with it."""

from __future__ import annotations

import asyncio
from collections import Counter

import msgspec
import pytest

from eigen_cli.api.backend import BackendSettings
from eigen_cli.api.errors import BackendUnreachableError, ConfigError
from eigen_cli.testing.openai_server import Fault, OpenAIServer, serving_async
from eigen_openai.backend import OpenAIBackend

TRACED = {"trace_header": True, "patience": 20}


def episode(request, number):
    """Return a request as if it belonged to another episode."""
    return msgspec.structs.replace(request.key, task=f"task-{number}")


def asks(ask_for, episodes, *, turns=3):
    """Return calls of many episodes, turn by turn, of both sides."""
    import dataclasses

    made = []
    for turn in range(turns):
        for number in range(episodes):
            request = ask_for(turn=turn, role=("agent", "user")[turn % 2], attempt=turn // 2)
            made.append(dataclasses.replace(request, key=episode(request, number)))
    return made


def episodes_of(server):
    return {entry.trace.split("/")[3] for entry in server.log.requests if entry.outcome == "answered"}


async def all_found(backend):
    """Wait until no server is lost."""
    async with asyncio.timeout(30):
        while backend._servers._lost:
            await asyncio.sleep(0.05)


async def ask_all(backend, requests):
    await asyncio.gather(*(backend.complete(request) for request in requests))


async def test_an_episode_stays_on_its_server_and_servers_share_the_work(connect, ask_for, serve):
    served = [await serve() for _ in range(3)]
    backend = connect(",".join(url for _, url in served), options=TRACED)
    await backend.start()
    await ask_all(backend, asks(ask_for, 60))
    shares = [episodes_of(server) for server, _ in served]
    assert sum(len(share) for share in shares) == len(set.union(*shares)) == 60
    assert min(len(share) for share in shares) >= 8
    assert len(backend.telemetry()) == 3
    assert sum(seen.total.calls for seen in backend.telemetry().values()) == 180


async def test_the_choice_does_not_depend_on_the_order_of_the_addresses(connect, ask_for, serve):
    first, second = await serve(), await serve()
    shares = []
    for served in ((first, second), (second, first)):
        for server, _ in served:
            server.log.requests.clear()
        await ask_all(connect(" , ".join(url for _, url in served), options=TRACED), asks(ask_for, 20, turns=1))
        shares.append((episodes_of(first[0]), episodes_of(second[0])))
    assert shares[0] == shares[1]
    assert all(shares[0])


async def test_only_the_episodes_of_a_lost_server_move_and_they_return_with_it(
    connect, ask_for, serve, unused_tcp_port
):
    (one, one_url), (two, two_url) = await serve(), await serve()
    mortal = OpenAIServer()
    async with serving_async(mortal, port=unused_tcp_port) as url:
        backend = connect(f"{one_url},{url},{two_url}", max_retries=1, options=TRACED)
        await backend.start()
        await ask_all(backend, asks(ask_for, 30))
        homes = [episodes_of(server) for server in (one, two, mortal)]
    for server in (one, two):
        server.log.requests.clear()
    await ask_all(backend, asks(ask_for, 30))
    assert episodes_of(one) | episodes_of(two) == set.union(*homes)
    assert homes[0] <= episodes_of(one)
    assert homes[1] <= episodes_of(two)
    assert not homes[1] & episodes_of(one)
    reborn = OpenAIServer()
    async with serving_async(reborn, port=unused_tcp_port):
        await all_found(backend)
        await ask_all(backend, asks(ask_for, 30))
    assert episodes_of(reborn) == homes[2]


async def test_a_server_that_is_not_there_at_the_start_is_used_once_it_is(connect, ask_for, serve, unused_tcp_port):
    there, url = await serve()
    backend = connect(f"http://127.0.0.1:{unused_tcp_port}/v1,{url}", options=TRACED)
    await backend.start()
    await ask_all(backend, asks(ask_for, 20, turns=1))
    assert len(episodes_of(there)) == 20
    late = OpenAIServer()
    async with serving_async(late, port=unused_tcp_port):
        await all_found(backend)
        await ask_all(backend, asks(ask_for, 20, turns=1))
    assert len(episodes_of(late)) >= 3


async def test_a_lost_server_is_found_however_busy_the_others_are(connect, ask_for, serve, unused_tcp_port):
    busy, url = await serve(faults=[Fault(kind="stall", seconds=60)])
    backend = connect(f"{url},http://127.0.0.1:{unused_tcp_port}/v1", concurrency=4, options=TRACED)
    await backend.start()
    calls = [asyncio.create_task(backend.complete(request)) for request in asks(ask_for, 12, turns=1)]
    while busy.log.in_flight < 4:
        await asyncio.sleep(0.01)
    async with serving_async(OpenAIServer(), port=unused_tcp_port):
        await all_found(backend)
    assert busy.log.in_flight == busy.log.max_in_flight == 4
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)


async def test_none_there_at_the_start_is_unreachable(connect, unused_tcp_port_factory):
    backend = connect(",".join(f"http://127.0.0.1:{unused_tcp_port_factory()}/v1" for _ in range(2)), options=TRACED)
    with pytest.raises(BackendUnreachableError, match=r"no answer from 127\.0\.0\.1:.*no connection"):
        await backend.start()


async def test_a_server_that_refuses_our_key_is_no_lost_server(connect, serve):
    _, good = await serve()
    _, picky = await serve(api_key="sk-other")
    with pytest.raises(BackendUnreachableError, match=r"refuses us \(401\)"):
        await connect(f"{good},{picky}").start()


@pytest.mark.parametrize(
    "fault",
    [Fault(kind="status", status=500), Fault(kind="reset"), Fault(kind="stall", seconds=30)],
    ids=lambda f: f.kind,
)
async def test_a_call_that_fails_at_home_is_made_elsewhere(connect, ask_for, serve, fault):
    """Whatever is wrong with one server, that it times out on everything even, two are enough."""
    (sick, sick_url), (well, well_url) = await serve(faults=[fault]), await serve()
    backend = connect(f"{sick_url},{well_url}", max_retries=1, timeout=1.0, options=TRACED)
    requests = asks(ask_for, 24, turns=1)
    await ask_all(backend, requests)
    assert episodes_of(well) == {f"task-{number}" for number in range(24)}
    assert episodes_of(sick) == set()
    homeless = len(sick.log.requests)
    assert homeless >= 4
    await ask_all(backend, asks(ask_for, 24, turns=1))
    assert len(sick.log.requests) == homeless, "five failures in a row, and it is left out for a while"


async def test_all_gone_for_longer_than_the_patience_is_the_end(connect, ask_for, serve):
    servers = [OpenAIServer(), OpenAIServer()]
    async with serving_async(servers[0]) as one, serving_async(servers[1]) as other:
        backend = connect(f"{one},{other}", options={"patience": 0.5})
        await backend.start()
        await ask_all(backend, asks(ask_for, 6, turns=1))
    with pytest.raises(BackendUnreachableError, match=r"no good reply from 127.*, 127.* in 0\.5 s"):
        await backend.complete(ask_for())


async def test_backends_share_a_servers_throttle_and_nothing_else(ask_for, serve):
    server, url = await serve(latency=0.02)
    settings = BackendSettings(base_url=url, model="offline", concurrency=4)
    one, other = OpenAIBackend(settings), OpenAIBackend(settings)
    await asyncio.gather(*(backend.complete(ask_for(turn=t)) for t in range(20) for backend in (one, other)))
    assert server.log.max_in_flight == 4
    for backend in (one, other):
        ((_, seen),) = backend.telemetry().items()
        assert seen.total.calls == 20
        await backend.close()


async def test_closing_ends_the_search_for_lost_servers(connect, serve, unused_tcp_port):
    _, url = await serve()
    backend = connect(f"{url},http://127.0.0.1:{unused_tcp_port}/v1")
    await backend.start()
    await backend.close()
    assert [task.get_name() for task in asyncio.all_tasks() if "look_for" in repr(task)] == []


@pytest.mark.parametrize("urls", [",", "http://a/v1,nonsense", "http://a/v1,http://me:secret@b/v1"])
def test_every_address_is_checked(urls):
    with pytest.raises(ConfigError) as raised:
        OpenAIBackend(BackendSettings(base_url=urls, model="m"))
    assert "secret" not in str(raised.value)


def test_the_same_address_twice_is_one_server():
    backend = OpenAIBackend(BackendSettings(base_url="http://a/v1,http://a/v1/,http://b/v1", model="m"))
    assert Counter(endpoint.host for endpoint in backend._servers.endpoints) == {"a": 1, "b": 1}
