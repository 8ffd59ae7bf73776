"""Reaching a server: what is wrong with it, its address or our key is said at once and by name."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
import tracemalloc
import zlib

import pytest

from eigen_cli.api.backend import BackendSettings
from eigen_cli.api.errors import BackendError, BackendUnreachableError, ConfigError
from eigen_cli.testing.openai_server import OpenAIServer, Refusal, serving_async
from eigen_openai.backend import OpenAIBackend
from eigen_openai.endpoint import MOST_BYTES


@pytest.fixture
def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("ask", ["start", "complete"])
async def test_a_server_that_is_down(connect, ask_for, free_port, ask):
    backend = connect(f"http://127.0.0.1:{free_port}/v1", connect_timeout=2.0)
    started = time.monotonic()
    with pytest.raises(BackendUnreachableError, match=f"no answer from 127.0.0.1:{free_port}: no connection") as raised:
        await (backend.start() if ask == "start" else backend.complete(ask_for()))
    assert time.monotonic() - started < 2.0
    assert "--base-url" in raised.value.hint


@pytest.mark.parametrize("ask", ["start", "complete"])
async def test_a_host_that_drops_every_packet(connect, ask_for, ask):
    """A full accept queue on loopback behaves as a firewall does: the handshake is never answered."""
    with socket.socket() as deaf, socket.socket() as first, socket.socket() as second:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(deaf.getsockname())
        await asyncio.sleep(0.05)
        backend = connect(f"http://127.0.0.1:{deaf.getsockname()[1]}/v1", connect_timeout=0.4)
        started = time.monotonic()
        with pytest.raises(BackendUnreachableError, match="no answer from"):
            await (backend.start() if ask == "start" else backend.complete(ask_for()))
        assert 0.3 < time.monotonic() - started < 5.0


async def test_a_server_that_accepts_and_says_nothing_is_not_waited_for_at_the_start(connect):
    with socket.create_server(("127.0.0.1", 0)) as mute:
        backend = connect(f"http://127.0.0.1:{mute.getsockname()[1]}/v1", connect_timeout=0.3, timeout=600)
        with pytest.raises(BackendUnreachableError, match=r"nothing within 0\.3 s"):
            await backend.start()


async def test_a_host_that_does_not_exist(connect):
    with pytest.raises(BackendUnreachableError, match="no answer from no-such-host"):
        await connect("http://no-such-host.invalid/v1").start()


async def test_a_server_lost_on_the_way_is_waited_for_and_then_named(connect, ask_for):
    server = OpenAIServer()
    async with serving_async(server) as url:
        backend = connect(url, max_retries=0, options={"patience": 0.4})
        await backend.start()
        assert (await backend.complete(ask_for("hello"))).completion.text == "hello"
    started = time.monotonic()
    with pytest.raises(
        BackendUnreachableError, match=r"no good reply from 127.* in 0\.4 s; the last: no conn"
    ) as raised:
        await backend.complete(ask_for("hello"))
    assert time.monotonic() - started >= 0.4
    assert "the same command again" in raised.value.hint
    with pytest.raises(BackendUnreachableError):  # nobody waits anew for what is known to be gone
        await asyncio.wait_for(backend.complete(ask_for("hello")), 0.3)


async def test_a_server_that_comes_back_is_found_again_however_few_the_retries(connect, ask_for, free_port):
    async with serving_async(OpenAIServer(), port=free_port) as url:
        backend = connect(url, max_retries=0, options={"patience": 20})
        await backend.start()
    call = asyncio.create_task(backend.complete(ask_for("hello")))
    await asyncio.sleep(0.1)
    async with serving_async(OpenAIServer(), port=free_port):
        reply = await call
    assert reply.completion.text == "hello"
    assert reply.usage.retries >= 1


async def test_a_wrong_key_is_refused_at_the_start_and_at_a_call(connect, ask_for, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-wrong-key-0123456789")
    async with serving_async(OpenAIServer(api_key="sk-right")) as url:
        backend = connect(url, api_key_env="MY_KEY")
        for asking in (backend.start(), backend.complete(ask_for())):
            with pytest.raises(BackendUnreachableError, match=r"refuses us \(401\)") as raised:
                await asking
            assert "MY_KEY, which is set" in raised.value.hint


async def test_a_missing_key_is_named(connect):
    async with serving_async(OpenAIServer(api_key="sk-right")) as url:
        with pytest.raises(BackendUnreachableError) as raised:
            await connect(url).start()
    assert "OPENAI_API_KEY, which is not set" in raised.value.hint


async def test_the_right_key_opens(connect, ask_for, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", " sk-right\n")
    async with serving_async(OpenAIServer(api_key="sk-right")) as url:
        backend = connect(url)
        await backend.start()
        assert (await backend.complete(ask_for("hello"))).completion.text == "hello"


async def test_an_unknown_model_gets_the_list_of_those_offered(connect, ask_for):
    async with serving_async(OpenAIServer(models=("qwen", "llama"))) as url:
        with pytest.raises(BackendError, match="does not offer the model offline; it offers: qwen, llama") as raised:
            await connect(url).complete(ask_for())
    assert not isinstance(raised.value, BackendUnreachableError)


async def test_a_wrong_path_is_told_from_a_wrong_model(connect, ask_for):
    async with serving_async(OpenAIServer()) as url:
        backend = connect(url.removesuffix("/v1"))
        await backend.start()
        with pytest.raises(BackendError, match="404") as raised:
            await backend.complete(ask_for())
    assert "/v1" in raised.value.hint


async def test_an_account_without_quota_is_not_asked_again(connect, ask_for):
    refusal = Refusal(429, b'{"error":{"message":"pay first","code":"insufficient_quota"}}')
    server = OpenAIServer(lambda _: refusal)
    async with serving_async(server) as url:
        with pytest.raises(BackendUnreachableError, match="pay first"):
            await connect(url).complete(ask_for())
    assert len(server.log.requests) == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"base_url": ""}, "needs the address"),
        ({"model": ""}, "needs a model"),
        ({"base_url": "127.0.0.1:8000/v1"}, "not an http"),
        ({"base_url": "http://"}, "not an http"),
        ({"base_url": "http://host:notaport/v1"}, "not an http"),
        ({"base_url": "http://me:secret@host/v1"}, "carries credentials"),
        ({"options": {"backof": 1}}, "backof"),
        ({"options": {"trace_header": "perhaps"}}, "trace_header"),
    ],
)
def test_wrong_settings_are_refused_at_once(settings, said):
    with pytest.raises(ConfigError, match=said) as raised:
        OpenAIBackend(BackendSettings(**({"base_url": "http://127.0.0.1:1/v1", "model": "m"} | settings)))
    assert raised.value.hint
    assert "secret" not in str(raised.value) + raised.value.hint


async def test_a_query_in_the_address_stays_where_it_belongs(connect, ask_for):
    async with serving_async(OpenAIServer()) as url:
        reply = await connect(f"{url}/?api-version=7").complete(ask_for("hello"))
    assert reply.completion.text == "hello"


async def test_a_reply_without_end_is_cut_off(connect, ask_for):
    """A server that streams for ever costs its retries, not the machine's memory."""
    sent = 0

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
        try:
            while True:
                writer.write(b" " * 2**20)
                await writer.drain()
                sent += 1
        except OSError:
            writer.close()

    async with await asyncio.start_server(endless, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        backend = connect(f"http://127.0.0.1:{port}/v1", max_retries=1)
        with pytest.raises(BackendError, match=f"larger than {MOST_BYTES >> 20} MiB"):
            await backend.complete(ask_for())
    assert sent < 4 * (MOST_BYTES >> 20)


async def test_a_packed_reply_is_measured_unpacked(connect, ask_for):
    """400 MB of zeros travel as 400 kB; what they unpack to is cut off like any other reply."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = b"".join(packer.compress(bytes(2**20)) for _ in range(400)) + packer.flush()
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(packed)

    async def bomb(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head + packed)
        with contextlib.suppress(OSError):
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(bomb, "127.0.0.1", 0) as server:
        backend = connect(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", max_retries=0)
        tracemalloc.start()
        try:
            with pytest.raises(BackendError, match=f"larger than {MOST_BYTES >> 20} MiB"):
                await backend.complete(ask_for())
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert len(packed) < 2**20
    assert peak < 3 * MOST_BYTES


@pytest.mark.parametrize("key", ["sk-one\nX-Admin: yes", "sk-\x00zero", "sk-\udcff\udcfe", "sk-\x7fdel", "schlüssel-1"])
def test_a_key_that_is_no_header_is_refused_by_the_name_of_its_variable(monkeypatch, key):
    monkeypatch.setattr(os, "environ", {"MY_KEY": key})
    with pytest.raises(ConfigError, match="the key in MY_KEY") as raised:
        OpenAIBackend(BackendSettings(base_url="http://127.0.0.1:1/v1", model="m", api_key_env="MY_KEY"))
    assert key[:3] not in str(raised.value) + raised.value.hint
