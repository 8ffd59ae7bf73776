"""A generation's tasks as tau2-bench's task file: one JSON array, whatever their domain."""

from __future__ import annotations

from collections import Counter
from typing import BinaryIO

import msgspec

from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource, Loss
from eigen_cli.api.samples import SampleKind
from eigen_tau2.task_writer import Unwritable, write_task


class Tau2Exporter(Exporter):
    """Writes tasks in the generation's order. Imported tasks come out as they came in; see `eigen_tau2.task_writer`.

    A task whose start tau2 cannot be told would be another task there: it is dropped, and counted.
    """

    name = "tau2"
    kinds = ("rl_tasks",)
    training = False

    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        """Write every task; losses are gathered, each with the number of tasks it is true of."""
        rows, lost, dropped = 0, Counter[str](), Counter[str]()
        out.write(b"[")
        for task in source.tasks():
            try:
                written, losses = write_task(task)
            except Unwritable as error:
                dropped[str(error)] += 1
                continue
            out.write((b",\n" if rows else b"\n") + msgspec.json.encode(written))
            rows += 1
            lost.update(tuple(dict.fromkeys(losses)))  # once a task, in the order they were found
        out.write(b"\n]\n" if rows else b"]\n")
        found = [Loss(why, number, dropped=True) for why, number in dropped.most_common()]
        return ExportReport(rows, (*found, *(Loss(what, number) for what, number in lost.most_common())))
