"""Plugin hooks of the local backend; importing this imports nothing heavy."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_backends() -> Iterable[PluginSpec]:
    """Return the local backend."""
    return (
        PluginSpec(
            kind="backend",
            name="local",
            target="eigen_llamacpp.backend:LocalBackend",
            summary="A small model in this process (llama.cpp, any GGUF); by default SmolLM2-135M, for the agent alone",
            options=("n_ctx", "n_threads", "seed", "examples"),
        ),
    )
