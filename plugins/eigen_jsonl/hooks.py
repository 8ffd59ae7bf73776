"""Plugin hooks of the JSON Lines exporter."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_exporters() -> Iterable[PluginSpec]:
    """Return the JSON Lines exporter."""
    return (
        PluginSpec(
            kind="exporter",
            name="jsonl",
            target="eigen_jsonl.exporter:JsonLinesExporter",
            summary="Raw episodes for analysis, one JSON object a line: task, messages, verdict; no prompts, no tools",
        ),
    )
