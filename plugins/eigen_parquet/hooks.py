"""Plugin hooks of the Parquet exporters."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_exporters() -> Iterable[PluginSpec]:
    """Return the Parquet exporter and its twin for readers without a JSON type."""
    return (
        PluginSpec(
            kind="exporter",
            name="parquet",
            target="eigen_parquet.exporter:ParquetExporter",
            summary="Rows of any kind in Parquet, as pushed to the Hub: chats and tools as lists of JSON values",
        ),
        PluginSpec(
            kind="exporter",
            name="parquet-compat",
            target="eigen_parquet.exporter:CompatParquetExporter",
            summary="The same rows with every JSON value as text: for datasets 4.0.0 and LLaMA-Factory",
        ),
    )
