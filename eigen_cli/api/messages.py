"""Messages of an episode: what was said, called and returned, and by whom.

The stored form is neutral (`speaker` is agent, user or environment). The OpenAI-chat view that each side's
model sees is a projection, made by `eigen_cli.episode.projection`.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Speaker = Literal["agent", "user", "environment"]
Requestor = Literal["agent", "user"]
FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "error"]


class TokenTrace(msgspec.Struct, frozen=True, omit_defaults=True):
    """Exact tokens of one completion, for trainers that must not re-tokenise.

    `logprobs[i]` belongs to `sampled_ids[i]`, natural logarithm.
    """

    prompt_ids: tuple[int, ...]
    sampled_ids: tuple[int, ...]
    logprobs: tuple[float, ...] = ()
    template_hash: str = ""


class RawToolCall(msgspec.Struct, frozen=True):
    """A tool call exactly as the model wrote it; `arguments` is unparsed text."""

    id: str
    name: str
    arguments: str


class Completion(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a model answered: the hashed part of a reply."""

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[RawToolCall, ...] = ()
    finish_reason: FinishReason = "stop"
    model: str = ""
    tokens: TokenTrace | None = None
    completion_tokens: int = 0
    prompt_tokens: int = 0
    seconds: float = 0.0
    """Model time, kept in the body because the token and time limits of an episode are decided by it."""


class ToolCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool call in an episode: the raw text and either its parsed arguments or why they do not parse."""

    id: str
    requestor: Requestor
    name: str
    raw_arguments: str
    arguments: dict[str, Any] | None = None
    error: str | None = None


class FieldChange(msgspec.Struct, frozen=True):
    """One field of a record before and after a write, as JSON values (`None` where the record was absent)."""

    name: str
    before: Any
    after: Any


class RecordChange(msgspec.Struct, frozen=True):
    """One record a write added, removed or changed, field by field."""

    table: str
    key: str
    kind: Literal["added", "removed", "changed"]
    fields: tuple[FieldChange, ...]


class ToolResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a call returned: canonical JSON text or a short error, and the world's diff if it wrote."""

    call_id: str
    requestor: Requestor
    name: str
    content: str
    error: bool = False
    changes: tuple[RecordChange, ...] = ()


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry of an episode. An environment message carries exactly one `result`."""

    speaker: Speaker
    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    result: ToolResult | None = None
    finish_reason: FinishReason | None = None
    model: str = ""
    prompt_version: str = ""
    tokens: TokenTrace | None = None
