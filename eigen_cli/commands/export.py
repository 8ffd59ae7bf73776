"""`eigen export`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from eigen_cli.api.errors import ConfigError, GateError
from eigen_cli.api.exporter import Exporter
from eigen_cli.api.generations import Generation
from eigen_cli.api.samples import SAMPLE_KINDS, SampleKind
from eigen_cli.api.store import Store
from eigen_cli.commands.export_options import is_training, kind_of, selection_of, selection_options
from eigen_cli.commands.generation_views import SIMULATED
from eigen_cli.commands.options import common_options, completed_plugins, json_option, registry_option
from eigen_cli.commands.wiring import opened_store
from eigen_cli.console import Console
from eigen_cli.run.plugins import load_plugins


@click.command()
@click.argument("generation", metavar="[GEN]", default="latest")
@click.option(
    "--format",
    "format_name",
    default="jsonl",
    metavar="NAME",
    shell_complete=completed_plugins("exporter"),
    help="Exporter plugin (default jsonl); `eigen plugins` lists them.",
)
@click.option("--kind", type=click.Choice(SAMPLE_KINDS), help="What to write (default: the format's first kind).")
@click.option("-o", "--output", required=True, metavar="FILE", help="File to write; - is stdout.")
@selection_options
@click.option("--strict", is_flag=True, help="Fail (exit 4), writing nothing, where the format cannot say everything.")
@click.option("--allow-offline", is_flag=True, help="Write training data from simulated dialogues all the same.")
@json_option
@registry_option
@common_options
@click.pass_obj
def export(
    console: Console,
    /,
    generation: str,
    *,
    format_name: str,
    kind: str | None,
    output: str,
    strict: bool,
    allow_offline: bool,
    as_json: bool,
    registry: str | None,
    **selecting: Any,
) -> None:
    """Write a generation in another format.

    GEN is an id (gen-0001), a hash or a prefix of one, or a tag; the latest if left out. Of one generation come
    dialogues to learn, as its agents (agent_sft) or as its users (user_sft) saw them, tasks to reinforce (rl_tasks),
    and raw episodes.

    Example: eigen export gen-0001 --format jsonl -o episodes.jsonl
    """
    from eigen_cli.commands.export_views import exported_json, say_exported
    from eigen_cli.commands.export_writing import write_export
    from eigen_cli.training.source import GenerationSource

    exporter: Exporter = load_plugins().load("exporter", format_name)()
    which = kind_of(exporter, kind)
    selection = selection_of(exporter, which, selecting)
    if as_json and output == "-":
        raise ConfigError("--json and -o - both want stdout", hint="name a file")
    store = opened_store(registry)
    found = store.generation(generation)
    _label(console, found, exporter, which, allowed=allow_offline)
    if output != "-":
        _refuse_registry(output, store)
    source = GenerationSource(store, found, selection)
    done = write_export(console, exporter, source, which, output=output, strict=strict)
    say_exported(console, done, source.tally)
    if as_json:
        console.json(exported_json(done, source.tally))
    if done.refused:
        raise GateError(
            f"{format_name} cannot say everything of {found.id}, and nothing was written (--strict)",
            hint="leave --strict out, or choose another format",
        )


def _label(console: Console, found: Generation, exporter: Exporter, kind: SampleKind, *, allowed: bool) -> None:
    """Say that a generation is simulated; raise `GateError` where it would become training data."""
    if not found.body.simulated:
        return
    if is_training(exporter, kind) and not allowed:
        raise GateError(f"{found.id} is {SIMULATED}", hint="--allow-offline writes it all the same, to try things out")
    console.warn(f"{found.id} is {SIMULATED}")


def _refuse_registry(path: str, store: Store) -> None:
    """Refuse to write over the registry that is being read."""
    try:
        target, folder = Path(path).resolve(), store.folder.resolve()
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"{path} cannot be written: {error}", hint="name an ordinary file") from error
    of_registry = {folder / name for name in ("journals", "generations", "evaluations")}
    if (target.name.startswith("registry.duckdb") and target.parent == folder) or of_registry & set(target.parents):
        raise ConfigError(f"{path} is part of the registry", hint="name a file outside it")
