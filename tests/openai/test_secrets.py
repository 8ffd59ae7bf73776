"""The key goes into one header and nowhere else."""

from __future__ import annotations

import asyncio
import logging
import pickle
import traceback

import msgspec
import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.errors import BackendError
from eigen_cli.api.inputs import AgentInputs
from eigen_cli.testing.openai_server import Fault, OpenAIServer, Refusal, serving_async
from eigen_openai.secret import Secret

KEY = "sk-live-4f9a1c7d2e"


def everything_said_by(error: BaseException) -> str:
    """Return all texts of an error and of the errors behind it, hidden ones included."""
    said, behind = [], [error]
    while behind:
        one = behind.pop()
        said += [str(one), repr(one), repr(vars(one)), "".join(traceback.format_exception(one))]
        behind += [other for other in (one.__cause__, one.__context__) if other is not None]
    return "\n".join(said)


def everything_kept_by(backend) -> str:
    """Return the representations of a backend and of all of our own objects it is made of, at any depth."""
    kept, seen, left = [], set(), [backend, backend.telemetry()]
    while left:
        one = left.pop()
        if id(one) in seen or not type(one).__module__.startswith(("eigen_", "builtins", "collections")):
            continue
        seen.add(id(one))
        kept.append(repr(one))
        left += getattr(one, "__dict__", {}).values()
        left += one.values() if isinstance(one, dict) else one if isinstance(one, (list, tuple, set)) else ()
    return "\n".join(kept)


def answering(body: bytes):
    return lambda _: body


@pytest.mark.parametrize(
    "server",
    [
        OpenAIServer(api_key="sk-another"),
        OpenAIServer(answering(b'{"error":{"message":"key %s is over its limit"}}' % KEY.encode())),
        OpenAIServer(answering(b'{"choices":[],"error":"%s"}' % KEY.encode())),
        OpenAIServer(faults=[Fault(kind="status", status=503, retry_after=f"0 {KEY}")]),
        OpenAIServer(faults=[Fault(kind="reset")]),
    ],
    ids=["401", "error-in-200", "empty-choices", "503", "reset"],
)
async def test_the_key_is_in_no_error_and_no_log(connect, ask_for, monkeypatch, caplog, capfd, server):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    async with serving_async(server) as url:
        backend = connect(url, max_retries=1)
        with pytest.raises(BackendError) as raised:
            await backend.complete(ask_for())
        said = everything_said_by(raised.value) + everything_kept_by(backend)
    assert "127.0.0.1" in said
    assert KEY not in said
    assert KEY not in caplog.text
    assert KEY not in "".join(capfd.readouterr())


async def test_the_key_is_nowhere_while_servers_are_lost_and_found(
    connect, ask_for, serve, monkeypatch, caplog, capfd, unused_tcp_port
):
    """Several servers, one gone, one that turns us away with our own key in its words: nothing kept or said has it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    server, url = await serve(lambda _: Refusal(429, b'{"error":{"message":"%s has no room"}}' % KEY.encode()))
    options = {"patience": 0.3, "requests_per_minute": 6000, "tokens_per_minute": 10**6}
    backend = connect(f"{url},http://127.0.0.1:{unused_tcp_port}/v1", options=options)
    await backend.start()
    with pytest.raises(BackendError, match=r"\[key\] has no room") as raised:
        await backend.complete(ask_for())
    assert len(server.log.requests) > 1
    said = everything_said_by(raised.value) + everything_kept_by(backend) + caplog.text + "".join(capfd.readouterr())
    assert "is lost" in said
    assert "Throttle" in said
    assert KEY not in said
    assert KEY[4:] not in said


async def test_the_server_really_repeated_the_key(connect, ask_for, monkeypatch):
    """Guards the test above: what it searches for was there to be found."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with serving_async(OpenAIServer(api_key="sk-another")) as url:
        with pytest.raises(BackendError, match=r"Incorrect API key provided: \[key\]"):
            await connect(url).complete(ask_for())


async def test_a_placeholder_key_does_not_eat_words(connect, ask_for, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    async with serving_async(OpenAIServer(lambda _: 'The "error" is EMPTY.')) as url:
        reply = await connect(url).complete(ask_for())
    assert reply.completion.text == 'The "error" is EMPTY.'


async def test_settings_can_be_written_down(connect, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    backend = connect("http://127.0.0.1:1/v1")
    assert KEY.encode() not in pickle.dumps(backend.settings)
    assert KEY not in repr(backend.settings)


def escaped(text, form):
    return "".join(form(character) for character in text)


ECHOES = {
    "whole": KEY,
    "without its start": KEY[3:],
    "without its end": KEY[:-4],
    "without either": KEY[2:-2],
    "json": escaped(KEY, lambda c: f"\\u{ord(c):04x}"),
    "json in json": escaped(KEY, lambda c: f"\\\\u{ord(c):04X}"),
    "one escape": KEY.replace("-", "\\u002d"),
    "percent": KEY.replace("-", "%2D"),
    "html": KEY.replace("-", "&#45;"),
    "html, hexadecimal": KEY.replace("-", "&#x2d;"),
    "many": f"{KEY}{KEY} {KEY}",
}
PART = KEY[6:16]
"""Of no use to a reader, and in every echo: what must be gone once the echo is masked."""


def chat(message, **top):
    choice = {"message": message, "finish_reason": "stop"}
    return msgspec.json.encode({"model": "offline", "choices": [choice], **top})


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
async def test_the_key_is_in_no_completion(connect, ask_for, monkeypatch, echo):
    """Whatever of a reply carries it: the text, in parts too, the thought, the model's name, a call."""
    monkeypatch.setenv("ANY_NAME", KEY)
    parts = [{"type": "text", "text": echo[:9]}, {"type": "text", "text": echo[9:]}]
    function = {"name": f"tool_{echo}", "arguments": msgspec.json.encode({"q": echo}).decode()}
    message = {"content": parts, "reasoning": f"I see {echo}.", "tool_calls": [{"id": echo, "function": function}]}
    body = chat(message, model=f"m-{echo}", eigen={"faults": [echo]})
    async with serving_async(OpenAIServer(answering(body))) as url:
        backend = connect(url, api_key_env="ANY_NAME", options={"simulated_inputs": True})
        reply = await backend.complete(ask_for(inputs=AgentInputs(Airline(), ())))
    completion = reply.completion
    (call,) = completion.tool_calls
    texts = completion.text, completion.reasoning, completion.model, call.id, call.name, call.arguments, *reply.faults
    assert len(texts) == 7
    for text in texts:
        assert "[key]" in text
        assert PART not in text
        assert escaped(PART, lambda c: f"u{ord(c):04x}") not in text.lower().replace("\\", "")
    assert completion.reasoning.startswith("I see ")
    assert msgspec.json.decode(call.arguments)["q"].startswith("[key]")


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
@pytest.mark.parametrize("status", [400, 401, 404, 503])
@pytest.mark.parametrize("shape", ['{"error":{"message":"bad %s"}}', '{"detail":[{"input":"%s"}]}', "<p>bad %s</p>"])
async def test_the_key_is_in_no_refusal_in_whatever_form(connect, ask_for, monkeypatch, echo, status, shape):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = OpenAIServer(lambda _: Refusal(status, (shape % echo).encode()))
    async with serving_async(server) as url:
        with pytest.raises(BackendError, match=str(status)) as raised:
            await connect(url, max_retries=0).complete(ask_for())
    said = everything_said_by(raised.value)
    assert "[key]" in said
    assert PART not in said
    assert echo not in said


async def test_the_key_is_not_behind_an_error_of_http_itself(connect, ask_for, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {KEY}\r\n\r\n".encode())
        writer.close()

    async with await asyncio.start_server(rude, "127.0.0.1", 0) as server:
        backend = connect(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", max_retries=0)
        with pytest.raises(BackendError, match="the connection broke") as raised:
            await backend.complete(ask_for())
    assert KEY not in everything_said_by(raised.value)


async def test_the_key_as_a_models_name_is_not_offered(connect, ask_for, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with serving_async(OpenAIServer(models=(KEY, "qwen"))) as url:
        with pytest.raises(BackendError, match=r"it offers: \[key\], qwen"):
            await connect(url).complete(ask_for())


@pytest.mark.parametrize(
    "text",
    ["sk-live is a prefix", KEY[:11], KEY[-10:], "100%25 \\u002d &#45; stays", '{"a": "\\u00e9\\n"}'],
)
def test_what_is_not_the_key_stays_as_written(text):
    assert Secret(KEY).masked(text) == text


@pytest.mark.parametrize("key", ["abcdefgh", "aaaaaaaa" * 4, "ab" * 30, "x" * 2000, "sk-" + "0123456789" * 7])
def test_long_parts_of_a_key_are_masked_and_short_ones_are_not(key):
    least = min(len(key), max(12, (len(key) + 1) // 2))
    for start in range(0, len(key) - least + 1, 7):
        assert Secret(key).masked(f"<{key[start : start + least]}>") == "<[key]>"
    assert Secret(key).masked(f"<{key[: least - 1]}>") == f"<{key[: least - 1]}>"
    assert Secret(key).masked(f"<{key}>") == "<[key]>"


def test_a_key_repeated_without_end_costs_linear_time():
    assert Secret(KEY).masked(f"{KEY} " * 100_000) == "[key] " * 100_000
