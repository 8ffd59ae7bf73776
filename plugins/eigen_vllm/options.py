"""The backend's own options, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from eigen_cli.api.errors import ConfigError
from eigen_openai.options import Options as OpenAIOptions

Few = Annotated[int, msgspec.Meta(ge=1, le=1024)]


class Options(msgspec.Struct, frozen=True):
    """What `BackendSettings.options` may hold for the `vllm` backend besides the options of `openai`."""

    command: tuple[str, ...] | str = ()
    """How to run vLLM, as words or one line; `vllm` from the path by default. It lives in an environment of its own."""
    serve_args: tuple[str, ...] = ()
    """Further arguments of `vllm serve`, after ours."""
    tool_parser: str = ""
    """Overrides the parser the model's name tells; `none` starts without tool calls."""
    reasoning_parser: str = ""
    """Overrides the parser the model's name tells; `none` leaves reasoning in the text."""
    tensor_parallel: Few = 1
    replicas: Few = 1
    """Servers started, each on `tensor_parallel` GPUs of its own; conversations stay with their server."""
    port: Annotated[int, msgspec.Meta(ge=0, le=64_000)] = 0
    """Port of the first server, the next ones follow; 0 takes free ones."""
    ready_timeout: Annotated[float, msgspec.Meta(gt=0)] = 1_800.0
    """Seconds a server may take to load its model."""
    log_dir: str = ".eigen/logs"
    env: dict[str, str] = {}
    """Variables set for the servers alone."""
    strict_tools: bool = False
    """Ask for one of the tools or `respond`, its arguments constrained; never in evaluations."""

    @staticmethod
    def of(options: Mapping[str, Any]) -> tuple[Options, dict[str, Any]]:
        """Return checked options and those left for the `openai` backend.

        Raises `ConfigError` for an unknown name and for a value that does not fit.
        """
        theirs = OpenAIOptions.__struct_fields__
        own = {name: value for name, value in options.items() if name not in theirs}
        rest = {name: value for name, value in options.items() if name in theirs}
        OpenAIOptions.of(rest)  # a server takes minutes to start; a slip of the pen need not
        unknown = [name for name in own if name not in Options.__struct_fields__]
        if unknown:
            known = ", ".join((*Options.__struct_fields__, *theirs))
            raise ConfigError(f"the vllm backend has no option {unknown[0]!r}", hint=f"the options are: {known}")
        try:
            return msgspec.convert(own, Options, strict=False), rest
        except msgspec.ValidationError as error:
            raise ConfigError(f"vllm backend options: {error}") from None
