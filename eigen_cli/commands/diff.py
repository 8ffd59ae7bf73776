"""`eigen diff`."""

from __future__ import annotations

import click

from eigen_cli.api.errors import UnknownRefError
from eigen_cli.commands.diff_views import diff_json, diff_lines, head_lines, slot_lines
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.record_views import PIPED
from eigen_cli.commands.wiring import opened_store
from eigen_cli.console import Console
from eigen_cli.evaluation.generation_diff import GenerationDiff, generation_diff
from eigen_cli.evaluation.plan_diff import SlotChange
from eigen_cli.evolve.lineage import Lineage
from eigen_cli.nearest import nearest_hint


@click.command()
@click.argument("before")
@click.argument("after")
@click.option("--plan", metavar="SLOT", help="Show what became of this plan slot whole: 0, or airline:0.")
@registry_option
@json_option
@common_options
@click.pass_obj
def diff(console: Console, before: str, after: str, *, plan: str | None, registry: str | None, as_json: bool) -> None:
    """Show what changed from one generation to another.

    Both are ids, tags, hashes or `latest`. Shown is what they were made differently by, acceptance and pass rates with
    intervals, the tasks added, dropped and changed, the coverage won and lost by name, what became of every plan, how
    rejections, blame and stops shifted, and what each cost.

    Example: eigen diff gen-0001 latest
    """
    store = opened_store(registry)
    first, second = store.generation(before), store.generation(after)
    found = generation_diff(store, first, second)
    relation = Lineage(store.generations()).relation(first, second)
    slots = found.plans if plan is None else _wanted(found, plan)
    if as_json:
        console.json({**diff_json(found, relation), "plans": slots})
        return
    width = console.width(PIPED)
    if plan is None:
        console.lines(diff_lines(found, relation, width=width))
        return
    console.lines(head_lines(found, relation, width=width))
    for change in slots:
        console.lines(slot_lines(change, width=width, shown=None))


def _wanted(found: GenerationDiff, slot: str) -> tuple[SlotChange, ...]:
    """Return the slots that `SLOT` or `DOMAIN:SLOT` names: one of each domain, or one."""
    names = {f"{change.domain}:{change.slot}": change for change in found.plans}
    chosen = tuple(change for name, change in names.items() if slot in (name, name.rpartition(":")[2]))
    if not chosen:
        raise UnknownRefError(f"neither generation has a plan slot {slot!r}", hint=nearest_hint(slot, names))
    return chosen
