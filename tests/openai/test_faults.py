"""Every way the server can misbehave, over real sockets, and what becomes of the call."""

from __future__ import annotations

import email.utils
import time

import aiohttp
import msgspec
import pytest

from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_cli.api.messages import Completion, RawToolCall
from eigen_cli.testing.openai_server import Fault, OpenAIServer, serving_async

CALLING = Completion(
    text='Let me look.\nOne "moment", \\n please.',
    tool_calls=(RawToolCall("c1", "get_user_details", '{"user_id": "mia_li_3668"}'),),
    finish_reason="tool_calls",
)
KEEPS_FAULT = "kind", ["status", "reset", "truncated", "invalid_json", "empty_choices", "early_length", "error_finish"]


def without_time(reply):
    return msgspec.structs.replace(reply.completion, seconds=0.0)


async def ask_twice(connect, ask_for, faults, **settings):
    """Return the reply of a well-behaved server and that of one with faults, and what the latter saw."""
    async with serving_async(OpenAIServer(lambda _: CALLING)) as url:
        clean = await connect(url).complete(ask_for())
    faulty_server = OpenAIServer(lambda _: CALLING, faults=faults)
    async with serving_async(faulty_server) as url:
        faulty = await connect(url, **settings).complete(ask_for())
    return clean, faulty, faulty_server.log.requests


async def test_a_well_behaved_server_gives_what_the_responder_said(connect, ask_for):
    clean, _, seen = await ask_twice(connect, ask_for, [])
    assert clean.completion.text == CALLING.text
    assert clean.completion.tool_calls == CALLING.tool_calls
    assert clean.completion.finish_reason == "tool_calls"
    assert clean.completion.model == "offline"
    assert clean.completion.seconds > 0
    assert (clean.usage.calls, clean.usage.retries, clean.usage.failures) == (1, 0, 0)
    assert clean.usage.prompt_tokens == clean.completion.prompt_tokens > 0
    assert clean.usage.completion_tokens == clean.completion.completion_tokens > 0
    assert [entry.outcome for entry in seen] == ["answered"]


@pytest.mark.parametrize(*KEEPS_FAULT)
async def test_a_fault_of_transport_is_overcome(connect, ask_for, kind):
    clean, faulty, seen = await ask_twice(connect, ask_for, [Fault(kind=kind, nth=(1, 2))])
    assert without_time(faulty) == without_time(clean)
    assert faulty.usage.retries == 2
    spoilt = "status 500" if kind == "status" else kind
    assert [entry.outcome for entry in seen] == [spoilt, spoilt, "answered"]


@pytest.mark.parametrize(*KEEPS_FAULT)
async def test_a_fault_that_stays_is_a_named_error(connect, ask_for, kind):
    server = OpenAIServer(lambda _: CALLING, faults=[Fault(kind=kind)])
    async with serving_async(server) as url:
        with pytest.raises(BackendError, match=r"no usable reply from 127\.0\.0\.1:[0-9]+ in 3 attempts") as raised:
            await connect(url, max_retries=2).complete(ask_for())
    assert not isinstance(raised.value, BackendUnreachableError)
    assert raised.value.hint
    assert len(server.log.requests) == 3


async def test_a_stall_times_out_and_is_asked_again(connect, ask_for):
    stall = Fault(kind="stall", nth=(1,), seconds=30)
    clean, faulty, seen = await ask_twice(connect, ask_for, [stall], timeout=0.3)
    assert without_time(faulty) == without_time(clean)
    assert faulty.usage.retries == 1
    assert faulty.usage.seconds > 0.3 > faulty.completion.seconds
    assert [entry.outcome for entry in seen] == ["abandoned", "answered"]


async def test_a_stall_shorter_than_the_timeout_is_waited_for(connect, ask_for):
    clean, faulty, _ = await ask_twice(connect, ask_for, [Fault(kind="stall", nth=(1,), seconds=0.2)])
    assert without_time(faulty) == without_time(clean)
    assert faulty.usage.retries == 0
    assert faulty.completion.seconds >= 0.2


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
async def test_statuses_worth_another_attempt(connect, ask_for, status):
    _, faulty, seen = await ask_twice(connect, ask_for, [Fault(kind="status", nth=(1,), status=status)])
    assert faulty.usage.retries == 1
    assert [entry.outcome for entry in seen] == [f"status {status}", "answered"]


@pytest.mark.parametrize("status", [302, 400, 401, 402, 403, 405, 413, 422])
async def test_statuses_that_end_the_call(connect, ask_for, status):
    server = OpenAIServer(lambda _: CALLING, faults=[Fault(kind="status", status=status)])
    async with serving_async(server) as url:
        with pytest.raises(BackendError, match=str(status)) as raised:
            await connect(url).complete(ask_for())
    refused = status in (401, 402, 403)
    assert isinstance(raised.value, BackendUnreachableError) == refused
    assert ("OPENAI_API_KEY" in (raised.value.hint or "")) == refused
    assert len(server.log.requests) == 1


async def test_a_storm_of_429_passes(connect, ask_for):
    server = OpenAIServer(faults=[Fault(kind="status", status=429, retry_after=0.02, rate=0.5, seed=1)])
    async with serving_async(server) as url:
        backend = connect(url, max_retries=20)
        requests = [ask_for(f"request {number}", turn=number) for number in range(40)]
        replies = [await backend.complete(request) for request in requests]
    assert [reply.completion.text for reply in replies] == [f"request {number}" for number in range(40)]
    turned_away = sum(entry.outcome == "status 429" for entry in server.log.requests)
    assert sum(reply.usage.retries for reply in replies) == turned_away
    assert 15 <= turned_away <= 80
    assert server.log.answered_twice() == {}


@pytest.mark.parametrize("spelt", ["seconds", "date"])
async def test_retry_after_is_honoured_by_the_servers_clock(connect, ask_for, spelt):
    wished = "0.3" if spelt == "seconds" else email.utils.formatdate(int(time.time()) + 2, usegmt=True)
    server = OpenAIServer(faults=[Fault(kind="status", status=429, nth=(1,), retry_after=wished)])
    async with serving_async(server) as url:
        reply = await connect(url).complete(ask_for())
    turned_away, answered = server.log.requests
    if spelt == "seconds":
        assert answered.arrived - turned_away.completed >= 0.3
    else:
        assert answered.arrived >= email.utils.parsedate_to_datetime(wished).timestamp()
    assert reply.usage.retries == 1
    assert reply.usage.seconds > reply.completion.seconds


async def test_wrong_tool_names_are_the_models_own(connect, ask_for):
    _, faulty, _ = await ask_twice(connect, ask_for, [Fault(kind="wrong_tool")])
    assert faulty.completion.tool_calls == (RawToolCall("c1", "get_user_details_v2", CALLING.tool_calls[0].arguments),)
    assert faulty.usage.retries == 0


async def test_unparsable_arguments_arrive_as_written(connect, ask_for):
    _, faulty, _ = await ask_twice(connect, ask_for, [Fault(kind="bad_arguments")])
    (call,) = faulty.completion.tool_calls
    assert call.arguments == '{"user_id": "mia_li_3668","'
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(call.arguments)
    assert faulty.usage.retries == 0


async def test_raw_control_characters_are_read(connect, ask_for):
    async with serving_async(OpenAIServer(lambda _: CALLING, faults=[Fault(kind="control_characters")])) as url:
        async with aiohttp.ClientSession() as session:
            body = {"model": "offline", "messages": []}
            raw = await (await session.post(f"{url}/chat/completions", json=body)).read()
        reply = await connect(url).complete(ask_for())
    assert b"\n" in raw
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(raw)
    assert reply.completion.text == CALLING.text + "\n"
    assert reply.completion.tool_calls[0].arguments == CALLING.tool_calls[0].arguments + "\n"
    assert reply.usage.retries == 0


async def test_faults_of_content_are_drawn_once_a_call(connect, ask_for):
    """Whoever asks again, after a kill say, gets the same wrong reply: with transport faults between, too."""
    faults = [Fault(kind="wrong_tool", rate=0.5, seed=3), Fault(kind="reset", rate=0.3, seed=4)]
    names = []
    for _ in range(2):
        async with serving_async(OpenAIServer(lambda _: CALLING, faults=faults)) as url:
            backend = connect(url, max_retries=20, options={"trace_header": True})
            replies = [await backend.complete(ask_for(turn=turn)) for turn in range(20)]
        names.append([reply.completion.tool_calls[0].name for reply in replies])
    assert names[0] == names[1]
    assert 4 <= names[0].count("get_user_details_v2") <= 16


async def test_faults_change_at_run_time(connect, ask_for):
    server = OpenAIServer()
    async with serving_async(server) as url, aiohttp.ClientSession() as session:
        backend = connect(url, max_retries=0)
        assert (await backend.complete(ask_for("hello"))).completion.text == "hello"
        root = url.removesuffix("/v1")
        answer = await session.post(f"{root}/_faults", json=[{"kind": "status", "status": 503}])
        assert await answer.json() == {"faults": 1}
        with pytest.raises(BackendError, match="503"):
            await backend.complete(ask_for("hello"))
        assert (await session.post(f"{root}/_faults", json=[{"kind": "fire"}])).status == 400
        await session.post(f"{root}/_faults", json=[])
        assert (await backend.complete(ask_for("hello"))).completion.text == "hello"
