"""Chat-completions requests as the server reads them, and replies as it writes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from eigen_cli.api.backend import Chat, Reply, SimulatedReply
from eigen_cli.api.canonical import digest
from eigen_cli.api.messages import Completion, RawToolCall

_BYTES_A_TOKEN = 4


class _Body(msgspec.Struct, frozen=True):
    model: str
    messages: tuple[msgspec.Raw, ...]
    tools: msgspec.Raw = msgspec.Raw(b"null")
    response_format: dict[str, Any] | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    temperature: float | None = None
    metadata: dict[str, str] = {}


@dataclass(frozen=True)
class ChatRequest:
    """One request: `number` counts arrivals from 1; `trace` is the caller's key and request hash, if it sent them."""

    number: int
    model: str
    chat: Chat
    tools: msgspec.Raw | None
    response_format: Mapping[str, Any] | None
    max_tokens: int | None
    temperature: float | None
    metadata: Mapping[str, str]
    trace: str
    identity: str
    """The trace, or the body's hash where there is none: equal for every attempt at the same call."""
    prompt_tokens: int

    @staticmethod
    def parse(body: bytes, *, number: int, trace: str) -> ChatRequest:
        """Return the request in a body; raise `msgspec.MsgspecError` for what is none."""
        read = msgspec.json.decode(body, type=_Body)
        trace = trace or read.metadata.get("eigen_key", "")
        return ChatRequest(
            number=number,
            model=read.model,
            chat=_chat_of(read.messages),
            tools=None if bytes(read.tools) == b"null" else read.tools.copy(),
            response_format=read.response_format,
            max_tokens=read.max_tokens or read.max_completion_tokens,
            temperature=read.temperature,
            metadata=read.metadata,
            trace=trace,
            identity=trace or digest(body),
            prompt_tokens=sum(estimated_tokens(bytes(raw)) for raw in read.messages),
        )


def _chat_of(messages: tuple[msgspec.Raw, ...]) -> Chat:
    """Return the chat whose messages were encoded as these bytes, with the hash the caller gave it."""
    chat = Chat()
    for raw in messages:
        chat = chat.add_encoded(bytes(raw))
    return chat


@dataclass(frozen=True)
class Refusal:
    """An HTTP error in place of a reply."""

    status: int
    body: bytes = b'{"error":{"message":"refused"}}'


Answer = Completion | Reply | str | bytes | Refusal
"""What a responder gives: a completion (or just its text), a backend's reply, a raw response body, or a refusal."""
Responder = Callable[[ChatRequest], Answer | Awaitable[Answer]]


async def resolved(answer: Answer | Awaitable[Answer]) -> Answer:
    """Return what a responder gave, waited for where it has to be."""
    return answer if isinstance(answer, (Completion, Reply, str, bytes, Refusal)) else await answer


def echo(request: ChatRequest) -> Answer:
    """Return the content of the last message."""
    last = msgspec.json.decode(request.chat.encoded[-1]) if request.chat.encoded else {}
    return str(last.get("content") or "")


def estimated_tokens(text: bytes | str) -> int:
    """Return the tokens a text is billed as: one for every four bytes begun."""
    size = len(text.encode() if isinstance(text, str) else text)
    return -(-size // _BYTES_A_TOKEN)


def completion_of(answer: Completion | Reply | str) -> Completion:
    """Return the completion in an answer."""
    if isinstance(answer, str):
        return Completion(text=answer)
    return answer.completion if isinstance(answer, Reply) else answer


def reply_body(request: ChatRequest, answer: Completion | Reply | str) -> dict[str, Any]:
    """Return the chat completion that carries an answer.

    Tokens are the completion's own counts or, where it has none, an estimate over its text, reasoning and calls and
    over the prompt's messages. A simulator's planted faults travel in the extension field `eigen`.
    """
    completion = completion_of(answer)
    spoken = completion.text + completion.reasoning + "".join(c.name + c.arguments for c in completion.tool_calls)
    prompt = completion.prompt_tokens or request.prompt_tokens
    completed = completion.completion_tokens or estimated_tokens(spoken)
    message: dict[str, Any] = {"role": "assistant", "content": completion.text or None}
    if completion.reasoning:
        message["reasoning_content"] = completion.reasoning
    if completion.tool_calls:
        message["tool_calls"] = [_call(call) for call in completion.tool_calls]
    body: dict[str, Any] = {
        "id": f"chatcmpl-{digest(request.identity)[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": completion.model or request.model,
        "choices": [{"index": 0, "message": message, "finish_reason": completion.finish_reason}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completed, "total_tokens": prompt + completed},
    }
    if isinstance(answer, SimulatedReply) and answer.faults:
        body["eigen"] = {"faults": list(answer.faults)}
    return body


def _call(call: RawToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
