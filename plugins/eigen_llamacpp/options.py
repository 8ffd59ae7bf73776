"""The backend's own options, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from eigen_cli.api.errors import ConfigError

_CONTENT = ("n_ctx", "seed", "examples")
"""The options that what is said depends on."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `BackendSettings.options` may hold for the `local` backend."""

    n_ctx: Annotated[int, msgspec.Meta(ge=1024)] = 4096
    """Tokens of prompt and reply together; a model trained on fewer is given those."""
    n_threads: Annotated[int, msgspec.Meta(ge=1, le=512)] = 1
    """Threads that compute. llama.cpp's spin while they wait: on cores that others use too, two are slower than one."""
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Sampling is seeded by it and the call's key."""
    examples: Annotated[int, msgspec.Meta(ge=0, le=64)] = 8
    """Tools whose use is shown before the conversation starts."""

    @staticmethod
    def of(options: Mapping[str, Any]) -> Options:
        """Return checked options; raise `ConfigError` for an unknown name or a value of the wrong type."""
        try:
            return msgspec.convert(dict(options), Options, strict=False)
        except msgspec.ValidationError as error:
            known = ", ".join(Options.__struct_fields__)
            raise ConfigError(f"local backend options: {error}", hint=f"the options are: {known}") from None

    def named(self) -> str:
        """Return what differs from the default and changes what is said, as the end of an identity."""
        usual = Options()
        changed = (name for name in _CONTENT if getattr(self, name) != getattr(usual, name))
        return "".join(f"+{name}={getattr(self, name)}" for name in changed)
