from __future__ import annotations

import msgspec
import pytest
from bank import Scripted

from eigen_cli.api.backend import CallKey, Chat, Request
from eigen_cli.roles.structured import UnusableReplyError, ask_structured, json_part


class Point(msgspec.Struct, frozen=True):
    x: int
    y: int


def _request() -> Request:
    return Request(
        "judge", CallKey("r", 1, "p", "t", 0, "judge", 0, 20), None, Chat.of({"role": "user", "content": "?"})
    )


async def test_a_wrong_answer_is_handed_back_with_its_error() -> None:
    model = Scripted(["no JSON here", '{"x": 1, "y": "two"}', '```json\n{"x": 1, "y": 2}\n```'])
    value, completion, answers = await ask_structured(model, _request(), Point, repairs=2)
    assert (value, answers, completion.model) == (Point(1, 2), 3, "scripted")
    last = model.requests[2].chat.messages()
    assert [message["role"] for message in last] == ["user", "assistant", "user", "assistant", "user"]
    assert "Expected `int`, got `str` - at `$.y`" in last[4]["content"]
    assert [request.key.attempt for request in model.requests] == [20, 21, 22]


async def test_objections_of_the_caller_are_handed_back_too() -> None:
    model = Scripted(['{"x": 9, "y": 2}', '{"x": 1, "y": 2}'])
    value, _, _ = await ask_structured(
        model, _request(), Point, repairs=1, check=lambda point: "x is too large" if point.x > 5 else None
    )
    assert value == Point(1, 2)
    assert "x is too large" in model.requests[1].chat.messages()[-1]["content"]


async def test_patience_ends() -> None:
    model = Scripted(["{}"] * 3)
    with pytest.raises(UnusableReplyError) as caught:
        await ask_structured(model, _request(), Point, repairs=2)
    assert caught.value.attempts == len(model.requests) == 3
    assert caught.value.text == "{}" and "required field `x`" in caught.value.error


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('Sure!\n```json\n{"a": 1}\n``` Hope it helps.', '{"a": 1}\n'),
        ('Here it is: {"a": {"b": 2}} as asked', '{"a": {"b": 2}}'),
        ("nothing", "nothing"),
    ],
)
def test_the_json_in_an_answer_is_found(text: str, part: str) -> None:
    assert json_part(text) == part


async def test_an_answer_nested_without_end_is_handed_back_like_any_other() -> None:
    model = Scripted(['{"a":' * 5000 + "1" + "}" * 5000, '{"x": 1, "y": 2}'])
    value, _, answers = await ask_structured(model, _request(), Point, repairs=1)
    assert (value, answers) == (Point(1, 2), 2)
