"""The `openrlhf-sft` and `openrlhf-rl` exporters."""

from __future__ import annotations

import io
import json
from typing import Any

import msgspec
import pytest
from chat_samples import (
    AGENT_CHATS,
    AGENT_TOOLS,
    PLAIN_USER,
    RL_TASK,
    TASK,
    UNGREETED_TASK,
    UNPARSABLE,
    USER_CHATS,
    USER_TOOLS,
    HandmadeSource,
    rendered_as_served,
)
from eigen_tidy_library.domain import TidyLibrary

from eigen_chat_formats.chats import NO_OBJECT, REASONING
from eigen_chat_formats.export_openrlhf_rl import TAGGED, OpenRlhfRlExporter
from eigen_chat_formats.export_openrlhf_sft import CONTEXT, TEMPLATE_START, OpenRlhfSftExporter
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.exporter import Exporter, ExportReport, Loss
from eigen_cli.api.samples import SampleKind
from eigen_cli.api.tasks import Task
from eigen_cli.testing.contracts import check_exporter

Row = dict[str, Any]


def exported(exporter: Exporter, kind: SampleKind, source: HandmadeSource) -> tuple[ExportReport, list[Row]]:
    out = io.BytesIO()
    report = exporter.write(source, kind, out)
    return report, [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("exporter", [OpenRlhfSftExporter(), OpenRlhfRlExporter()])
def test_they_keep_the_contract(exporter: Exporter) -> None:
    check_exporter(exporter, TidyLibrary())


@pytest.mark.parametrize(("kind", "samples"), [("agent_sft", AGENT_CHATS), ("user_sft", USER_CHATS)])
def test_only_targets_have_the_role_that_is_learned(kind: SampleKind, samples: Any) -> None:
    _, rows = exported(OpenRlhfSftExporter(), kind, HandmadeSource())
    said = [sample for sample in samples if sample is not UNPARSABLE]
    assert len(rows) == len(said)
    for row, sample in zip(rows, said, strict=True):
        first, *rest = row["messages"]
        assert first.pop("tools") == list(sample.tools)
        turns = [first, *rest]
        assert tuple(at for at, turn in enumerate(turns) if turn["role"] == "assistant") == sample.targets
        undone = [{**turn, "role": "assistant"} if turn["role"] == CONTEXT else turn for turn in turns]
        assert undone == rendered_as_served(sample)


def test_what_no_template_prints_is_dropped() -> None:
    report, _ = exported(OpenRlhfSftExporter(), "agent_sft", HandmadeSource())
    assert report == ExportReport(5, (Loss(NO_OBJECT, 1, dropped=True), Loss(REASONING, 1)))


def test_tools_stand_in_the_first_message_even_where_there_are_none() -> None:
    _, (row,) = exported(OpenRlhfSftExporter(), "user_sft", HandmadeSource(PLAIN_USER))
    assert row["messages"][0]["tools"] == []


def test_the_companion_is_the_same_for_every_file_and_never_overwrites_another() -> None:
    exporter = OpenRlhfSftExporter()
    text = exporter.companion_text("agent_sft", "a.jsonl", None)
    assert text == TEMPLATE_START.encode() == exporter.companion_text("user_sft", "b.jsonl", text)
    with pytest.raises(ConfigError, match="is not the one this exporter writes") as raised:
        exporter.companion_text("agent_sft", "a.jsonl", b"{{ messages }}")
    assert raised.value.hint


def test_a_label_is_all_an_environment_needs() -> None:
    report, rows = exported(OpenRlhfRlExporter(), "rl_tasks", HandmadeSource())
    assert report == ExportReport(2)
    row = rows[0]
    # The key `weight` in the first row tells `datasets` that messages may differ in their keys.
    assert row["prompt"] == [{**RL_TASK.messages[0], "tools": list(AGENT_TOOLS), "weight": 1}, RL_TASK.messages[1]]
    assert (row["datasource"], row["id"], row["split"]) == ("airline", "task-1", "train")
    label = json.loads(row["label"])
    assert msgspec.convert(label["task"], Task) == TASK
    assert label["messages"] == list(RL_TASK.messages)
    assert (label["tools"], label["user_tools"]) == (list(AGENT_TOOLS), list(USER_TOOLS))
    assert label["user"] == list(RL_TASK.user)
    assert (label["id"], label["generation"]) == ("task-1", RL_TASK.origin.generation)
    assert rows[1]["prompt"] == [{**UNGREETED_TASK.messages[0], "tools": []}]


def test_a_prompt_that_speaks_of_a_picture_is_reported() -> None:
    picture = msgspec.structs.replace(RL_TASK, messages=({"role": "system", "content": "Never write <image>."},))
    report, rows = exported(OpenRlhfRlExporter(), "rl_tasks", HandmadeSource(tasks=(picture,)))
    assert report == ExportReport(1, (Loss(TAGGED, 1),))
    assert json.loads(rows[0]["label"])["messages"][0]["content"] == "Never write <image>."
