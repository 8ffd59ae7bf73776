"""Tools as a small model can take them in: a line each, and a few of them shown at work.

Full JSON schemas of a dozen tools fill its context, and without worked examples it calls next to nothing right
(measured on SmolLM2-135M and the airline's tools: one of ten easy calls without examples, six of ten with eight). As
turns of the chat they work, written into the system prompt they do not (one of ten).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from eigen_llamacpp.bounded import respond_name

_QUOTED = re.compile(r"(?<!\w)'([^']{3,})'(?!\w)")
"""A value within a description; neither a sign nor what lies between two apostrophes."""
_FIRST_CLAUSE = re.compile(r"[^.:;,(]+")


@dataclass(frozen=True)
class Shown:
    """One worked example: what comes in, and the reply to it."""

    heard: str
    reply: str


def listing(tools: list[dict[str, Any]]) -> str:
    """Return one line a tool, with its parameters' names and what it does, and one for speaking."""
    lines = [_line(tool["function"]) for tool in tools]
    return "\n".join([*lines, f"- {respond_name(tools)}(text): Say something. Also to ask for what you do not know."])


def call_text(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as the model is to write it."""
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def result_text(name: str, content: str) -> str:
    """Return a tool's result as the model is shown it."""
    return f"Result of {name}: {content}"


def examples(tools: list[dict[str, Any]], count: int) -> list[Shown]:
    """Return worked examples: `count` tools at work, and speech before and after; nothing for a count of 0.

    They are made of the tools' schemas. Tools that need the fewest arguments come first, for small models copy; and
    speech is shown no more than this, or they speak where they should call (measured).
    """
    quoted = _quoted_values(tools)
    simplest = sorted(tools, key=lambda tool: sum(map(_weight, _required(tool).values())) or 1)[:count]
    shown: list[Shown] = []
    if asked := next((" and ".join(map(_words, _required(tool))) for tool in simplest if _required(tool)), ""):
        shown.append(Shown("Hello, I need some help.", _speech(tools, f"Of course. What is your {asked}?")))
    for tool in simplest:
        function = tool["function"]
        arguments = {name: _sample(name, part, quoted) for name, part in _required(tool).items()}
        given = " ".join(f"The {_words(name)} is {_said(value)}." for name, value in arguments.items())
        wish = _wish(function.get("description", ""), function["name"])
        shown.append(Shown(f"Please {wish}. {given}".strip(), call_text(function["name"], arguments)))
    if shown:
        name = simplest[-1]["function"]["name"]
        shown.append(Shown(result_text(name, '{"status": "ok"}'), _speech(tools, "That worked. What else can I do?")))
    return shown


def _speech(tools: list[dict[str, Any]], text: str) -> str:
    return call_text(respond_name(tools), {"text": text})


def _line(function: Mapping[str, Any]) -> str:
    parameters = function["parameters"].get("properties", {})
    required = function["parameters"].get("required", ())
    named = ", ".join(f"{name}{'' if name in required else '?'}{_kind(part)}" for name, part in parameters.items())
    sentence = function.get("description", "").partition(". ")[0].rstrip(".")
    return f"- {function['name']}({named}): {sentence}."


def _kind(schema: Mapping[str, Any]) -> str:
    """Return what a parameter is, where it is no plain value."""
    if "enum" in schema:
        return f"={'|'.join(str(value) for value in schema['enum'])}"
    if schema.get("type") == "array":
        fields = schema.get("items", {}).get("properties", {})
        return f"=[{{{', '.join(fields)}}}]" if fields else "=[]"
    return ""


def _required(tool: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    parameters = tool["function"]["parameters"]
    properties = parameters.get("properties", {})
    return {name: properties[name] for name in parameters.get("required", ()) if name in properties}


def _weight(schema: Mapping[str, Any]) -> int:
    """Return how many values a parameter takes, nested ones counted twice."""
    nested = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else ())]
    return 1 + 2 * sum(map(_weight, nested))


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _wish(description: str, name: str) -> str:
    """Return what a customer would ask for: the first clause of a tool's description."""
    clause = _FIRST_CLAUSE.match(description)
    words = clause[0].strip() if clause else _words(name)
    return words[:1].lower() + words[1:]


def _quoted_values(tools: list[dict[str, Any]]) -> dict[str, str]:
    """Return the values that descriptions quote, by the parameter's name: all examples show the same ids."""
    return {
        name: value
        for tool in reversed(tools)
        for name, part in _required(tool).items()
        for value in _QUOTED.findall(part.get("description", ""))[:1]
    }


def _sample(name: str, schema: Mapping[str, Any], quoted: Mapping[str, str]) -> Any:
    """Return a value a parameter may have: one that a description quotes, or one of its type."""
    return next(_samples(name, schema, quoted))


def _samples(name: str, schema: Mapping[str, Any], quoted: Mapping[str, str]) -> Iterator[Any]:
    if "const" in schema:
        yield schema["const"]
    yield from schema.get("enum", ())
    if schema.get("anyOf"):
        yield _sample(name, schema["anyOf"][0], quoted)
    kind = schema.get("type", "string")
    if kind == "array":
        yield [_sample(name, schema.get("items", {}), quoted)]
    if kind == "object":
        yield {part: _sample(part, inner, quoted) for part, inner in schema.get("properties", {}).items()}
    yield from {"integer": (2,), "number": (2,), "boolean": (True,), "null": (None,)}.get(kind, ())
    yield from _QUOTED.findall(schema.get("description", ""))
    if name in quoted:
        yield quoted[name]
    yield "2024-05-20" if schema.get("format") == "date" else f"{name[:1].upper()}1234"
