"""A server may write anything into a reply: odd values cost the reply their worth, never the run."""

from __future__ import annotations

import msgspec
import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import SimulatedReply
from eigen_cli.api.errors import BackendError
from eigen_cli.api.inputs import AgentInputs
from eigen_cli.testing.openai_server import Fault, OpenAIServer, Refusal, serving_async


def body(**parts: str) -> bytes:
    """Return a reply with raw JSON in the places named."""
    raw = {
        "message": '{"content":"fine"}',
        "usage": '{"prompt_tokens":7,"completion_tokens":3}',
        "model": '"served"',
        "eigen": "{}",
    } | parts
    choices = f'[{{"finish_reason":"stop","message":{raw["message"]}}}]'
    rest = ",".join(f'"{name}":{raw[name]}' for name in ("usage", "model", "eigen"))
    return f'{{"choices":{choices},{rest}}}'.encode()


@pytest.fixture
def answer(connect, ask_for):
    """Ask a server that answers with a body; return the reply."""

    async def ask(content: bytes, **settings):
        async with serving_async(OpenAIServer(lambda _: content)) as url:
            return await connect(url, max_retries=0, **settings).complete(ask_for(inputs=AgentInputs(Airline(), ())))

    return ask


@pytest.mark.parametrize("faults", ["5", "null", '"cut"', "{}", "[1,null,[]]"])
async def test_faults_that_are_none_are_ignored(answer, faults):
    content = body(eigen=f'{{"faults":{faults}}}')
    simulated = await answer(content, options={"simulated_inputs": True})
    assert isinstance(simulated, SimulatedReply)
    assert simulated.faults == ()
    assert (await answer(content)).completion.text == "fine"


async def test_faults_are_read_from_simulations_alone(answer):
    content = body(eigen=msgspec.json.encode({"faults": ["no_authentication", 3, "f" * 999]}).decode())
    assert not isinstance(await answer(content), SimulatedReply)
    simulated = await answer(content, options={"simulated_inputs": True})
    assert simulated.faults == ("no_authentication", "f" * 256)


@pytest.mark.parametrize("count", [f"1{'0' * 25}", str(2**32), "-1", '"7"', "1.5", "true", "null", "[]", "NaN"])
async def test_a_count_that_is_none_counts_nothing(answer, count):
    reply = await answer(body(usage=f'{{"prompt_tokens":{count},"completion_tokens":3}}'))
    assert (reply.completion.prompt_tokens, reply.usage.prompt_tokens) == (0, 0)
    assert (reply.completion.completion_tokens, reply.usage.completion_tokens) == (3, 3)


async def test_a_number_of_5000_digits_spoils_the_reply_and_no_more(answer):
    with pytest.raises(BackendError, match="not JSON"):
        await answer(body(usage=f'{{"prompt_tokens":1{"0" * 5000}}}'))


@pytest.mark.parametrize("wait", [f"1 Jan {'9' * 30} 00:00:00 GMT", "Mon, 01 Jan 2024 00:00:00 +99999999999", "+x1"])
async def test_an_absurd_wait_is_no_wait(connect, ask_for, wait):
    server = OpenAIServer(faults=[Fault(kind="status", status=429, nth=(1,), retry_after=wait)])
    async with serving_async(server) as url:
        reply = await connect(url).complete(ask_for("hello"))
    assert (reply.completion.text, reply.usage.retries) == ("hello", 1)


async def test_long_names_are_cut(answer):
    function = f'{{"name":"{"n" * 300}","arguments":"{{}}"}}'
    calls = ",".join(f'{{"id":"{"i" * 256}{number}","function":{function}}}' for number in range(2))
    completion = (await answer(body(model=f'"{"m" * 300}"', message=f'{{"tool_calls":[{calls}]}}'))).completion
    assert completion.model == "m" * 256
    assert [call.name for call in completion.tool_calls] == ["n" * 256] * 2
    assert [call.id for call in completion.tool_calls] == ["i" * 256, "call_3_1"]


async def test_an_id_made_here_is_not_one_the_server_gave(answer):
    calls = '{"id":"call_3_1","function":{"name":"a"}},{"function":{"name":"b"}},{"id":"call_3_1_","name":"c"}'
    completion = (await answer(body(message=f'{{"tool_calls":[{calls}]}}'))).completion
    assert [call.id for call in completion.tool_calls] == ["call_3_1", "call_3_1_", "call_3_2"]


@pytest.mark.parametrize("character", ["a", "é", "€"])
async def test_long_arguments_are_kept_up_to_a_length(answer, character):
    written = f'{{"q":"{character * 300_000}"}}'
    message = msgspec.json.encode({"tool_calls": [{"function": {"name": "find", "arguments": written}}]}).decode()
    (call,) = (await answer(body(message=message))).completion.tool_calls
    assert written.startswith(call.arguments)
    assert 2**18 - 2 <= len(call.arguments.encode()) <= 2**18
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(call.arguments)


async def test_halves_of_surrogate_pairs_are_replaced_everywhere(answer):
    half = "\\ud83d"
    function = f'{{"name":"n{half}","arguments":{{"a":"{half}"}}}}'
    call = f'{{"id":"i{half}","function":{function}}}'
    message = f'{{"content":"{half}x\\ud83d\\ude00","reasoning":"r{half}","tool_calls":[{call}]}}'
    completion = (await answer(body(message=message, model=f'"m{half}"'))).completion
    (call,) = completion.tool_calls
    assert (completion.text, completion.reasoning, completion.model) == ("\ufffdx\U0001f600", "r\ufffd", "m\ufffd")
    assert (call.id, call.name, call.arguments) == ("i\ufffd", "n\ufffd", '{"a":"\ufffd"}')
    assert msgspec.json.encode(completion)


async def test_arguments_sent_as_an_object_may_hold_any_number(answer):
    message = f'{{"tool_calls":[{{"function":{{"name":"n","arguments":{{"a":1{"0" * 25}}}}}}}]}}'
    (call,) = (await answer(body(message=message))).completion.tool_calls
    assert call.arguments == f'{{"a":1{"0" * 25}}}'


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize(
    "content", [b'{"error":' + b"[" * 90_000, b'{"error":1%s}' % (b"0" * 5000), b"\xff\xfe", b'{"message":{"a":[]}}']
)
async def test_odd_explanations_are_explanations(connect, ask_for, status, content):
    async with serving_async(OpenAIServer(lambda _: Refusal(status, content))) as url:
        with pytest.raises(BackendError) as raised:
            await connect(url, max_retries=0).complete(ask_for())
    assert 0 < len(str(raised.value)) < 500
