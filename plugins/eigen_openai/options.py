"""The backend's own options, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from eigen_cli.api.errors import ConfigError


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `BackendSettings.options` may hold for the `openai` backend."""

    backoff: float = 0.5
    """Seconds: the first retry waits at most this long, each later one at most twice as long as the one before."""
    max_tokens_field: str = "max_tokens"
    """The body field for the reply's token limit; OpenAI's reasoning models want `max_completion_tokens`."""
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
