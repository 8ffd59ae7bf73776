"""Plugin hooks of the LLaMA-Factory exporter."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_exporters() -> Iterable[PluginSpec]:
    """Return the LLaMA-Factory exporter."""
    return (
        PluginSpec(
            kind="exporter",
            name="llamafactory",
            target="eigen_llamafactory.exporter:LlamaFactoryExporter",
            summary="Dialogues for LLaMA-Factory 0.9: ShareGPT conversations, with dataset_info.json beside them",
        ),
    )
