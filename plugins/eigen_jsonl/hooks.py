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
            summary="One JSON object a line and episode: task, messages and verdict, whole",
        ),
    )
