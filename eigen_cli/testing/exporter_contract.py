"""The contract of an exporter: equal bytes for equal generations, an honest count, nothing but its stream touched."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, cast

from eigen_cli.api.exporter import Exporter, ExportReport
from eigen_cli.api.generations import Generation
from eigen_cli.api.samples import SAMPLE_KINDS, SampleKind
from eigen_cli.roles.context import RoleContext
from eigen_cli.testing.drafted import drafted_tasks
from eigen_cli.testing.memory_store import MemoryStore
from eigen_cli.testing.sample_generation import seal_sample
from eigen_cli.training.selection import EVERYTHING
from eigen_cli.training.source import GenerationSource


def exporter_breaches(exporter: Exporter, context: RoleContext) -> Iterator[str]:
    """Yield how an exporter breaks its contract over a generation of drafted tasks, and over an empty one."""
    store = MemoryStore()
    full = seal_sample(store, context, list(drafted_tasks(context, each=1)))
    empty = seal_sample(store, context, [])
    if not exporter.name:
        yield "an exporter has a name"
    kinds: tuple[SampleKind, ...] = getattr(exporter, "kinds", ())
    if not kinds:
        yield "an exporter names the kinds it holds"
    for kind in kinds:
        if kind not in SAMPLE_KINDS:
            yield f"there is no kind {kind!r}"
            continue
        for breach in (
            *_row_breaches(exporter, store, kind, full=full, empty=empty),
            *(_companion_breaches(exporter, kind) if exporter.companion else ()),
        ):
            yield f"{kind}: {breach}"


def _row_breaches(
    exporter: Exporter, store: MemoryStore, kind: SampleKind, *, full: Generation, empty: Generation
) -> Iterator[str]:
    done = _exported(exporter, store, full, kind)
    report = done.report
    if _exported(exporter, store, full, kind).written != done.written:
        yield "the same generation gives different bytes the second time"
    if report.rows and not done.written:
        yield f"it reports {report.rows} rows and writes nothing"
    rows = _rows(GenerationSource(store, full, EVERYTHING), kind)
    if report.rows + report.dropped < rows:
        yield f"of {rows} rows it writes {report.rows}, and does not say what it dropped or why"
    if any(not loss.what or loss.rows < 1 for loss in report.losses):
        yield "it reports a loss without saying what is lost, or of no row"
    if done.closed:
        yield "it closes the stream it was lent"
    if done.others:
        yield f"it writes files of its own: {', '.join(done.others)}"
    if _exported(exporter, store, empty, kind).report.rows:
        yield "it reports rows for a generation without episodes"


def _companion_breaches(exporter: Exporter, kind: SampleKind) -> Iterator[str]:
    if Path(exporter.companion).name != exporter.companion:
        yield f"its companion {exporter.companion!r} is no plain file name"
    first = exporter.companion_text(kind, "first.rows", None)
    if exporter.companion_text(kind, "first.rows", first) != first:
        yield "its companion differs when the same file is described again"
    both = exporter.companion_text(kind, "second.rows", first)
    if b"first.rows" in first and any(name not in both for name in (b"first.rows", b"second.rows")):
        yield "its companion forgets the files it described before"


class _Pipe(io.RawIOBase):
    """What stdout is when it is piped: bytes go in, and nothing can be read or taken back."""

    def __init__(self) -> None:
        self.written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self.written += piece
        return len(piece)


@dataclass(frozen=True)
class _Export:
    report: ExportReport
    written: bytes
    closed: bool
    others: tuple[str, ...]
    """Files it left in the working folder."""


def _exported(exporter: Exporter, store: MemoryStore, generation: Generation, kind: SampleKind) -> _Export:
    pipe = _Pipe()
    stream = io.BufferedWriter(pipe)
    with TemporaryDirectory() as folder, chdir(folder):
        source = GenerationSource(store, generation, EVERYTHING)
        report = exporter.write(source, kind, cast(BinaryIO, stream))
        others = tuple(sorted(path.name for path in Path(folder).iterdir()))
    closed = stream.closed
    if not closed:
        stream.flush()
    return _Export(report, bytes(pipe.written), closed, others)


def _rows(source: GenerationSource, kind: SampleKind) -> int:
    """Return how many rows of a kind there are."""
    if kind == "episodes":
        return sum(1 for _ in source.episodes())
    if kind == "plans":
        return sum(1 for _ in source.plans())
    return sum(1 for _ in (source.rl_tasks() if kind == "rl_tasks" else source.chats(kind)))
