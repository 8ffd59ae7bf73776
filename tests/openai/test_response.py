"""Replies in every dialect, and which of them are the model's doing."""

from __future__ import annotations

import msgspec
import pytest

from eigen_cli.api.messages import RawToolCall
from eigen_openai.failures import Answer, AttemptFailedError
from eigen_openai.response import read_reply


def reply(message, *, finish="stop", usage=None, **top):
    body = {"model": "served", "choices": [{"message": message, "finish_reason": finish}], **top}
    return msgspec.json.encode(body | ({"usage": usage} if usage is not None else {}))


@pytest.fixture
def read(ask_for):
    def read_body(body, **request):
        answer = Answer(status=200, body=body, retry_after=None, seconds=0.5)
        return read_reply(answer, ask_for(**request), model="asked")

    return read_body


@pytest.fixture
def completion(read):
    return lambda message, **more: read(reply(message, **more)).completion


def call(arguments, *, id_="c1", name="get_user"):
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_text_and_counts(read):
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}
    answered = read(reply({"content": "Done."}, usage=usage))
    assert answered.completion.text == "Done."
    assert answered.completion.finish_reason == "stop"
    assert answered.completion.model == "served"
    assert answered.completion.seconds == 0.5
    assert (answered.completion.prompt_tokens, answered.completion.completion_tokens) == (12, 3)
    assert (answered.usage.prompt_tokens, answered.usage.completion_tokens, answered.usage.cached_tokens) == (12, 3, 8)


def test_a_model_that_is_not_named_is_the_one_asked(read):
    assert read(reply({"content": "a"}, model=None)).completion.model == "asked"


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        {"completion_tokens": None},
        {"completion_tokens": "7"},
        {"prompt_tokens": 1},
        {"completion_tokens": 1e9},
    ],
)
def test_missing_or_odd_counts_are_zero(completion, usage):
    assert completion({"content": "a"}, usage=usage).completion_tokens == 0


@pytest.mark.parametrize("content", [None, "", []])
def test_a_reply_without_text_is_the_models_own(completion, content):
    assert completion({"content": content}).text == ""


def test_text_in_parts_is_joined(completion):
    parts = [{"type": "text", "text": "Hel"}, {"type": "image"}, {"type": "text", "text": "lo"}, "x"]
    assert completion({"content": parts}).text == "Hello"


def test_a_refusal_is_text(completion):
    assert completion({"content": None, "refusal": "I can't help with that."}).text == "I can't help with that."


@pytest.mark.parametrize(
    "written",
    [
        '{"user_id": "a"}',
        '{ "user_id" :"a"}',
        '{"user_id": ',
        "not json",
        "",
        '{"n": 1e3, "n": 1.0}',
        '{"a": "é\\u00e9"}',
    ],
)
def test_arguments_stay_as_written(completion, written):
    assert completion({"content": None, "tool_calls": [call(written)]}).tool_calls[0].arguments == written


def test_arguments_sent_as_an_object_are_encoded(completion):
    calls = completion({"tool_calls": [call({"b": 1, "a": [True]}), call(None, id_="c2")]}).tool_calls
    assert [one.arguments for one in calls] == ['{"b":1,"a":[true]}', "{}"]


def test_text_and_calls_of_one_turn_are_both_kept(completion):
    read = completion({"content": "One moment.", "tool_calls": [call("{}")]}, finish="tool_calls")
    assert read.text == "One moment."
    assert read.tool_calls == (RawToolCall("c1", "get_user", "{}"),)
    assert read.finish_reason == "tool_calls"


def test_missing_and_repeated_ids_are_made_from_the_turn(completion):
    calls = [call("{}", id_=None), call("{}", id_="x"), call("{}", id_="x"), call("{}", id_="")]
    assert [one.id for one in completion({"tool_calls": calls}).tool_calls] == [
        "call_3_0",
        "x",
        "call_3_2",
        "call_3_3",
    ]


def test_malformed_calls_are_kept_for_the_role_to_refuse(completion):
    calls = [{"id": "a", "name": "flat", "arguments": "{}"}, {"id": "b", "function": {}}, "junk"]
    assert completion({"tool_calls": calls}).tool_calls == (
        RawToolCall("a", "flat", "{}"),
        RawToolCall("b", "", "{}"),
    )


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": "Hi", "reasoning_content": "greet"}, "Hi", "greet"),
        ({"content": "Hi", "reasoning": "greet"}, "Hi", "greet"),
        ({"content": "<think>\ngreet\n</think>\n\nHi"}, "Hi", "greet"),
        ({"content": "greet\n</think>\n\nHi"}, "Hi", "greet"),
        ({"content": "<think>never ends"}, "", "never ends"),
        ({"content": "<think></think>Hi"}, "Hi", ""),
        ({"content": "I say <think>x</think>"}, "I say <think>x</think>", ""),
        ({"content": "<think>b</think>Hi", "reasoning_content": "a"}, "Hi", "a\nb"),
    ],
)
def test_reasoning_is_kept_apart(completion, message, text, reasoning):
    read = completion(message)
    assert (read.text, read.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("given", "calls", "finish"),
    [
        ("stop", [], "stop"),
        ("function_call", [], "tool_calls"),
        ("content_filter", [], "content_filter"),
        (None, [], "stop"),
        (None, [call("{}")], "tool_calls"),
        ("eos", [], "stop"),
        (["odd"], [], "stop"),
    ],
)
def test_finish_reasons(completion, given, calls, finish):
    assert completion({"content": "a", "tool_calls": calls}, finish=given).finish_reason == finish


@pytest.mark.parametrize("finish", ["error", "abort", "insufficient_system_resource"])
def test_a_reply_the_server_broke_off_is_no_reply(completion, finish):
    with pytest.raises(AttemptFailedError, match=finish):
        completion({"content": "a"}, finish=finish)


def test_a_cut_below_the_limit_is_the_servers(read):
    body = reply({"content": "a"}, finish="length", usage={"completion_tokens": 99})
    with pytest.raises(AttemptFailedError, match="cut at 99 of 100 tokens"):
        read(body, max_tokens=100)


@pytest.mark.parametrize("usage", [{"completion_tokens": 100}, {"completion_tokens": 101}, None])
def test_a_cut_at_the_limit_is_the_models(read, usage):
    answered = read(reply({"content": "a"}, finish="length", usage=usage), max_tokens=100)
    assert (answered.completion.finish_reason, answered.completion.text) == ("length", "a")


def test_raw_control_characters_are_let_through(read):
    body = b'{"choices":[{"message":{"content":"a\nb\tc\x01d"},"finish_reason":"stop"}]}'
    assert read(body).completion.text == "a\nb\tc\x01d"


def test_half_a_surrogate_pair_cannot_reach_the_journal(read):
    text = read(b'{"choices":[{"message":{"content":"a\\ud83d"},"finish_reason":"stop"}]}').completion.text
    assert text == "a\ufffd"
    assert msgspec.json.encode(text) == '"a\ufffd"'.encode()


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b'{"choices":[{"message":{"content":"cut', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"choices":[]}', "without choices"),
        (b'{"choices":null}', "without choices"),
        (b'{"choices":[{}]}', "without a message"),
        (b'{"choices":[null]}', "without a message"),
        (b'{"error":{"message":"upstream is down","code":502}}', "upstream is down"),
    ],
)
def test_unreadable_replies_are_worth_another_attempt(read, body, what):
    with pytest.raises(AttemptFailedError, match=what):
        read(body)
