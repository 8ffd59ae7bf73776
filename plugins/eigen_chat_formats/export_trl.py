"""Rows for TRL 1.x: prompt, completion and tools for `SFTTrainer`, prompts for `GRPOTrainer`."""

from __future__ import annotations

from typing import BinaryIO

from eigen_chat_formats.chats import origin_columns, runs_of, telling, turns_to_learn
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource
from eigen_cli.api.json_lines import json_line, json_text
from eigen_cli.api.losses import Losses
from eigen_cli.api.samples import SampleKind


class TrlExporter(Exporter):
    """Writes chats for `SFTTrainer` and tasks for `GRPOTrainer`, one JSON object a line.

    **SFT** rows have `prompt` and `completion`, arguments as objects, and `tools` as JSON text, which `SFTTrainer`
    parses (columns of objects may be padded with None keys on the way through Arrow). Train with
    `assistant_only_loss=True`: the loss then covers the completion's assistant turns and nothing else. A dialogue in
    which context stands between turns to learn becomes several rows, so that no context is learned. Reasoning text is
    left out, and dialogues with arguments that are no JSON object are dropped: templates cannot print those.

    **GRPO** rows have `prompt` and, for the environment's `reset(**row)`, all it needs to play and judge the task:
    `definition` (the task), `user` (the simulated user's opening), `tools` and `user_tools`, each as JSON text. The
    user speaks next: the prompt ends in an empty user turn, and TRL puts there what `reset` returns, the user's first
    words. Its tools TRL makes from the environment's methods and not from `tools`.
    """

    name = "trl"
    kinds = ("agent_sft", "user_sft", "rl_tasks")

    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        """Write the rows of one kind."""
        return _write_tasks(source, out) if kind == "rl_tasks" else _write_chats(source, kind, out)


def _write_chats(source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
    rows, losses = 0, Losses()
    for sample in source.chats(kind):
        turns = turns_to_learn(sample, losses)
        if turns is None:
            continue
        runs = list(runs_of(sample))
        for start, end in runs:
            row = {
                "prompt": turns[:start],
                "completion": turns[start:end],
                "tools": json_text(sample.tools),
                **origin_columns(sample),
            }
            if len(runs) > 1:
                row["id"] = f"{sample.id}@{start}"
            out.write(json_line(row if rows else telling(row, "prompt", "completion")))
            rows += 1
    return losses.report(rows)


def _write_tasks(source: ExportSource, out: BinaryIO) -> ExportReport:
    rows, losses = 0, Losses()
    for task in source.rl_tasks():
        row = {
            "prompt": [*task.messages, {"role": "user", "content": ""}],
            "id": task.id,
            "domain": task.origin.domain,
            "split": task.origin.split,
            "definition": canonical_json(task.task).decode(),
            "tools": json_text(task.tools),
            "user": json_text(task.user),
            "user_tools": json_text(task.user_tools),
            "trials": task.trials,
            "passed": task.passed,
        }
        out.write(json_line(row))
        rows += 1
    return losses.report(rows)
