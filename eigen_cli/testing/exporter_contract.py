"""The contract of an exporter: equal bytes for equal generations, an honest count, nothing but its stream touched."""

from __future__ import annotations

import io
from collections.abc import Iterator

from eigen_cli.api.exporter import Exporter, ExportReport
from eigen_cli.roles.context import RoleContext
from eigen_cli.testing.drafted import drafted_tasks
from eigen_cli.testing.memory_store import MemoryStore
from eigen_cli.testing.sample_generation import seal_sample


def exporter_breaches(exporter: Exporter, context: RoleContext) -> Iterator[str]:
    """Yield how an exporter breaks its contract over a generation of drafted tasks, and over an empty one."""
    store = MemoryStore()
    full = seal_sample(store, context, list(drafted_tasks(context, each=1)))
    empty = seal_sample(store, context, [])
    if not exporter.name:
        yield "an exporter has a name"
    report, written = _exported(exporter, store, full.id)
    if _exported(exporter, store, full.id)[1] != written:
        yield "the same generation gives different bytes the second time"
    if report.rows and not written:
        yield f"it reports {report.rows} rows and writes nothing"
    if not report.rows and not (report.dropped and report.losses):
        yield "it writes no row of a generation with episodes, and does not say what it dropped or why"
    if _exported(exporter, store, empty.id)[0].rows:
        yield "it reports rows for a generation without episodes"


def _exported(exporter: Exporter, store: MemoryStore, generation: str) -> tuple[ExportReport, bytes]:
    stream = io.BytesIO()
    report = exporter.write(store, generation, stream)
    return report, stream.getvalue()
