"""Strict tool calls: the model must answer with one of its tools or with `respond`, and arguments are constrained.

vLLM constrains nothing under `tool_choice: auto`, and under `required` it constrains arguments only of functions marked
`strict`. So that a weak model can also talk, speaking is a tool here; what it says becomes text again before anyone
sees it. It changes what a model would do, so evaluations never use it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import msgspec

from eigen_cli.api.backend import Request, ToolSchemas
from eigen_cli.api.messages import Completion

RESPOND = "respond"
"""The tool that speaks; where a domain has one of that name, underscores follow it."""
_LONGEST_SPEECH = 2_000
"""Characters of a spoken reply: an unbounded string is where small models run away."""
_LONGEST_ARGUMENT = 500
"""Characters of any other string that nothing bounds."""
_BOUNDED_BY = {"enum", "const", "format", "pattern", "maxLength"}


@dataclass(frozen=True)
class _StrictTools:
    schemas: ToolSchemas
    respond: str


def asked(request: Request) -> Request:
    """Return a request whose tools are strict and include the one that speaks."""
    return replace(request, tools=_strict_tools(request).schemas)


def answered(completion: Completion, request: Request) -> Completion:
    """Return a completion in which calls of the tool that speaks are what was said; other calls stay calls.

    `request` is what was wanted, before `asked` changed it.
    """
    respond = _strict_tools(request).respond
    if not any(call.name == respond for call in completion.tool_calls):
        return completion
    said = [completion.text] if completion.text.strip() else []
    said += [_spoken(call.arguments) for call in completion.tool_calls if call.name == respond]
    # What was both said and called in one reply is the model's doing and stays so.
    calls = tuple(call for call in completion.tool_calls if call.name != respond)
    finish = completion.finish_reason if calls or completion.finish_reason != "tool_calls" else "stop"
    return msgspec.structs.replace(completion, text="\n".join(said), tool_calls=calls, finish_reason=finish)


def _spoken(arguments: str) -> str:
    try:
        value = json.loads(arguments, strict=False)
    except ValueError:
        return arguments
    text = value.get("text") if isinstance(value, dict) else None
    return text if isinstance(text, str) else arguments


def _strict_tools(request: Request) -> _StrictTools:
    assert request.tools is not None
    return _made_strict(bytes(request.tools.encoded))


@lru_cache(maxsize=16)
def _made_strict(encoded: bytes) -> _StrictTools:
    definitions = msgspec.json.decode(encoded)
    name = RESPOND
    while name in {definition["function"]["name"] for definition in definitions}:
        name += "_"
    definitions.append(_respond(name))
    for definition in definitions:
        function = definition["function"]
        function["strict"] = True
        function["parameters"] = _bounded(function["parameters"])
    return _StrictTools(ToolSchemas.of(definitions), name)


def _bounded(schema: Any) -> Any:
    """Return a schema with a longest length for every string that has none."""
    if isinstance(schema, list):
        return [_bounded(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    result = {keyword: _bounded(part) for keyword, part in schema.items()}
    if result.get("type") == "string" and not _BOUNDED_BY & result.keys():
        result["maxLength"] = _LONGEST_ARGUMENT
    return result


def _respond(name: str) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1, "maxLength": _LONGEST_SPEECH, "description": "What you say."}
    parameters = {"type": "object", "properties": {"text": text}, "required": ["text"], "additionalProperties": False}
    function = {"name": name, "description": "Say something to the other side.", "parameters": parameters}
    return {"type": "function", "function": function}
