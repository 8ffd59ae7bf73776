"""Tools as text, and worked examples made from their schemas."""

from __future__ import annotations

import json
from typing import Any

from eigen_llamacpp.tools import Shown, examples, listing


def tool(name: str, description: str, **properties: dict[str, Any]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


ORDER = tool(
    "get_order", "Read an order: items, status.", order_id={"type": "string", "description": "Such as '#W40'."}
)
CANCEL = tool("cancel", "Cancel. For ever.", order_id={"type": "string"}, why={"enum": ["late", "lost"]})
LIST = tool("list_all", "List every product, by name.")


def test_the_listing_has_a_line_a_tool() -> None:
    assert listing([ORDER, CANCEL, LIST]).splitlines() == [
        "- get_order(order_id): Read an order: items, status.",
        "- cancel(order_id, why=late|lost): Cancel.",
        "- list_all(): List every product, by name.",
        "- respond(text): Say something. Also to ask for what you do not know.",
    ]


def test_optional_parameters_and_lists_are_marked() -> None:
    part = {"type": "array", "items": {"type": "object", "properties": {"dob": {}, "name": {}}}}
    add = tool("add", "Add people.", people=part, note={"type": "string"})
    add["function"]["parameters"]["required"] = ["people"]
    assert listing([add]).splitlines()[0] == "- add(people=[{dob, name}], note?): Add people."


def test_examples_ask_call_and_speak() -> None:
    assert examples([CANCEL, ORDER, LIST], 1) == [
        Shown(
            "Hello, I need some help.",
            '{"name": "respond", "arguments": {"text": "Of course. What is your order id?"}}',
        ),
        Shown(
            "Please read an order. The order id is #W40.", '{"name": "get_order", "arguments": {"order_id": "#W40"}}'
        ),
        Shown(
            'Result of get_order: {"status": "ok"}',
            '{"name": "respond", "arguments": {"text": "That worked. What else can I do?"}}',
        ),
    ]


def test_the_tools_with_the_fewest_values_come_first_and_ids_are_the_same_in_all() -> None:
    people = {"type": "array", "items": {"type": "object", "properties": {"dob": {}, "name": {}}}}
    calls = [
        json.loads(shown.reply) for shown in examples([tool("add", "Add.", people=people), CANCEL, LIST, ORDER], 4)
    ]
    names = [call["name"] for call in calls]
    assert names == ["respond", "list_all", "get_order", "cancel", "add", "respond"]
    assert calls[3]["arguments"] == {"order_id": "#W40", "why": "late"}
    assert calls[4]["arguments"] == {"people": [{"dob": "D1234", "name": "N1234"}]}


def test_an_apostrophe_does_not_open_a_value() -> None:
    email = {"type": "string", "description": "The customer's mail, such as 'a@b.example'; the order's is not asked."}
    assert '"a@b.example"' in examples([tool("find", "Find.", email=email)], 1)[1].reply
    bare = {"type": "string", "description": "The customer's id with its '#'."}
    assert '"I1234"' in examples([tool("find", "Find.", id=bare)], 1)[1].reply


def test_no_examples_where_none_are_wanted_or_there_is_no_tool() -> None:
    assert examples([ORDER], 0) == []
    assert examples([], 3) == []


def test_examples_of_a_real_domain_fit_its_schemas(tools: list[dict[str, Any]]) -> None:
    by_name = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
    shown = [json.loads(one.reply) for one in examples(tools, len(tools))]
    calls = [call for call in shown if call["name"] != "respond"]
    assert sorted(call["name"] for call in calls) == sorted(by_name)
    for call in calls:
        parameters = by_name[call["name"]]
        assert set(call["arguments"]) == set(parameters["required"])
        for name, value in call["arguments"].items():
            part = parameters["properties"][name]
            kind = {"string": str, "integer": int, "number": int, "array": list, "object": dict}[
                part.get("type", "string")
            ]
            assert isinstance(value, kind)
            assert value in part.get("enum", [value])
    assert len(listing(tools)) < 2_500  # their JSON schemas take 8,500
