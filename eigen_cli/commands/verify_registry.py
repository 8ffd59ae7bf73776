"""`eigen verify-registry`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from eigen_cli.api.browsing import Sealed
from eigen_cli.api.store import Store
from eigen_cli.commands.generation_views import SCHEMA
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.record_views import PIPED
from eigen_cli.commands.verify_assembly import Auditor, Checked, checked_evaluation, checked_generation
from eigen_cli.commands.wiring import configured, open_store
from eigen_cli.console import Console, Line, fitted
from eigen_cli.exits import ExitCode
from eigen_cli.run.plugins import load_plugins

_SAMPLE = 10


@click.command("verify-registry")
@click.argument("generation", metavar="[GEN]...", nargs=-1)
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(min=0),
    default=_SAMPLE,
    show_default=True,
    help="Episodes of each generation to replay; 0 for none.",
)
@registry_option
@json_option
@common_options
@click.pass_obj
def verify_registry(
    console: Console, generation: tuple[str, ...], *, sample: int, registry: str | None, as_json: bool
) -> int:
    """Hash everything sealed again, and replay a sample of it.

    Every record of the generations named (all of them, and all evaluations, if none is) is read and hashed again, and
    what the registry repeats of it for its lists is compared. A sample of each generation's episodes then runs through
    today's tools and verifiers: tool results, the hashes of the final world and the verdict's parts must come out as
    they are stored. Where a domain is not installed, or is another version, nothing is replayed and that is said. Exit
    1 names what is damaged.

    Example: eigen verify-registry --sample 50
    """
    config = configured({"registry": ("--registry", registry)})
    store = open_store(config.registry)
    wanted = [one for ref in generation for one in store.sealed(ref)] if generation else store.sealed()
    auditor = Auditor(load_plugins(), config) if sample and wanted else None
    done = list(_checked(store, wanted, auditor, sample=sample, console=console))
    broken = [one for one in done if not one.sound]
    if as_json:
        listed = [{**_json(one), "sound": one.sound} for one in done]
        console.json({"schema": SCHEMA, "checked": listed, "damaged": [one.id for one in broken]})
    elif done:
        width = console.width(PIPED)
        for one in done:
            console.lines(_lines(one, width))
        whole = f"{len(done)} checked, {sum(one.replayed for one in done)} episodes replayed"
        console.data(f"{whole}: {f'{len(broken)} damaged' if broken else 'all sound'}", "red" if broken else "bold")
    else:
        console.note(f"nothing sealed in {store.folder} yet")
    if broken:
        console.error(f"damaged: {', '.join(one.id for one in broken)}", _hint(broken))
    return ExitCode.FAILED if broken else ExitCode.DONE


def _checked(
    store: Store, wanted: list[Sealed], auditor: Auditor | None, *, sample: int, console: Console
) -> Iterator[Checked]:
    for place, one in enumerate(wanted, start=1):
        console.progress(f"checking {one.id}, {place} of {len(wanted)}")
        if one.kind == "generation":
            yield checked_generation(store, one, auditor, sample=sample)
        else:
            yield checked_evaluation(store, one)


def _json(one: Checked) -> dict[str, object]:
    from msgspec.structs import asdict

    return asdict(one)


def _lines(one: Checked, width: int) -> Iterator[Line]:
    if one.damage:
        yield Line(fitted([(f"{one.id}  damaged", one.damage)], width), "red")
        return
    replays = f", {one.replayed} replayed" if one.replayed else ""
    if not one.differing:
        yield Line(f"{one.id}  sound{replays}")
    else:
        yield Line(f"{one.id}  whole, but {len(one.differing)} of {one.replayed} replays come out otherwise", "red")
    for replay in one.differing:
        rows = [(f"    {replay.episode}", difference) for difference in replay.differences]
        yield Line(fitted(rows, width), "red")
    for remark in one.remarks:
        yield Line(fitted([("   ", remark)], width), "yellow")


def _hint(broken: list[Checked]) -> str:
    if any(one.damage for one in broken):
        return (
            "pull a pushed one again, or move registry.duckdb away and run the same evolve command: it seals again "
            "from the journals"
        )
    return "the records are those that were sealed; look at what their domain or Python's version does otherwise today"
