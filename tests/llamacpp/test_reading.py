"""From the text of a small model to a completion."""

from __future__ import annotations

from typing import Any

import msgspec
from llamacpp.requests_of_roles import request, user

from eigen_cli.api.backend import Schema
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.messages import Completion, RawToolCall
from eigen_llamacpp.reading import Written, read_reply

ANSWER = Schema("answer", {"type": "object"})


def written(text: str, *, complete: bool = True) -> Written:
    return Written(text, complete, prompt_tokens=30, reused_tokens=20, tokens=7, seconds=0.5)


def step(text: str, tools: list[dict[str, Any]], *, complete: bool = True) -> Completion:
    return read_reply(written(text, complete=complete), request(user("Hi."), tools=tools, turn=4), model="m")


def test_a_call_keeps_its_arguments_as_they_were_written(tools: list[dict[str, Any]]) -> None:
    completion = step('{"name": "get_user_details", "arguments": {"user_id":  "ada\\u002d1"}}', tools)
    assert completion.tool_calls == (RawToolCall("call_4", "get_user_details", '{"user_id":  "ada\\u002d1"}'),)
    assert (completion.text, completion.finish_reason) == ("", "tool_calls")
    assert (completion.model, completion.prompt_tokens, completion.completion_tokens) == ("m", 30, 7)
    assert completion.seconds == 0.5


def test_respond_is_speech(tools: list[dict[str, Any]]) -> None:
    completion = step('{"name": "respond", "arguments": {"text": " Hello.\nWhat is your id? "}}', tools)
    assert (completion.text, completion.tool_calls) == ("Hello.\nWhat is your id?", ())
    assert completion.finish_reason == "stop"


def test_half_characters_do_not_reach_the_record(tools: list[dict[str, Any]]) -> None:
    completion = step('{"name": "respond", "arguments": {"text": "a\\ud83d b"}}', tools)
    assert completion.text == "a\ufffd b"
    assert msgspec.json.decode(canonical_json(completion), type=Completion) == completion


def test_a_reply_cut_by_the_limit_is_text_and_says_so(tools: list[dict[str, Any]]) -> None:
    completion = step('{"name": "respond", "arguments": {"text": "Well', tools, complete=False)
    assert completion.text == '{"name": "respond", "arguments": {"text": "Well'
    assert (completion.finish_reason, completion.tool_calls) == ("length", ())


def test_what_does_not_parse_stays_text(tools: list[dict[str, Any]]) -> None:
    for text in ("Hello.", "[1]", '{"arguments": {}}', '{"name": 3, "arguments": {}}'):
        completion = step(text, tools)
        assert (completion.text, completion.tool_calls) == (text, ())


def test_structured_answers_are_strict_json_whatever_was_written() -> None:
    asked = request(user("Judge."), schema=ANSWER, role="judge")
    completion = read_reply(written('{"reason": "first\nsecond", "party": "agent"}'), asked, model="m")
    assert msgspec.json.decode(completion.text) == {"reason": "first\nsecond", "party": "agent"}
    cut = read_reply(written('{"reason": "fir', complete=False), asked, model="m")
    assert (cut.text, cut.finish_reason) == ('{"reason": "fir', "length")


def test_free_text_is_left_alone() -> None:
    completion = read_reply(written('{"a": 1}\n'), request(user("Hi."), role="user"), model="m")
    assert completion.text == '{"a": 1}\n'
