"""The rows of a release that exporters write: every kind and split, in shards, each kind with its compatible twin.

Samples are made once a kind and laid down beside the release, a file a split, from which every exporter reads them.
"""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, get_args

import msgspec

from eigen_cli.api.exporter import Exporter, ExportSource
from eigen_cli.api.generations import EpisodeRecord, Generation
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.releases import DATA
from eigen_cli.api.samples import ChatSample, RlTask, SampleKind
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Split, Task
from eigen_cli.run.plugins import PluginIndex
from eigen_cli.training.selection import Selection
from eigen_cli.training.source import GenerationSource

SPLITS: tuple[Split, ...] = get_args(Split)
KINDS: tuple[SampleKind, ...] = ("agent_sft", "user_sft", "rl_tasks")
WRITERS = {"": "parquet", "_compat": "parquet-compat"}
"""Exporter by what a config's name ends in."""
SHARD_ROWS = 20_000
"""Rows of a file: about 160 MB of text, well below the size at which files are unwieldy on the Hub."""


def write_rows(
    store: Store, generation: Generation, index: PluginIndex, folder: Path, *, shard_rows: int = SHARD_ROWS
) -> None:
    """Write `data/CONFIG/SPLIT-…parquet` below a folder; a split without rows has no file."""
    source = GenerationSource(store, generation)
    exporters: dict[str, Exporter] = {ending: index.load("exporter", name)() for ending, name in WRITERS.items()}
    for kind in KINDS:
        with tempfile.TemporaryDirectory(prefix="samples-", dir=folder.parent) as place:
            for split, path in _laid_down(_samples(store, generation, kind), Path(place)).items():
                for ending, exporter in exporters.items():
                    stem = folder / DATA / f"{kind}{ending}" / split
                    _write_shards(exporter, source, kind, samples=path, stem=stem, shard_rows=shard_rows)


def _samples(store: Store, generation: Generation, kind: SampleKind) -> Iterator[ChatSample | RlTask]:
    """Yield the samples that `eigen export` selects of each split; only for tasks does that depend on the split."""
    if kind != "rl_tasks":
        yield from GenerationSource(store, generation).chats(kind)
        return
    for split in SPLITS:
        yield from GenerationSource(store, generation, Selection(split=split)).rl_tasks()


def _laid_down(samples: Iterator[ChatSample | RlTask], place: Path) -> dict[Split, Path]:
    """Write samples as lines of JSON, a file a split, and return the files."""
    paths: dict[Split, Path] = {}
    with contextlib.ExitStack() as stack:
        files: dict[Split, BinaryIO] = {}
        for sample in samples:
            split = sample.origin.split
            if split not in files:
                paths[split] = place / split
                files[split] = stack.enter_context(paths[split].open("wb"))
            files[split].write(msgspec.json.encode(sample) + b"\n")
    return paths


def _write_shards(
    exporter: Exporter, source: ExportSource, kind: SampleKind, *, samples: Path, stem: Path, shard_rows: int
) -> None:
    stem.parent.mkdir(parents=True, exist_ok=True)
    with samples.open("rb") as lines:
        count = -(-sum(1 for _ in lines) // shard_rows)
        lines.seek(0)
        for number in range(count):
            path = stem.with_name(f"{stem.name}-{number:05d}-of-{count:05d}.parquet")
            with path.open("wb") as out:
                exporter.write(_Shard(source, itertools.islice(lines, shard_rows)), kind, out)


class _Shard:
    """Some of a source's samples as a source of their own; they are there to be read once."""

    def __init__(self, whole: ExportSource, lines: Iterator[bytes]) -> None:
        self._whole = whole
        self._lines = lines

    @property
    def generation(self) -> Generation:
        return self._whole.generation

    def chats(self, kind: SampleKind) -> Iterator[ChatSample]:
        del kind
        return map(msgspec.json.Decoder(ChatSample).decode, self._lines)

    def rl_tasks(self) -> Iterator[RlTask]:
        return map(msgspec.json.Decoder(RlTask).decode, self._lines)

    def tasks(self) -> Iterator[Task]:
        return (sample.task for sample in self.rl_tasks())

    def episodes(self) -> Iterator[tuple[Task, EpisodeRecord]]:
        return self._whole.episodes()

    def plans(self) -> Iterator[PlanRecord]:
        return self._whole.plans()
