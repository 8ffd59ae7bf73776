"""`eigen export`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

import click

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.exporter import Exporter, ExportReport
from eigen_cli.api.store import Store
from eigen_cli.commands.generation_views import SIMULATED
from eigen_cli.commands.options import common_options, completed_plugins, registry_option
from eigen_cli.commands.wiring import opened_store
from eigen_cli.console import Console
from eigen_cli.run.plugins import load_plugins


@click.command()
@click.argument("generation", metavar="[GEN]", default="latest")
@click.option(
    "--format",
    "format_name",
    default="jsonl",
    shell_complete=completed_plugins("exporter"),
    help="Exporter plugin (default jsonl).",
)
@click.option("-o", "--output", required=True, metavar="FILE", help="File to write; - is stdout.")
@registry_option
@common_options
@click.pass_obj
def export(console: Console, generation: str, *, format_name: str, output: str, registry: str | None) -> None:
    """Write a generation in another format.

    GEN is an id (gen-0001), a hash or a prefix of one; the latest if left out.

    Example: eigen export gen-0001 --format jsonl -o episodes.jsonl
    """
    exporter = load_plugins().load("exporter", format_name)()
    store = opened_store(registry)
    found = store.generation(generation)
    if found.body.simulated:
        console.warn(f"{found.id} is {SIMULATED}")
    if output == "-":
        with console.binary() as out:
            report = exporter.write(store, found.id, out)
    else:
        _refuse_registry(output, store)
        report = _written(exporter, store, found.id, path=output)
    console.note(f"{found.id}: {report.rows} rows written to {'stdout' if output == '-' else output}")
    for loss in report.losses:
        console.warn(f"{format_name}: {loss}")


def _refuse_registry(path: str, store: Store) -> None:
    """Refuse to write over the registry that is being read."""
    try:
        target, folder = Path(path).resolve(), store.folder.resolve()
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"{path} cannot be written: {error}", hint="name an ordinary file") from error
    if (target.name.startswith("registry.duckdb") and target.parent == folder) or folder / "journals" in target.parents:
        raise ConfigError(f"{path} is part of the registry", hint="name a file outside it")


def _written(exporter: Exporter, store: Store, generation: str, *, path: str) -> ExportReport:
    """Write to a file that appears under its name only when it is whole; devices and pipes are written to."""
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with _opened(target, path) as out:
            return exporter.write(store, generation, out)
    partial = target.with_name(f"{target.name}.partial-{os.getpid()}")
    out = _opened(partial, path)
    try:
        with out:
            report = exporter.write(store, generation, out)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return report


def _opened(target: Path, path: str) -> BinaryIO:
    """Open a file to write; raise `ConfigError` that names the path as it was given, whatever is wrong with it."""
    try:
        return target.open("wb")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if not target.parent.is_dir():
            reason = f"there is no folder {Path(path).parent}"
        raise ConfigError(
            f"{path} cannot be written: {reason}", hint="name a file in a folder that exists and may be written to"
        ) from error
