"""Dialogues for LLaMA-Factory, in the ShareGPT form it reads without a converter of one's own."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, BinaryIO

import msgspec

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource
from eigen_cli.api.json_lines import json_line, json_text
from eigen_cli.api.losses import Losses
from eigen_cli.api.samples import SampleKind
from eigen_llamafactory.turns import Unsayable, conversation

REASONING = "reasoning text left out"


class LlamaFactoryExporter(Exporter):
    """Writes `conversations` (`from`, `value`), `system` and `tools` (JSON text) a line, and `dataset_info.json`.

    LLaMA-Factory 0.9 asks for a human or an observation, then an answer, and so on; it learns every answer, or with
    `mask_history: true` the last alone. What that cannot say is reported: an agent's greeting is left out (a dialogue
    begins with a human), results of parallel calls are joined as its own converter joins them, a dialogue is cut before
    a context turn that would be learned, and dropped where such turns stand before those to learn. Turn-level samples
    are written whole: train them with `mask_history: true`, and apart from whole dialogues. A call with text is written
    `text <tool_call>[…]</tool_call>`. Every value is a string, so that `datasets` 4.0.0 cannot change it.
    """

    name = "llamafactory"
    kinds = ("agent_sft", "user_sft")
    companion = "dataset_info.json"

    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        """Write every selected dialogue that can be said."""
        rows, losses = 0, Losses()
        for sample in source.chats(kind):
            try:
                system, turns, lost = conversation(sample)
            except Unsayable as error:
                losses.drop(str(error))
                continue
            for what in (*lost, *((REASONING,) if sample.reasoning else ())):
                losses.note(what)
            row = {
                "conversations": turns,
                "system": system,
                "tools": json_text(sample.tools) if sample.tools else "",
                "id": sample.id,
                "domain": sample.origin.domain,
                "task": sample.origin.task,
                "split": sample.origin.split,
            }
            out.write(json_line(row))
            rows += 1
        return losses.report(rows)

    def companion_text(self, kind: SampleKind, file_name: str, existing: bytes | None) -> bytes:
        """Return `dataset_info.json` with an entry for the file, named as the file without its ending."""
        known = self._known(existing)
        name = PurePath(file_name).stem
        entry = {
            "file_name": file_name,
            "formatting": "sharegpt",
            "columns": {"messages": "conversations", "system": "system", "tools": "tools"},
        }
        if name in known and known[name] != entry:
            raise ConfigError(
                f"{self.companion} has another data set named {name} already",
                hint="export to a file of another name, or remove that entry",
            )
        return msgspec.json.format(msgspec.json.encode({**known, name: entry}), indent=2) + b"\n"

    def _known(self, existing: bytes | None) -> dict[str, Any]:
        try:
            return msgspec.json.decode(existing or b"{}", type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError) as error:
            raise ConfigError(
                f"{self.companion} beside the output is no JSON object, so nothing can be added to it",
                hint="mend it, or export into another folder",
            ) from error
