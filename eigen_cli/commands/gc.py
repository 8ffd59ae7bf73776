"""`eigen gc`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from eigen_cli.api.errors import ConfigError, EigenError, RegistryError
from eigen_cli.api.generations import Generation
from eigen_cli.api.store import Store
from eigen_cli.commands.generation_views import SCHEMA, domain_text, size_text
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.wiring import opened_store
from eigen_cli.console import Console, aligned
from eigen_cli.evolve.retention import NEWEST, Fate, fates, removal_order
from eigen_cli.exits import ExitCode


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what would go, and why the rest stays.")
@click.option(
    "--keep",
    metavar="N",
    type=click.IntRange(min=1),
    default=NEWEST,
    show_default=True,
    help="Keep the newest N of every domain.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@registry_option
@json_option
@common_options
@click.pass_obj
def gc(console: Console, *, dry_run: bool, keep: int, yes: bool, registry: str | None, as_json: bool) -> int:
    """Delete generations that nothing needs.

    Kept is what has a tag, what was pushed, what an evaluation here is about, the newest of every domain, and
    everything any of these was made from. What goes is gone for good, and with it what killed writers left half written
    (with --yes also where nothing else goes). Evaluations and journals stay. While the catalogue has a row that cannot
    be read nothing goes: it might have been made from anything.

    Example: eigen gc --dry-run --keep 5
    """
    store = opened_store(registry)
    found = _fates(store, keep)
    doomed = removal_order([fate.generation for fate in found if not fate.kept])
    sizes = {fate.generation.hash: _size(store, fate.generation) for fate in found}
    if not as_json and found:
        console.data(_table(found, sizes))
    if not as_json and not found:
        console.note(f"no generations in {store.folder} yet")
    freeable = sum(sizes[generation.hash] for generation in doomed)
    if doomed and not dry_run:
        _refuse_unasked(console, f"delete {_counted(doomed)}, {size_text(freeable)}, for good?", yes=yes)
    removed, problems = ([], []) if dry_run else _removed(store, doomed, console)
    # What killed writers left has no name to be asked about: it goes with what was agreed to.
    leftovers = store.clean() if not dry_run and (doomed or yes) else 0
    freed = sum(size for _, size in removed)
    if as_json:
        listed = [_fate_json(fate, sizes[fate.generation.hash]) for fate in found]
        gone = {
            "removed": [generation.id for generation, _ in removed],
            "bytes_freed": freed,
            "problems": problems,
            "leftovers": leftovers,
        }
        console.json({"schema": SCHEMA, "generations": listed, "dry_run": dry_run, "keep": keep, **gone})
    elif not doomed and found:
        console.note(f"nothing to delete{f' but {size_text(leftovers)} that killed writers left' if leftovers else ''}")
    elif doomed and dry_run:
        console.note(f"would delete {_counted(doomed)} and free {size_text(freeable)}")
    elif doomed:
        freed += leftovers
        console.note(f"deleted {_counted([generation for generation, _ in removed])} and freed {size_text(freed)}")
    return ExitCode.FAILED if problems else ExitCode.DONE


def _fates(store: Store, keep: int) -> list[Fate]:
    """Return what becomes of every generation; raise `RegistryError` where a row of the catalogue cannot be read.

    What such a generation was made from, or such an evaluation is about, is not known, and deleting is for good.
    """
    evaluated = {body.generation: one.id for one in store.evaluations() if (body := one.body).generation is not None}
    listing = store.listing()
    if listing.damaged:
        first, others = listing.damaged[0], len(listing.damaged) - 1
        raise RegistryError(
            f"nothing is deleted: {first.why}{f' (and {others} more)' if others else ''}",
            hint="what it was made from is to stay and not known; `eigen verify-registry` names all that is damaged",
        )
    return fates(
        listing.generations,
        newest=keep,
        tags=listing.tags,
        pushed=(push.hash for push in listing.pushes),
        evaluated=evaluated,
    )


def _size(store: Store, generation: Generation) -> int:
    """Return how many bytes a generation takes: none where its contents are lost, which must keep no other."""
    try:
        return store.size(generation.hash)
    except RegistryError:
        return 0


def _refuse_unasked(console: Console, question: str, *, yes: bool) -> None:
    """Ask on a terminal; elsewhere only `--yes` is an answer. Raises `ConfigError` for everything but yes."""
    if not yes and not console.confirmed(question):
        raise ConfigError("nothing was deleted", hint="answer yes on a terminal, or give --yes; --dry-run only looks")


def _removed(
    store: Store, doomed: Sequence[Generation], console: Console
) -> tuple[list[tuple[Generation, int]], list[str]]:
    """Remove generations, children first; what cannot be removed is said, and the others go all the same."""
    removed: list[tuple[Generation, int]] = []
    problems: list[str] = []
    for place, generation in enumerate(doomed, start=1):
        console.progress(f"deleting {generation.id}, {place} of {len(doomed)}")
        try:
            removed.append((generation, store.remove(generation.hash)))
        except EigenError as error:
            problems.append(f"{generation.id}: {error.message}")
            console.warn(f"{generation.id} stays: {error.message}")
    return removed, problems


def _fate_json(fate: Fate, size: int) -> dict[str, str | int | bool]:
    generation = fate.generation
    return {"id": generation.id, "hash": generation.hash, "kept": fate.kept, "why": fate.why, "bytes": size}


def _table(found: Sequence[Fate], sizes: dict[str, int]) -> str:
    rows = [
        (
            "keep" if fate.kept else "delete",
            fate.generation.id,
            domain_text(fate.generation.body),
            str(fate.generation.body.round),
            size_text(sizes[fate.generation.hash]),
            fate.why,
        )
        for fate in found
    ]
    return aligned(rows, header=("", "id", "domain", "round", "size", "why"), right=(3, 4))


def _counted(generations: Sequence[Generation]) -> str:
    return f"{len(generations)} generation{'' if len(generations) == 1 else 's'}"
