"""From a role's request to the bytes of a chat-completions body.

The conversation arrives encoded, message by message, and is joined as it is: a call costs a copy, not an encoding.
"""

from __future__ import annotations

import msgspec

from eigen_cli.api.backend import Request, Schema

_SCHEMA_NOTE = (
    "Answer with a single JSON value and nothing around it: no comment, no code fence. "
    "It has to satisfy this JSON schema:\n"
)


class PayloadWriter:
    """Writes bodies for one model; what is the same in each of them is encoded once."""

    def __init__(
        self, model: str, max_tokens_field: str, *, tool_choice: str = "auto", parallel_tool_calls: bool = True
    ) -> None:
        self._opening = b'{"model":' + msgspec.json.encode(model) + b',"messages":['
        self._max_tokens = b"," + msgspec.json.encode(max_tokens_field) + b":"
        self._tool_choice = b',"tool_choice":' + msgspec.json.encode(tool_choice)
        if not parallel_tool_calls:
            self._tool_choice += b',"parallel_tool_calls":false'

    def write(self, request: Request, *, structured: bool, metadata: bytes | None = None) -> bytes:
        """Return the body of a request.

        A schema travels as `response_format` when `structured`, otherwise in the system message. `metadata` is a JSON
        object, already encoded.
        """
        messages = request.chat.encoded
        if request.schema and not structured:
            messages = with_schema_in_prompt(messages, request.schema)
        parts = [self._opening, b",".join(messages), b"]"]
        if request.tools and bytes(request.tools.encoded) != b"[]":  # servers refuse an empty list
            parts += (b',"tools":', request.tools.encoded, self._tool_choice)
        if request.schema and structured:
            parts += (b',"response_format":', _response_format(request.schema))
        parts += (self._max_tokens, str(request.max_tokens).encode())
        if request.temperature is not None:
            parts += (b',"temperature":', msgspec.json.encode(request.temperature))
        if metadata is not None:
            parts += (b',"metadata":', metadata)
        parts.append(b"}")
        return b"".join(parts)


def _response_format(schema: Schema) -> bytes:
    # Not `strict`: OpenAI's strict mode forbids optional fields and free objects, which gold arguments are.
    return msgspec.json.encode({"type": "json_schema", "json_schema": {"name": schema.name, "schema": schema.body}})


def with_schema_in_prompt(messages: tuple[msgspec.Raw, ...], schema: Schema) -> tuple[msgspec.Raw, ...]:
    """Return the messages with the schema spelt out at the end of the system message, which is added if missing.

    One system message in front is all that every chat template accepts, so the note never becomes a second one.
    """
    note = _SCHEMA_NOTE + msgspec.json.encode(schema.body).decode()
    first = msgspec.json.decode(messages[0]) if messages else {}
    if first.get("role") != "system":
        return (msgspec.Raw(msgspec.json.encode({"role": "system", "content": note})), *messages)
    content = first.get("content") or ""
    if isinstance(content, list):
        first["content"] = [*content, {"type": "text", "text": note}]
    else:
        first["content"] = f"{content}\n\n{note}" if content else note
    return (msgspec.Raw(msgspec.json.encode(first)), *messages[1:])
