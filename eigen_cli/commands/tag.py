"""`eigen tag`."""

from __future__ import annotations

import click

from eigen_cli.api.canonical import SHORT
from eigen_cli.commands.generation_views import SCHEMA
from eigen_cli.commands.lineage_views import LATEST
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.wiring import opened_store
from eigen_cli.console import Console, aligned


@click.command()
@click.argument("generation", metavar="[GEN]", required=False)
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--delete", metavar="NAME", help="Forget this tag; its generation stays.")
@registry_option
@json_option
@common_options
@click.pass_obj
def tag(
    console: Console,
    generation: str | None,
    name: str | None,
    *,
    delete: str | None,
    registry: str | None,
    as_json: bool,
) -> None:
    """List the tags, or let one name a generation.

    A tag moves when it is given to another generation. It stands for its generation wherever GEN is asked for, and
    keeps it from `eigen gc`. `latest` is always the newest generation and cannot be given.

    Example: eigen tag gen-0003 best
    """
    if delete is not None and generation is not None:
        raise click.UsageError("--delete takes the tag's name and nothing else")
    if generation is not None and name is None:
        raise click.UsageError("a generation needs a NAME: eigen tag GEN NAME")
    store = opened_store(registry)
    if delete is not None:
        store.untag(delete)
        console.note(f"forgot the tag {delete}")
    if generation is not None and name is not None:
        known = store.listing()
        found = store.tag(name, generation)
        moved_from = known.tags.get(name, found.hash)
        before = next((each.id for each in known.generations if each.hash == moved_from != found.hash), None)
        console.note(
            f"{name} now names {found.id} ({found.hash[:SHORT]}){f', and no longer {before}' if before else ''}"
        )
    listing = store.listing()
    ids = {each.hash: each.id for each in listing.generations} | {each.hash: each.id for each in listing.damaged}
    tags = {**dict(sorted(listing.tags.items())), **({LATEST: listing.latest} if listing.latest else {})}
    if as_json:
        listed = [{"tag": each, "hash": hash_, "id": ids.get(hash_)} for each, hash_ in tags.items()]
        console.json({"schema": SCHEMA, "tags": listed})
    elif delete is None and generation is None:
        rows = [(each, ids.get(hash_, "not here"), hash_[:SHORT]) for each, hash_ in tags.items()]
        if rows:
            console.data(aligned(rows, header=("tag", "id", "hash")))
        else:
            console.note(f"no tags in {store.folder} yet; `eigen tag GEN NAME` gives one")
