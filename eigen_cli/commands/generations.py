"""`eigen generations`."""

from __future__ import annotations

import click

from eigen_cli.commands.generation_views import SCHEMA, generation_json
from eigen_cli.commands.lineage_views import Names, lineage_json, lineage_table
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.tables import ENDLESS
from eigen_cli.commands.wiring import opened_store
from eigen_cli.console import Console
from eigen_cli.evolve.lineage import Lineage
from eigen_cli.nearest import nearest_hint


@click.command()
@click.option("--domain", metavar="NAME", help="Only those with this domain.")
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Only the newest N.")
@registry_option
@json_option
@common_options
@click.pass_obj
def generations(
    console: Console, *, domain: str | None, limit: int | None, registry: str | None, as_json: bool
) -> None:
    """List the sealed generations as the tree they form.

    A line begins at `+`, and branches at `|-*`, where rounds were made anew from an earlier generation; `o` stands for
    one whose parent is not listed, `?` for one that is damaged. On a narrow terminal some columns are left out.

    Example: eigen generations --domain airline --limit 20
    """
    store = opened_store(registry)
    listing = store.listing()
    sealed, lineage, names = listing.generations, Lineage(listing.generations), Names.of(listing)
    wanted = [generation for generation in sealed if domain is None or domain in generation.body.by_domain]
    wanted = wanted[-limit:] if limit else wanted
    if as_json:
        listed = [{**generation_json(each), **lineage_json(each, lineage, names)} for each in wanted]
        console.json({"schema": SCHEMA, "generations": listed, "damaged": listing.damaged})
    elif wanted or listing.damaged:
        limbs = list(Lineage(wanted).drawn())  # a line through one left out would join what does not belong together
        console.data(lineage_table(limbs, lineage, names, width=console.width(ENDLESS)))
    elif sealed:
        hint = nearest_hint(domain or "", (name for each in sealed for name in each.body.by_domain))
        console.note(f"no generation of {domain} in {store.folder}; {hint}")
    else:
        console.note(f"no generations in {store.folder} yet; `eigen evolve airline --rounds 5` makes five")
    for damaged in listing.damaged:
        console.warn(damaged.why)
