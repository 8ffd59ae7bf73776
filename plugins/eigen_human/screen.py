"""What a person is shown: what is new in the conversation, tools, the briefing. Control characters are made visible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eigen_cli.api.backend import Request

_OTHERS: Mapping[str, str] = {"agent": "customer", "user": "agent"}
"""Who speaks the `user` messages of a role's chat."""
_LONGEST_RESULT = 2000


def news(request: Request, seen: int) -> Iterator[str]:
    """Yield the lines of a chat's messages from `seen` on; one's own words and the briefing are left out."""
    other = _OTHERS.get(request.role, "request")
    for message in request.chat.messages()[seen:]:
        text = str(message.get("content") or "")
        if message["role"] == "user":
            yield from _block(other, text)
        elif message["role"] == "tool":
            yield from _block("result", text[:_LONGEST_RESULT] + ("…" if len(text) > _LONGEST_RESULT else ""))


def briefing(request: Request) -> Iterator[str]:
    """Yield what the role was told at the start."""
    for message in request.chat.messages():
        if message["role"] == "system":
            yield from visible(str(message["content"])).splitlines()
    if request.schema is not None:
        yield f"the answer is one JSON object of the schema {request.schema.name}:"
        yield visible(str(dict(request.schema.body)))


def tools(request: Request, about: str) -> Iterator[str]:
    """Yield the role's tools, one a line, or one of them in full."""
    definitions = [tool["function"] for tool in request.tools.definitions()] if request.tools else []
    if about:
        definitions = [tool for tool in definitions if tool["name"] == about]
    if not definitions:
        yield f"there is no tool {about}" if about else "no tools"
    for tool in definitions:
        names = ", ".join(_parameter(name, tool) for name in tool["parameters"].get("properties", {}))
        yield f"{tool['name']}({names})  {visible(tool['description'])}"
        if about:
            for name, schema in tool["parameters"].get("properties", {}).items():
                yield f"    {name}: {visible(str(schema.get('description') or schema.get('type') or schema))}"


def visible(text: str) -> str:
    """Return text that cannot drive a terminal."""
    return "".join(sign if sign.isprintable() or sign == "\n" else f"\\x{ord(sign):02x}" for sign in text)


def _parameter(name: str, tool: Mapping[str, Any]) -> str:
    required: Sequence[str] = tool["parameters"].get("required", ())
    return name if name in required else f"{name}?"


def _block(label: str, text: str) -> Iterator[str]:
    first, *rest = visible(text).splitlines() or [""]
    yield f"{label:>9}  {first}"
    yield from (f"{'':>9}  {line}" for line in rest)
