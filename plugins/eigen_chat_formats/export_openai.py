"""Dialogues in the form OpenAI's fine-tuning takes them in, one a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from eigen_chat_formats.chats import NO_TARGETS, REASONING, with_objects
from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource
from eigen_cli.api.json_lines import json_line
from eigen_cli.api.losses import Losses
from eigen_cli.api.samples import ChatSample, SampleKind

NOT_JSON = "a call's arguments are no JSON object, and stand as they were written"


class OpenAIExporter(Exporter):
    """Writes `{"messages": […], "tools": […]}`: the chat as the model was sent it, arguments as JSON text.

    Every assistant turn is learned but those of `"weight": 0`: the ones that are context. The form has no field for
    anything else, so a row does not say which task or episode it comes from, nor how that went; reasoning text has no
    place either. User simulators are written the same way: their own turns are the assistant's.
    """

    name = "openai"
    kinds = ("agent_sft", "user_sft")

    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        """Write every selected dialogue that has something to learn."""
        rows, losses = 0, Losses()
        for sample in source.chats(kind):
            if not sample.targets:
                losses.drop(NO_TARGETS)
                continue
            if sample.reasoning:
                losses.note(REASONING)
            if with_objects(sample.messages) is None:
                losses.note(NOT_JSON)
            out.write(json_line(_row(sample)))
            rows += 1
        return losses.report(rows)


def _row(sample: ChatSample) -> dict[str, Any]:
    row: dict[str, Any] = {"messages": list(_weighed(sample))}
    if sample.tools:
        row["tools"] = sample.tools
    return row


def _weighed(sample: ChatSample) -> Iterator[dict[str, Any]]:
    targets = set(sample.targets)
    for index, message in enumerate(sample.messages):
        context = message["role"] == "assistant" and index not in targets
        yield {**message, "weight": 0} if context else message
