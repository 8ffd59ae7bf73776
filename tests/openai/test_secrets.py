"""The key goes into one header and nowhere else."""

from __future__ import annotations

import logging
import pickle
import traceback

import pytest

from eigen_cli.api.errors import BackendError
from eigen_cli.testing.openai_server import Fault, OpenAIServer, serving_async

KEY = "sk-live-4f9a1c7d2e"


def everything_said_by(error: BaseException) -> str:
    """Return all texts of an error and of the errors behind it, hidden ones included."""
    said, behind = [], [error]
    while behind:
        one = behind.pop()
        said += [str(one), repr(one), repr(vars(one)), "".join(traceback.format_exception(one))]
        behind += [other for other in (one.__cause__, one.__context__) if other is not None]
    return "\n".join(said)


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
        said = everything_said_by(raised.value) + repr(backend) + repr(vars(backend)) + repr(vars(backend._endpoint))
    assert "127.0.0.1" in said
    assert KEY not in said
    assert KEY not in caplog.text
    assert KEY not in "".join(capfd.readouterr())


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
