"""Tasks as prompts for OpenRLHF's `train_ppo_ray` with an agent function."""

from __future__ import annotations

from typing import Any, BinaryIO

import msgspec

from eigen_chat_formats.chats import telling
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource
from eigen_cli.api.json_lines import json_line, json_text
from eigen_cli.api.losses import Losses
from eigen_cli.api.samples import RlTask, SampleKind

IMAGE_TAG = "<image>"
TAGGED = f"the prompt says {IMAGE_TAG}, which OpenRLHF takes for a picture"


class OpenRlhfRlExporter(Exporter):
    """Writes `prompt`, `label` and `datasource` a line, for `--data.input_key prompt --data.label_key label`.

    OpenRLHF hands an agent function nothing but the rendered prompt and the label. So `label` is JSON text with all
    that an environment needs: `task` (the record), `messages` and `tools` (the agent's opening, to render with the
    model's own template), `user` and `user_tools` (the simulated user's). The user speaks next: `reset` renders the
    opening with the user's first words, and what OpenRLHF made of `prompt` can be passed over; its first message
    carries the tools too, for templates that begin with the companion of `openrlhf-sft`. `datasource`, which names
    evaluation metrics, is the domain.
    """

    name = "openrlhf-rl"
    kinds = ("rl_tasks",)

    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        """Write every selected task."""
        rows, losses = 0, Losses()
        for task in source.rl_tasks():
            if any(IMAGE_TAG in (message.get("content") or "") for message in task.messages):
                losses.note(TAGGED)
            row = _row(task)
            out.write(json_line(row if rows else telling(row, "prompt")))
            rows += 1
        return losses.report(rows)


def _row(task: RlTask) -> dict[str, Any]:
    first, *rest = task.messages
    label = {
        "id": task.id,
        "generation": task.origin.generation,
        "task": msgspec.Raw(canonical_json(task.task)),
        "messages": task.messages,
        "tools": task.tools,
        "user": task.user,
        "user_tools": task.user_tools,
    }
    return {
        "prompt": [{**first, "tools": task.tools}, *rest],
        "label": json_text(label),
        "datasource": task.origin.domain,
        "id": task.id,
        "split": task.origin.split,
        "trials": task.trials,
        "passed": task.passed,
    }
