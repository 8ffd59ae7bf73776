"""Dialogues for OpenRLHF's `train_sft --data.multiturn`, and the beginning of the chat template that reads them."""

from __future__ import annotations

from typing import Any, BinaryIO

from eigen_chat_formats.chats import origin_columns, turns_to_learn
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource
from eigen_cli.api.json_lines import json_line
from eigen_cli.api.losses import Losses
from eigen_cli.api.samples import ChatSample, SampleKind

CONTEXT = "context"
"""The role of assistant turns that are not to be learned."""

TEMPLATE_START = f"""\
{{#- Put before a model's own chat template. The tools come with the first message, and assistant turns that are only
     context have a role of their own, for OpenRLHF hands tools to no template and trains on every "assistant". #}}
{{%- set tools = tools or messages[0].tools or none %}}
{{%- set read = namespace(messages=[]) %}}
{{%- for message in messages %}}
    {{%- if message.role == "{CONTEXT}" %}}
        {{%- set message = dict(message, role="assistant") %}}
    {{%- endif %}}
    {{%- set read.messages = read.messages + [message] %}}
{{%- endfor %}}
{{%- set messages = read.messages %}}
"""


class OpenRlhfSftExporter(Exporter):
    """Writes `{"messages": […]}` a line, for `--data.input_key messages --data.apply_chat_template --data.multiturn`.

    OpenRLHF 0.11 hands no tools to the chat template and learns every turn of the role `assistant`. So the tools stand
    in the first message (`"tools": […]`), assistant turns that are context have the role `context`, and the companion
    `openrlhf_template.jinja` turns both back. Put it before the model's own template; the trained model keeps it, and
    serving renders as ever:

        --data.tokenizer_chat_template "$(cat openrlhf_template.jinja model_template.jinja)"

    Without it the model is trained without its tools. The model's template must render a chat's beginning alone as it
    does within the whole (the stock Qwen3 template does not: TRL's `qwen3_training.jinja` does), or OpenRLHF's loss
    mask slips. Arguments are objects; dialogues with arguments that are none are dropped. Reasoning text is left out.
    """

    name = "openrlhf-sft"
    kinds = ("agent_sft", "user_sft")
    companion = "openrlhf_template.jinja"

    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        """Write every selected dialogue that has something to learn and that templates can print."""
        rows, losses = 0, Losses()
        for sample in source.chats(kind):
            turns = turns_to_learn(sample, losses)
            if turns is None:
                continue
            out.write(json_line({"messages": _marked(sample, turns), **origin_columns(sample)}))
            rows += 1
        return losses.report(rows)

    def companion_text(self, kind: SampleKind, file_name: str, existing: bytes | None) -> bytes:
        """Return the beginning of the chat template; it is the same for every file."""
        text = TEMPLATE_START.encode()
        if existing is not None and existing != text:
            raise ConfigError(
                f"{self.companion} beside {file_name} is not the one this exporter writes",
                hint="move it away, or export into another folder",
            )
        return text


def _marked(sample: ChatSample, turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    targets = set(sample.targets)
    marked = [
        {**turn, "role": CONTEXT} if turn["role"] == "assistant" and index not in targets else turn
        for index, turn in enumerate(turns)
    ]
    # Always: `datasets` settles by the first rows of a file whether messages may differ in their keys.
    return [{**marked[0], "tools": sample.tools}, *marked[1:]]
