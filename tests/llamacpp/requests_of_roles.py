"""Requests as roles make them, and their messages."""

from __future__ import annotations

from typing import Any

from eigen_cli.api.backend import CallKey, Chat, Request, RoleName, Schema, ToolSchemas


def request(
    *messages: dict[str, Any],
    tools: list[dict[str, Any]] | None = None,
    schema: Schema | None = None,
    role: RoleName = "agent",
    turn: int = 0,
    max_tokens: int = 4096,
    temperature: float | None = None,
) -> Request:
    """Return a request with a chat."""
    return Request(
        role=role,
        key=CallKey("t", 0, "p", "task", 0, role, turn, 0),
        inputs=None,
        chat=Chat.of(*messages),
        tools=ToolSchemas.of(tools) if tools is not None else None,
        schema=schema,
        max_tokens=max_tokens,
        temperature=temperature,
    )


def called(name: str, arguments: str, call_id: str) -> dict[str, Any]:
    """Return an assistant's turn that calls a tool."""
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def result(call_id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}
