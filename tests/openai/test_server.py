"""The loopback server itself: its record of what it saw, its faults on schedule, and its life as a program."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys

import aiohttp
import msgspec
import pytest

from eigen_cli.api.messages import Completion, RawToolCall
from eigen_cli.testing.openai_server import Fault, OpenAIServer, read_log, serving, serving_async
from eigen_cli.testing.openai_server.chat import ChatRequest, estimated_tokens, reply_body
from eigen_cli.testing.openai_server.faults import Schedule, parse_faults, with_raw_control_characters


def chat(number: int, trace: str = "") -> ChatRequest:
    body = b'{"model":"offline","messages":[{"role":"user","content":"hello"}]}'
    return ChatRequest.parse(body, number=number, trace=trace)


def struck(schedule: Schedule, *, calls: int = 200, attempt: int = 0) -> set[str]:
    return {f"call-{n}" for n in range(calls) if schedule.strike(chat(n, f"call-{n}"), attempt=attempt)[0]}


def test_faults_are_drawn_by_call_and_not_by_order():
    fault = Fault(kind="reset", rate=0.3, seed=5)
    forwards = struck(Schedule([fault]))
    backwards = {
        f"call-{n}" for n in reversed(range(200)) if Schedule([fault]).strike(chat(1, f"call-{n}"), attempt=0)[0]
    }
    assert forwards == backwards
    assert 40 <= len(forwards) <= 80
    assert struck(Schedule([Fault(kind="reset", rate=0.3, seed=6)])) != forwards


def test_transport_is_drawn_anew_for_every_attempt():
    schedule = Schedule([Fault(kind="reset", rate=0.5)])
    assert struck(schedule, attempt=0) != struck(schedule, attempt=1)


def test_content_is_drawn_once_a_call():
    schedule = Schedule([Fault(kind="wrong_tool", rate=0.5)])
    drawn = [[bool(schedule.strike(chat(n, f"c{n}"), attempt=attempt)[1]) for n in range(50)] for attempt in range(3)]
    assert drawn[0] == drawn[1] == drawn[2]
    assert True in drawn[0]
    assert False in drawn[0]


def test_a_fault_strikes_the_listed_arrivals_only():
    schedule = Schedule([Fault(kind="reset", nth=(2, 5))])
    assert [n for n in range(1, 8) if schedule.strike(chat(n), attempt=0)[0]] == [2, 5]


def test_a_fault_strikes_a_call_no_more_often_than_it_may():
    schedule = Schedule([Fault(kind="reset", times=2)])
    assert [bool(schedule.strike(chat(n, "c"), attempt=n)[0]) for n in range(4)] == [True, True, False, False]
    assert schedule.strike(chat(9, "another"), attempt=0)[0] is not None


def test_the_first_requests_may_be_spared():
    schedule = Schedule([Fault(kind="reset", after=3)])
    assert [n for n in range(1, 8) if schedule.strike(chat(n), attempt=0)[0]] == [4, 5, 6, 7]


def test_the_first_fault_of_transport_wins():
    schedule = Schedule([Fault(kind="truncated", nth=(1,)), Fault(kind="reset"), Fault(kind="wrong_tool")])
    transport, content = schedule.strike(chat(1), attempt=0)
    assert transport.kind == "truncated"
    assert [fault.kind for fault in content] == ["wrong_tool"]


def test_faults_are_read_from_json():
    assert parse_faults('{"kind":"status","status":429,"retry_after":0.05,"rate":0.3,"seed":1}') == (
        Fault(kind="status", status=429, retry_after=0.05, rate=0.3, seed=1),
    )
    assert len(parse_faults('[{"kind":"stall","seconds":1},{"kind":"reset","nth":[1]}]')) == 2
    with pytest.raises(msgspec.ValidationError, match="rte"):
        parse_faults('{"kind":"reset","rte":1}')


def test_only_escapes_become_raw():
    assert with_raw_control_characters(rb'"a\nb\\nc\\\nd\te"') == b'"a\nb\\\\nc\\\\\nd\te"'


def test_a_reply_has_the_shape_of_openais():
    completion = Completion(
        reasoning="hm", tool_calls=(RawToolCall("c1", "get_user", '{"a": 1}'),), finish_reason="tool_calls", model="m"
    )
    body = reply_body(chat(1), completion)
    assert body["object"] == "chat.completion"
    assert body["model"] == "m"
    assert body["choices"] == [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "reasoning_content": "hm",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "get_user", "arguments": '{"a": 1}'}}
                ],
            },
        }
    ]
    assert body["usage"] == {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}


def test_counts_of_the_completion_go_before_estimates():
    usage = reply_body(chat(1), Completion("hello", completion_tokens=50, prompt_tokens=70))["usage"]
    assert usage == {"prompt_tokens": 70, "completion_tokens": 50, "total_tokens": 120}


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("éé", 1), ("ééé", 2)])
def test_the_token_estimate(text, tokens):
    assert estimated_tokens(text) == tokens


async def test_what_is_no_chat_is_refused():
    async with serving_async(OpenAIServer()) as url, aiohttp.ClientSession() as session:
        answers = [await session.post(f"{url}/chat/completions", data=data) for data in (b"", b"{}", b'{"model":1}')]
        assert [answer.status for answer in answers] == [400, 400, 400]


async def test_models_and_health():
    async with serving_async(OpenAIServer(models=("a", "b"))) as url, aiohttp.ClientSession() as session:
        models = await (await session.get(f"{url}/models")).json()
        assert [model["id"] for model in models["data"]] == ["a", "b"]
        health = await (await session.get(url.replace("/v1", "/health"))).json()
        assert health == {"status": "ok", "requests": 0, "max_in_flight": 0}


async def test_a_responder_that_fails_says_so_once(connect, ask_for):
    def broken(_request):
        raise LookupError("no such actor")

    server = OpenAIServer(broken)
    async with serving_async(server) as url:
        with pytest.raises(Exception, match="LookupError: no such actor"):
            await connect(url).complete(ask_for())
    assert [entry.outcome for entry in server.log.requests] == ["failed"]


async def test_the_log_file_tells_what_memory_does(connect, ask_for, tmp_path):
    server = OpenAIServer(faults=[Fault(kind="reset", nth=(1,))], log_path=tmp_path / "log.jsonl")
    async with serving_async(server) as url:
        backend = connect(url, options={"trace_header": True})
        for turn in range(3):
            await backend.complete(ask_for(turn=turn))
        await backend.complete(ask_for(turn=0))
    assert read_log(tmp_path / "log.jsonl") == server.log.requests
    assert [entry.outcome for entry in server.log.requests] == ["reset", *["answered"] * 4]
    repeated = f"{ask_for(turn=0).key.path()}/{ask_for(turn=0).fingerprint()[:16]}"
    assert server.log.answered_twice() == {repeated: 2}


def test_a_torn_last_line_is_left_out(tmp_path):
    server = OpenAIServer(log_path=tmp_path / "log.jsonl")
    entry, _ = server.log.arrive(chat(1, "c"))
    server.log.end(entry, "answered")
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(b'{"number":2,"tra')
    assert [seen.outcome for seen in read_log(tmp_path / "log.jsonl")] == ["answered"]


def test_a_taken_port_is_an_error_and_no_hang():
    with serving(OpenAIServer()) as url:
        port = int(url.split(":")[2].split("/")[0])
        with pytest.raises(OSError, match="address already in use"), serving(OpenAIServer(), port=port):
            pass


@pytest.fixture
def program(tmp_path):
    """Run the server as a program; give its process, base URL and log file."""
    log = tmp_path / "log.jsonl"
    faults = json.dumps([{"kind": "stall", "nth": [2], "seconds": 60}])
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "eigen_cli.testing.openai_server",
            "--log",
            str(log),
            "--faults",
            faults,
            "--model",
            "m",
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, process.stdout.readline().strip(), log
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


async def test_the_program_serves_logs_and_stops(connect, ask_for, program):
    process, url, log = program
    backend = connect(url, model="m", options={"trace_header": True})
    await backend.start()
    assert (await backend.complete(ask_for("hello"))).completion.text == "hello"
    waiting = asyncio.create_task(backend.complete(ask_for("stalled", turn=9)))
    while len(read_log(log)) < 2:
        await asyncio.sleep(0.01)
    answered, in_flight = read_log(log)
    assert (answered.outcome, answered.trace.split("/")[0]) == ("answered", "r0")
    assert in_flight.completed is None
    waiting.cancel()
    process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(process.wait, 10) == 0
    assert [entry.outcome for entry in read_log(log)] == ["answered", "abandoned"]


@pytest.mark.parametrize("faults", ['[{"kind":"fire"}]', "no-such-file.json"])
def test_the_program_refuses_faults_it_does_not_know(faults):
    command = [sys.executable, "-m", "eigen_cli.testing.openai_server", "--faults", faults]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "argument --faults" in ended.stderr
    assert "Traceback" not in ended.stderr
