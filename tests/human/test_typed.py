"""What a person types."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eigen_human.typed import Called, Misread, Said, Wanted, read


@pytest.mark.parametrize(
    ("line", "name", "arguments"),
    [
        ("/call look", "look", {}),
        ('/call look {"at": "sky"}', "look", {"at": "sky"}),
        ("/call book seats=2 name=Ada", "book", {"seats": 2, "name": "Ada"}),
        ("/call send why=a late refund amount=12.5", "send", {"why": "a late refund", "amount": 12.5}),
        ('/call swap ids=["a", "b"] fast=true', "swap", {"ids": ["a", "b"], "fast": True}),
        ("/call find zip=02139", "find", {"zip": "02139"}),
        ("/call find day=2024-05-20 who=mia_li_3668", "find", {"day": "2024-05-20", "who": "mia_li_3668"}),
    ],
)
def test_calls(line: str, name: str, arguments: dict[str, Any]) -> None:
    typed = read(line, call_id="c1")
    assert isinstance(typed, Called)
    assert (typed.call.id, typed.call.name, json.loads(typed.call.arguments)) == ("c1", name, arguments)


def test_words_wishes_and_what_is_neither() -> None:
    assert read("  Hello there \n", call_id="c") == Said("Hello there")
    assert read("/tools look", call_id="c") == Wanted("tools", "look")
    assert read("/quit", call_id="c") == Wanted("quit")
    assert isinstance(read("", call_id="c"), Misread)
    assert read("/dance", call_id="c") == Misread("there is no /dance; /help says what there is")
    assert read("/call", call_id="c") == Misread("/call needs the name of a tool; /tools lists them")
    assert read("/call look at the sky", call_id="c") == Misread("expected name=value at 'at the sky'")


def test_an_object_that_does_not_parse_is_sent_as_typed() -> None:
    typed = read('/call look {"at": ', call_id="c")
    assert isinstance(typed, Called)
    assert typed.call.arguments == '{"at":'
