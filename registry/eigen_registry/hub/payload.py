"""What restores a generation: its records as Parquet, in the bytes that its hash covers.

    generation/episodes/SPLIT-…   generation/plans/train-…   generation/tasks/part-…   and so on

The columns are those of the registry's own tables. Episodes lie in a file for each split, and plans in one, so that
they are configs to load as they are; every row knows its place among all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from eigen_cli.api.errors import HubRefusalError, RegistryError
from eigen_cli.api.generations import EpisodeRecord, Generation, GenerationContents
from eigen_cli.api.releases import GENERATION
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Split
from eigen_registry.codec import (
    EPISODES,
    FAULTS,
    OF_GENERATIONS,
    OPENINGS,
    PLANS,
    PROPOSALS,
    TASKS,
    TOOLSETS,
    Layout,
)
from eigen_registry.hashing import contents_digests
from eigen_registry.hub.shards import Columns, ColumnType, ShardWriter, read_rows

R = TypeVar("R")
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
_UNSPLIT = "part"
_OTHER = "was it pushed by another eigen?"
PLANS_SPLIT: Split = "train"
"""A config must have a split: plans, which belong to none, are under this one."""
_TYPES: Mapping[str, ColumnType] = {
    **dict.fromkeys(("slot", "difficulty", "attempts", "trial", "turns", "turn"), "integer"),
    **dict.fromkeys(("reasons", "clauses", "tools"), "texts"),
    "reward": "number",
    "passed": "truth",
}
"""The light columns that are no text."""


def _columns(names: Iterable[str]) -> Columns:
    return {"ordinal": "integer", **{name: _TYPES.get(name, "text") for name in names}}


def write_records(folder: Path, layout: Layout[R], records: Iterable[R], *, split: Callable[[R], str]) -> None:
    """Write the records of a table in order, each to the files of its split."""
    columns = _columns((*layout.light, *layout.stored))
    place, writers = folder / GENERATION / layout.field, dict[str, ShardWriter]()
    for ordinal, record in enumerate(records):
        stem = split(record)
        if stem not in writers:
            writers[stem] = ShardWriter(place, stem, columns)
        stored = (column.decode() for column in layout.stored_of(record))
        writers[stem].add((ordinal, *layout.light_of(record), *stored))
    for writer in writers.values():
        writer.close()


def read_records(folder: Path, layout: Layout[R]) -> Iterator[R]:
    """Yield the records of a table in order."""
    paths = sorted((folder / GENERATION / layout.field).glob("*.parquet"))
    for ordinal, *row in read_rows(paths, _columns(layout.columns)):
        if None in row:
            raise HubRefusalError(f"row {ordinal} of {layout.field} is not whole", hint=_OTHER)
        try:
            yield layout.record(*row)
        except RegistryError as error:
            raise HubRefusalError(
                f"row {ordinal} of {layout.field} is no record: {error.message}", hint=_OTHER
            ) from error


def write_generation(store: Store, ref: str, folder: Path) -> None:
    """Write a generation's records below a folder; raise `RegistryError` where they are not those it pins."""
    generation = store.generation(ref)
    ref = generation.hash
    splits = {task.id: task.split for task in store.tasks(ref)}

    def split_of(record: EpisodeRecord) -> str:
        return splits[record.episode.task]

    def unsplit(_: Any) -> str:
        return _UNSPLIT

    write_records(folder, PLANS, store.plans(ref), split=lambda _: PLANS_SPLIT)
    write_records(folder, TASKS, store.tasks(ref), split=unsplit)
    write_records(folder, PROPOSALS, store.rejected(ref), split=unsplit)
    write_records(folder, EPISODES, store.episodes(ref), split=split_of)
    write_records(folder, FAULTS, store.faults(ref), split=unsplit)
    write_records(folder, OPENINGS, store.openings(ref), split=unsplit)
    write_records(folder, TOOLSETS, store.toolsets(ref), split=unsplit)
    _check(generation, folder)


def restored_contents(folder: Path) -> GenerationContents:
    """Return a generation's records as a store seals them; like its own they are there to be read once."""
    return GenerationContents(**{layout.field: read_records(folder, layout) for layout in OF_GENERATIONS})


def _check(generation: Generation, folder: Path) -> None:
    """Hash what was written as whoever pulls it will: nothing is pushed that could not be restored."""
    digests = contents_digests(restored_contents(folder))
    changed = [kind for kind, sealed in generation.body.contents.items() if digests.get(kind) != sealed]
    if changed:
        raise RegistryError(
            f"the {' and '.join(changed)} of {generation.id} are not those it was sealed with",
            hint="`eigen verify-registry` says more; records sealed by a much older eigen cannot be pushed",
        )
