"""What restores a generation: its records as Parquet, in the bytes that its hash covers.

    generation/episodes/SPLIT-…   generation/plans/train-…   generation/tasks/part-…   and so on

Episodes lie in a file for each split, and plans in one, so that they are configs to load as they are; every row knows
its place among all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from eigen_cli.api.backend import Usage
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.episodes import Episode
from eigen_cli.api.errors import HubRefusalError, RegistryError
from eigen_cli.api.generations import (
    EpisodeRecord,
    Generation,
    GenerationContents,
    InjectedFault,
    Opening,
    ProposalRecord,
    ToolSet,
)
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.releases import GENERATION
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Split, Task
from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_registry.hashing import contents_digests
from eigen_registry.hub.shards import Columns, ShardWriter, read_rows

R = TypeVar("R")
S = TypeVar("S", bound=msgspec.Struct)
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
_UNSPLIT = "part"
PLANS_SPLIT: Split = "train"
"""A config must have a split: plans, which belong to none, are under this one."""


@dataclass(frozen=True)
class Kind(Generic[R]):
    """One kind of record: the folder its files lie in, its columns, and the way there and back.

    `row` gives a record's values in the order of `columns`; `record` reads it from those named in `restores`.
    """

    name: str
    columns: Columns
    row: Callable[[R], tuple[Any, ...]]
    restores: tuple[str, ...]
    record: Callable[..., R]

    def write(self, folder: Path, records: Iterable[R], *, split: Callable[[R], str]) -> None:
        """Write the records in order, each to the files of its split."""
        columns: Columns = {"ordinal": "integer", **self.columns}
        place, writers = folder / GENERATION / self.name, dict[str, ShardWriter]()
        for ordinal, record in enumerate(records):
            stem = split(record)
            if stem not in writers:
                writers[stem] = ShardWriter(place, stem, columns)
            writers[stem].add((ordinal, *self.row(record)))
        for writer in writers.values():
            writer.close()

    def read(self, folder: Path) -> Iterator[R]:
        """Yield the records in order."""
        paths = sorted((folder / GENERATION / self.name).glob("*.parquet"))
        restored: Columns = {name: self.columns[name] for name in self.restores}
        for row in read_rows(paths, {"ordinal": "integer", **restored}):
            try:
                yield self.record(*row[1:])
            except (msgspec.MsgspecError, TypeError) as error:
                raise HubRefusalError(
                    f"row {row[0]} of {self.name} is no record: {error}", hint="was it pushed by another eigen?"
                ) from error


def write_generation(store: Store, ref: str, folder: Path) -> None:
    """Write a generation's records below a folder; raise `RegistryError` where they are not those it pins."""
    generation = store.generation(ref)
    ref = generation.hash
    splits = {task.id: task.split for task in store.tasks(ref)}
    PLANS.write(folder, store.plans(ref), split=lambda _: PLANS_SPLIT)
    TASKS.write(folder, store.tasks(ref), split=lambda _: _UNSPLIT)
    REJECTED.write(folder, store.rejected(ref), split=lambda _: _UNSPLIT)
    EPISODES.write(folder, store.episodes(ref), split=lambda record: splits[record.episode.task])
    FAULTS.write(folder, store.faults(ref), split=lambda _: _UNSPLIT)
    OPENINGS.write(folder, store.openings(ref), split=lambda _: _UNSPLIT)
    TOOLSETS.write(folder, store.toolsets(ref), split=lambda _: _UNSPLIT)
    _check(generation, folder)


def restored_contents(folder: Path) -> GenerationContents:
    """Return a generation's records as a store seals them; each kind is read from its files whenever it is iterated."""
    return GenerationContents(
        plans=_Restored(PLANS, folder),
        tasks=_Restored(TASKS, folder),
        rejected=_Restored(REJECTED, folder),
        episodes=_Restored(EPISODES, folder),
        faults=_Restored(FAULTS, folder),
        openings=_Restored(OPENINGS, folder),
        toolsets=_Restored(TOOLSETS, folder),
    )


class _Restored(Generic[R]):
    def __init__(self, kind: Kind[R], folder: Path) -> None:
        self._kind = kind
        self._folder = folder

    def __iter__(self) -> Iterator[R]:
        return self._kind.read(self._folder)


def _check(generation: Generation, folder: Path) -> None:
    """Hash what was written as whoever pulls it will: nothing is pushed that could not be restored."""
    digests = contents_digests(restored_contents(folder))
    changed = [kind for kind, sealed in generation.body.contents.items() if digests.get(kind) != sealed]
    if changed:
        raise RegistryError(
            f"the {' and '.join(changed)} of {generation.id} are not those it was sealed with",
            hint="`eigen verify-registry` says more; records sealed by a much older eigen cannot be pushed",
        )


def _text(record: msgspec.Struct) -> str:
    return canonical_json(record).decode()


def _kept_order(record: msgspec.Struct) -> str:
    """Return JSON whose keys stay in the order they were sent to a model."""
    return msgspec.json.encode(record).decode()


def _decoder(record: type[S]) -> Callable[[str], S]:
    return msgspec.json.Decoder(record).decode


def _plan(record: PlanRecord) -> tuple[Any, ...]:
    body = record.plan.body
    return (record.plan.id, body.domain, body.slot, record.status, body.parent, _text(record))


def _task(task: Task) -> tuple[Any, ...]:
    return (task.id, task.domain, task.family, task.split, task.difficulty, _text(task))


def _proposal(record: ProposalRecord) -> tuple[Any, ...]:
    reasons = [rejection.reason for rejection in record.rejections]
    return (record.key, record.plan, record.template, record.attempts, reasons, _text(record))


def _episode(record: EpisodeRecord) -> tuple[Any, ...]:
    episode, verdict = record.episode, record.verdict
    blame = verdict.blame.party if verdict.blame else None
    light = (episode.id, episode.task, episode.trial, episode.stop, verdict.reward, verdict.passed, blame)
    return (*light, _text(episode), _text(verdict), _text(record.usage))


_read_episode, _read_verdict, _read_usage = _decoder(Episode), _decoder(EpisodeVerdict), _decoder(Usage)

PLANS = Kind(
    "plans",
    {"id": "text", "domain": "text", "slot": "integer", "status": "text", "parent": "text", "body": "text"},
    _plan,
    ("body",),
    _decoder(PlanRecord),
)
TASKS = Kind(
    "tasks",
    {"id": "text", "domain": "text", "family": "text", "split": "text", "difficulty": "integer", "body": "text"},
    _task,
    ("body",),
    _decoder(Task),
)
REJECTED = Kind(
    "rejected",
    {"id": "text", "plan": "text", "template": "text", "attempts": "integer", "reasons": "texts", "body": "text"},
    _proposal,
    ("body",),
    _decoder(ProposalRecord),
)
EPISODES: Kind[EpisodeRecord] = Kind(
    "episodes",
    {
        "id": "text",
        "task": "text",
        "trial": "integer",
        "stop": "text",
        "reward": "number",
        "passed": "truth",
        "blame": "text",
        "body": "text",
        "verdict": "text",
        "observed": "text",
    },
    _episode,
    ("body", "verdict", "observed"),
    lambda body, verdict, observed: EpisodeRecord(_read_episode(body), _read_verdict(verdict), _read_usage(observed)),
)
FAULTS: Kind[InjectedFault] = Kind(
    "faults",
    {"id": "text", "role": "text", "turn": "integer", "fault": "text"},
    msgspec.structs.astuple,
    ("id", "role", "turn", "fault"),
    lambda *row: msgspec.convert(dict(zip(InjectedFault.__struct_fields__, row, strict=True)), InjectedFault),
)
OPENINGS: Kind[Opening] = Kind(
    "openings",
    {"id": "text", "domain": "text", "side": "text", "body": "text"},
    lambda opening: (opening.task or opening.domain, opening.domain, opening.side, _kept_order(opening)),
    ("body",),
    _decoder(Opening),
)
TOOLSETS: Kind[ToolSet] = Kind(
    "toolsets",
    {"id": "text", "domain": "text", "side": "text", "body": "text"},
    lambda tools: (f"{tools.domain}/{tools.side}", tools.domain, tools.side, _kept_order(tools)),
    ("body",),
    _decoder(ToolSet),
)
