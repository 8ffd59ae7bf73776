"""Specs of the OpenAI-compatible backend; importing this imports nothing heavy."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_backends() -> Iterable[PluginSpec]:
    """Return the `openai` backend."""
    return (
        PluginSpec(
            kind="backend",
            name="openai",
            target="eigen_openai.backend:OpenAIBackend",
            summary="Any server that speaks OpenAI's chat-completions protocol (vLLM, SGLang, llama.cpp, OpenAI)",
            options=(
                "backoff",
                "max_tokens_field",
                "patience",
                "requests_per_minute",
                "tokens_per_minute",
                "tool_choice",
                "parallel_tool_calls",
                "simulated_inputs",
                "trace_header",
            ),
        ),
    )
