"""`eigen pull`."""

from __future__ import annotations

import click

from eigen_cli.api.canonical import SHORT
from eigen_cli.commands.generation_views import SIMULATED, generation_json
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.wiring import open_hub, opened_store
from eigen_cli.console import Console


@click.command()
@click.argument("name", metavar="USER/DATASET[@TAG]")
@json_option
@registry_option
@common_options
@click.pass_obj
def pull(console: Console, name: str, *, as_json: bool, registry: str | None) -> None:
    """Fetch a generation from the Hugging Face Hub.

    Every hash is verified before it is sealed here, and what is sealed has the hash it was pushed with. Without a tag
    it is the generation that was pushed last. Nothing that is fetched is ever run, and an interrupted pull goes on
    where it was.

    Example: eigen pull acme/airline-agents@gen-0003
    """
    from eigen_cli.commands.generation_views import SCHEMA
    from eigen_cli.commands.push_assembly import repo_named, tag_named

    repo, _, tag = name.partition("@")
    revision = tag_named(tag) if tag else None
    console.progress(f"pulling {name}")
    store = opened_store(registry)
    known = {each.hash for each in store.generations()}
    generation = open_hub().pull(store, repo_named(repo), revision=revision)
    if generation.body.simulated:
        console.warn(f"{generation.id} is {SIMULATED}")
    if as_json:
        pulled = {"repo": repo, "revision": revision, "generation": generation_json(generation)}
        console.json({"schema": SCHEMA, **pulled})
    else:
        how = f"was here before, as in {name}" if generation.hash in known else f"pulled from {name}"
        console.data(f"{generation.id}  {generation.hash[:SHORT]}  {generation.body.domain}, {how}")
