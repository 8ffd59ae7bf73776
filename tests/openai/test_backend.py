"""The backend itself: schemas, context limits, the pool, identity."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest

from eigen_cli.api.backend import BackendSettings, Schema, SimulatedReply, ToolSchemas
from eigen_cli.api.errors import BackendError, ContextOverflowError
from eigen_cli.testing.openai_server import Fault, OpenAIServer, Refusal, serving, serving_async
from eigen_openai.backend import OpenAIBackend

SCHEMA = Schema("Verdict", {"type": "object", "properties": {"party": {"type": "string"}}})


@pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
async def test_a_server_without_schemas_gets_them_in_the_prompt(connect, ask_for, status):
    seen = []

    def answer(request):
        seen.append((request.response_format, request.chat.messages()[0]["content"]))
        return '{"party":"user"}'

    server = OpenAIServer(answer, schema_status=status)
    async with serving_async(server) as url:
        backend = connect(url)
        replies = [await backend.complete(ask_for(turn=turn, schema=SCHEMA)) for turn in range(3)]
    assert [reply.completion.text for reply in replies] == ['{"party":"user"}'] * 3
    assert [reply.usage.retries for reply in replies] == [0, 0, 0]
    assert all(form is None and '"party"' in system for form, system in seen)
    assert [entry.outcome for entry in server.log.requests] == [f"refused {status}", "answered", "answered", "answered"]


async def test_a_refusal_for_another_reason_does_not_cost_the_schema(connect, ask_for):
    forms = []

    def answer(request):
        forms.append(request.response_format)
        return "{}"

    server = OpenAIServer(answer, faults=[Fault(kind="status", status=400, nth=(1, 2))])
    async with serving_async(server) as url:
        backend = connect(url)
        with pytest.raises(BackendError, match="400"):
            await backend.complete(ask_for(schema=SCHEMA))
        await backend.complete(ask_for(schema=SCHEMA))
    assert [form["json_schema"]["name"] for form in forms] == ["Verdict"]


async def test_schemas_are_refused_one_by_one(connect, ask_for):
    forms = []

    def answer(request):
        name = (request.response_format or {}).get("json_schema", {}).get("name")
        forms.append(name)
        return Refusal(400) if name == "Odd" else "{}"

    async with serving_async(OpenAIServer(answer)) as url:
        backend = connect(url)
        for name in ("Odd", "Verdict", "Odd", "Verdict"):
            await backend.complete(ask_for(schema=dataclasses.replace(SCHEMA, name=name)))
    assert forms == ["Odd", None, "Verdict", None, "Verdict"]


OVERFLOWS = [
    b'{"error":{"message":"too long","code":"context_length_exceeded"}}',
    b'{"message":"This model\'s maximum context length is 8192 tokens. However, you requested 9000 tokens."}',
    b'{"error":{"message":"the request exceeds the available context size, try increasing it"}}',
]


@pytest.mark.parametrize("body", OVERFLOWS)
@pytest.mark.parametrize("schema", [None, SCHEMA])
async def test_a_conversation_that_outgrew_the_context_is_the_askers_own_limit(connect, ask_for, body, schema):
    server = OpenAIServer(lambda _: Refusal(400, body))
    async with serving_async(server) as url:
        with pytest.raises(ContextOverflowError, match="offline has no room for this conversation: "):
            await connect(url).complete(ask_for(schema=schema))
    assert len(server.log.requests) == 1


async def test_a_context_that_could_never_hold_a_reply_is_a_mistake_to_report(connect, ask_for):
    async with serving_async(OpenAIServer(lambda _: Refusal(400, OVERFLOWS[1]))) as url:
        with pytest.raises(BackendError, match="may take 8192 tokens, and offline has a context of 8192") as raised:
            await connect(url).complete(ask_for(max_tokens=8192))
    assert not isinstance(raised.value, ContextOverflowError)


async def test_a_context_of_absurd_length_is_no_number(connect, ask_for):
    body = b'{"message":"This model\'s maximum context length is %s tokens."}' % (b"9" * 5000)
    async with serving_async(OpenAIServer(lambda _: Refusal(400, body))) as url:
        with pytest.raises(ContextOverflowError, match="no room for this conversation"):
            await connect(url).complete(ask_for())


@pytest.mark.parametrize("settings", [{}, {"concurrency": 200}])
async def test_as_many_calls_as_allowed_are_in_flight(connect, ask_for, settings):
    allowed = settings.get("concurrency", 64)
    everyone_is_here = asyncio.Event()
    server = OpenAIServer()

    async def wait_for_all(request):
        if server.log.in_flight == allowed:
            everyone_is_here.set()
        await asyncio.wait_for(everyone_is_here.wait(), 10)
        return request.chat.messages()[-1]["content"]

    server.responder = wait_for_all
    async with serving_async(server) as url:
        backend = connect(url, max_retries=0, **settings)
        replies = await asyncio.gather(*(backend.complete(ask_for(f"{n}", turn=n)) for n in range(2 * allowed)))
    assert server.log.max_in_flight == allowed
    assert [reply.completion.text for reply in replies] == [f"{number}" for number in range(2 * allowed)]


async def test_a_cancelled_call_stays_cancelled(connect, ask_for):
    server = OpenAIServer(faults=[Fault(kind="stall", seconds=30)])
    async with serving_async(server) as url:
        call = asyncio.create_task(connect(url).complete(ask_for()))
        while not server.log.in_flight:
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        while server.log.in_flight:
            await asyncio.sleep(0.01)
    assert [entry.outcome for entry in server.log.requests] == ["abandoned"]


def test_a_server_in_a_thread_serves_a_loop_elsewhere(ask_for):
    async def ask(url):
        backend = OpenAIBackend(BackendSettings(base_url=url, model="offline"))
        try:
            return await backend.complete(ask_for("hello"))
        finally:
            await backend.close()

    server = OpenAIServer()
    with serving(server) as url:
        assert asyncio.run(ask(url)).completion.text == "hello"
    assert len(server.log.requests) == 1


async def test_nothing_of_eigen_is_sent_unless_asked_for(connect, ask_for):
    bodies = []

    def answer(request):
        bodies.append((request.trace, dict(request.metadata)))
        return "ok"

    request = ask_for(tools=ToolSchemas.of([]), inputs=object())
    async with serving_async(OpenAIServer(answer)) as url:
        reply = await connect(url).complete(request)
        await connect(url, options={"trace_header": True}).complete(request)
    assert not isinstance(reply, SimulatedReply)
    assert bodies == [("", {}), (f"r0/1/plan-a/task-7/b/2/agent/3/0/{request.fingerprint()[:16]}", {})]


def test_identity_is_the_model_and_nothing_else(connect):
    backend = connect("https://one.example/v1", model="Qwen/Qwen3-30B-A3B-Instruct-2507", concurrency=3)
    assert backend.identity == "openai/Qwen/Qwen3-30B-A3B-Instruct-2507"
    assert backend.simulated is False
    assert connect("http://127.0.0.1:1/v1", options={"simulated_inputs": True}).simulated is True
