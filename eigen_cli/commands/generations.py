"""`eigen generations`."""

from __future__ import annotations

import click

from eigen_cli.commands.generation_views import SCHEMA, generation_json, generations_table
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.wiring import opened_store
from eigen_cli.console import Console


@click.command()
@registry_option
@json_option
@common_options
@click.pass_obj
def generations(console: Console, registry: str | None, as_json: bool) -> None:
    """List the sealed generations.

    Example: eigen generations
    """
    store = opened_store(registry)
    sealed = store.generations()
    if as_json:
        console.json({"schema": SCHEMA, "generations": [generation_json(generation) for generation in sealed]})
    elif sealed:
        console.data(generations_table(sealed))
    else:
        console.note(f"no generations in {store.folder} yet; `eigen evolve airline --rounds 5` makes five")
