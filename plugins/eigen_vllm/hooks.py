"""Plugin hooks of the vllm backend."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_backends() -> Iterable[PluginSpec]:
    """Return the vllm backend."""
    return (
        PluginSpec(
            kind="backend",
            name="vllm",
            target="eigen_vllm.backend:VllmBackend",
            summary="vLLM: a running server (--base-url), or one started and stopped with the command",
            options=(
                "command",
                "serve_args",
                "tool_parser",
                "reasoning_parser",
                "tensor_parallel",
                "replicas",
                "port",
                "ready_timeout",
                "log_dir",
                "env",
                "strict_tools",
            ),
        ),
    )
