"""JSON schemas a small model can be held to: nothing in them that it could go on writing for ever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

LONGEST_TEXT = 400
"""Characters of a text. Of unbounded ones, small models find no end (measured: two in ten replies)."""
LONGEST_ARGUMENT = 100
"""Characters of a tool's argument: an id, a date, an address, a summary of one line."""
MOST_ITEMS = 8
RESPOND = "respond"

_NESTED = ("properties", "$defs", "definitions", "patternProperties")
"""Keywords whose values are schemas by name."""
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords whose values are lists of schemas."""


def bounded(schema: Mapping[str, Any], *, longest: int = LONGEST_TEXT, most: int = MOST_ITEMS) -> dict[str, Any]:
    """Return a schema whose strings have at most `longest` characters and whose arrays at most `most` items.

    Narrower bounds stay, and so do strings that a format, a pattern, an enum or a constant bounds. A lower bound is
    kept even where it exceeds these. Objects of any shape stay what they are: the limit on tokens alone ends them.
    """
    result: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _NESTED and isinstance(value, Mapping):
            result[keyword] = {name: bounded(part, longest=longest, most=most) for name, part in value.items()}
        elif keyword in _LISTED and isinstance(value, list):
            result[keyword] = [bounded(part, longest=longest, most=most) for part in value]
        elif keyword in ("items", "additionalProperties") and isinstance(value, Mapping):
            result[keyword] = bounded(value, longest=longest, most=most)
        else:
            result[keyword] = value
    kinds = schema.get("type")
    if kinds == "string" and not {"enum", "const", "format", "pattern"} & set(schema):
        result["maxLength"] = max(min(schema.get("maxLength", longest), longest), schema.get("minLength", 0))
    elif kinds == "array":
        result["maxItems"] = max(min(schema.get("maxItems", most), most), schema.get("minItems", 0))
    elif isinstance(kinds, list):
        # A grammar would take each type without its bounds.
        others = {keyword: value for keyword, value in result.items() if keyword != "type"}
        return {"anyOf": [bounded({**others, "type": kind}, longest=longest, most=most) for kind in kinds]}
    return result


def respond_name(tools: Iterable[Mapping[str, Any]]) -> str:
    """Return the name under which speaking is one of the tools: `respond`, or longer where a tool is called so."""
    taken = {tool["function"]["name"] for tool in tools}
    name = RESPOND
    while name in taken:
        name += "_"
    return name


def call_schema(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of one step of an agent: a call of one of its tools, or of the one that speaks."""
    choices = [
        _choice(tool["function"]["name"], bounded(tool["function"]["parameters"], longest=LONGEST_ARGUMENT))
        for tool in tools
    ]
    text = {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT}
    speech = {"type": "object", "properties": {"text": text}, "required": ["text"], "additionalProperties": False}
    return {"anyOf": [*choices, _choice(respond_name(tools), speech)]}


def _choice(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"name": {"const": name}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }
