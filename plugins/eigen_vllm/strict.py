"""Strict tool calls: the model must answer with one of its tools or with `respond`, and arguments are constrained.

vLLM constrains nothing under `tool_choice: auto`, and under `required` it constrains arguments only of functions marked
`strict`. So that a weak model can also talk, speaking is a tool here; what it says becomes text again before anyone
sees it. It changes what a model would do, so evaluations never use it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache

from msgspec.structs import replace as with_fields

from eigen_cli.api.backend import Request, ToolSchemas
from eigen_cli.api.messages import Completion

RESPOND = "respond"
_LONGEST = 2_000
"""Characters of a spoken reply: an unbounded string is where small models run away."""


def asked(request: Request) -> Request:
    """Return a request whose tools are strict and include `respond`."""
    assert request.tools is not None
    return replace(request, tools=_strict(request.tools))


def answered(completion: Completion) -> Completion:
    """Return a completion in which calls of `respond` are what was said; other calls stay calls."""
    if not any(call.name == RESPOND for call in completion.tool_calls):
        return completion
    said = [completion.text] if completion.text.strip() else []
    for call in completion.tool_calls:
        if call.name == RESPOND:
            said.append(_spoken(call.arguments))
    calls = tuple(call for call in completion.tool_calls if call.name != RESPOND)
    # What was both said and called in one reply is the model's doing and stays so.
    finish = completion.finish_reason if calls or completion.finish_reason != "tool_calls" else "stop"
    return with_fields(completion, text="\n".join(said), tool_calls=calls, finish_reason=finish)


def _spoken(arguments: str) -> str:
    try:
        value = json.loads(arguments, strict=False)
    except ValueError:
        return arguments
    text = value.get("text") if isinstance(value, dict) else None
    return text if isinstance(text, str) else arguments


@lru_cache(maxsize=16)
def _strict(tools: ToolSchemas) -> ToolSchemas:
    definitions = [
        {**tool, "function": {**tool["function"], "strict": True}} for tool in (*tools.definitions(), _respond())
    ]
    return ToolSchemas.of(definitions)


def _respond() -> dict[str, object]:
    text = {"type": "string", "maxLength": _LONGEST, "description": "What you say."}
    parameters = {"type": "object", "properties": {"text": text}, "required": ["text"], "additionalProperties": False}
    function = {"name": RESPOND, "description": "Say something to the other side.", "parameters": parameters}
    return {"type": "function", "function": function}
