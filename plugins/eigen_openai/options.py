"""The backend's own options, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from eigen_cli.api.errors import ConfigError

_NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `BackendSettings.options` may hold for the `openai` backend."""

    backoff: _NotNegative = 0.5
    """Seconds: the first retry waits at most this long, each later one at most twice as long as the one before."""
    max_tokens_field: str = "max_tokens"
    """The body field for the reply's token limit; OpenAI's reasoning models want `max_completion_tokens`."""
    patience: _NotNegative = 90.0
    """Seconds a server may be away, or without room, before the run ends (it can be resumed)."""
    requests_per_minute: _NotNegative = 0.0
    """Requests each role makes a minute at most, attempts counted; 0 is no bound."""
    tokens_per_minute: _NotNegative = 0.0
    """Tokens, of prompts and replies together, each role takes a minute at most; 0 is no bound."""
    tool_choice: Literal["auto", "required"] = "auto"
    """Sent with tools: `required` has servers that constrain tool calls do so, and nobody can say anything."""
    parallel_tool_calls: bool = True
    """Whether one reply may call several tools; False is sent, and a server that knows it obeys."""
    simulated_inputs: bool = False
    """Send the request's typed inputs as metadata, for the loopback server that plays the offline actors."""
    trace_header: bool = False
    """Send `X-Eigen-Key` (call key and request hash) with every call, to find it in a server's log."""

    @staticmethod
    def of(options: Mapping[str, Any]) -> Options:
        """Return checked options; raise `ConfigError` for an unknown name or a value of the wrong type."""
        try:
            return msgspec.convert(dict(options), Options, strict=False)
        except msgspec.ValidationError as error:
            known = ", ".join(Options.__struct_fields__)
            raise ConfigError(f"openai backend options: {error}", hint=f"the options are: {known}") from None
