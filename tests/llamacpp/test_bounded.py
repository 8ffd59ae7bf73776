"""Bounded schemas: every string and array has an end, and what was narrower stays so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eigen_cli.api.outputs import JudgeOutput, PlannerOutput, ReflectorOutput, SynthesizerOutput, schema_of
from eigen_llamacpp.bounded import LONGEST_ARGUMENT, bounded, call_schema, respond_name


def parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every object within a JSON value."""
    if isinstance(schema, Mapping):
        yield schema
    for value in schema.values() if isinstance(schema, Mapping) else schema if isinstance(schema, list) else ():
        yield from parts(value)


def test_open_strings_and_arrays_get_a_bound() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {"type": "string"}}},
    }
    assert bounded(schema, longest=7, most=3) == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "maxLength": 7},
            "b": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 7}},
        },
    }


def test_narrower_bounds_stay_and_wider_ones_shrink() -> None:
    assert bounded({"type": "string", "maxLength": 5}, longest=7)["maxLength"] == 5
    # llama.cpp refuses grammars with thousands of repetitions.
    assert bounded({"type": "string", "maxLength": 5_000}, longest=7)["maxLength"] == 7
    assert bounded({"type": "string", "minLength": 9}, longest=7)["maxLength"] == 9
    assert bounded({"type": "array", "minItems": 9}, most=3)["maxItems"] == 9


def test_strings_that_something_else_bounds_are_left_alone() -> None:
    for schema in (
        {"type": "string", "enum": ["a"]},
        {"type": "string", "const": "a"},
        {"type": "string", "format": "date"},
        {"type": "string", "pattern": "^a$"},
        {"type": "integer"},
    ):
        assert bounded(schema) == schema


def test_a_property_called_type_or_items_is_a_property() -> None:
    schema = {"type": "object", "properties": {"type": {"type": "string"}, "items": {"type": "boolean"}}}
    assert bounded(schema, longest=3)["properties"] == {
        "type": {"type": "string", "maxLength": 3},
        "items": {"type": "boolean"},
    }


def test_a_list_of_types_becomes_choices_each_with_its_bound() -> None:
    assert bounded({"type": ["string", "null"]}, longest=3) == {
        "anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]
    }


def test_no_string_of_any_roles_schema_is_left_open() -> None:
    for output in (PlannerOutput, SynthesizerOutput, JudgeOutput, ReflectorOutput):
        schema = schema_of(output).body
        before = [part for part in parts(schema) if part.get("type") == "string" and "enum" not in part]
        after = [part for part in parts(bounded(schema)) if part.get("type") == "string" and "enum" not in part]
        assert len(after) == len(before)
        assert all("maxLength" in part for part in after)
        assert all("maxItems" in part for part in parts(bounded(schema)) if part.get("type") == "array")


def test_a_step_is_a_call_of_one_tool_or_speech(tools: list[dict[str, Any]]) -> None:
    choices = call_schema(tools)["anyOf"]
    names = [choice["properties"]["name"]["const"] for choice in choices]
    assert names == [*(tool["function"]["name"] for tool in tools), "respond"]
    assert all(choice["required"] == ["name", "arguments"] for choice in choices)
    profile = choices[names.index("get_user_details")]["properties"]["arguments"]
    assert profile["properties"]["user_id"]["maxLength"] == LONGEST_ARGUMENT
    assert choices[-1]["properties"]["arguments"]["properties"]["text"]["minLength"] == 1


def test_speaking_gets_another_name_where_a_tool_has_its_own() -> None:
    taken = {"function": {"name": "respond", "parameters": {"type": "object", "properties": {}}}}
    assert respond_name([]) == "respond"
    assert respond_name([taken]) == "respond_"
    assert call_schema([taken])["anyOf"][-1]["properties"]["name"] == {"const": "respond_"}
