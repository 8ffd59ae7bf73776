"""The `trl` exporter: prompt and completion for SFT, prompts and task columns for GRPO."""

from __future__ import annotations

import io
import json
from typing import Any

import msgspec
import pytest
from chat_samples import (
    AGENT_CHATS,
    AGENT_TOOLS,
    ASKED,
    GREETED,
    LAST_TURN,
    RL_TASK,
    SKIPPING,
    TASK,
    UNGREETED_TASK,
    UNPARSABLE,
    USER_CHATS,
    USER_TOOLS,
    HandmadeSource,
    rendered_as_served,
)
from eigen_tidy_library.domain import TidyLibrary

from eigen_chat_formats.chats import NO_OBJECT, REASONING, runs_of
from eigen_chat_formats.export_trl import TrlExporter
from eigen_cli.api.exporter import ExportReport, Loss
from eigen_cli.api.samples import ChatSample, SampleKind
from eigen_cli.api.tasks import Task
from eigen_cli.testing.contracts import check_exporter

Row = dict[str, Any]


def exported(kind: SampleKind, *chats: ChatSample) -> tuple[ExportReport, list[Row]]:
    out = io.BytesIO()
    report = TrlExporter().write(HandmadeSource(*chats), kind, out)
    return report, [json.loads(line) for line in out.getvalue().splitlines()]


def unmarked(turns: list[Row]) -> list[Row]:
    """Return turns without the key that only tells `datasets` of what kind they are."""
    return [{key: value for key, value in turn.items() if key != "weight"} for turn in turns]


def test_it_keeps_the_contract() -> None:
    check_exporter(TrlExporter(), TidyLibrary())


@pytest.mark.parametrize(("kind", "samples"), [("agent_sft", AGENT_CHATS), ("user_sft", USER_CHATS)])
def test_prompt_and_completion_are_what_was_served(kind: SampleKind, samples: tuple[ChatSample, ...]) -> None:
    report, rows = exported(kind, *(sample for sample in samples if sample not in (SKIPPING, UNPARSABLE)))
    whole = [sample for sample in samples if sample not in (SKIPPING, UNPARSABLE)]
    assert report.rows == len(rows) == len(whole)
    for row, sample in zip(rows, whole, strict=True):
        assert unmarked(row["prompt"]) + unmarked(row["completion"]) == rendered_as_served(sample)
        assert len(row["prompt"]) == sample.targets[0]
        assert json.loads(row["tools"]) == list(sample.tools)
        assert (row["id"], row["task"], row["domain"], row["split"]) == (
            sample.id,
            sample.origin.task,
            sample.origin.domain,
            "train",
        )


def test_the_assistant_turns_of_all_completions_are_the_targets_once_each() -> None:
    for sample in AGENT_CHATS:
        learned = [
            index
            for start, end in runs_of(sample)
            for index in range(start, end)
            if sample.messages[index]["role"] == "assistant"
        ]
        assert learned == list(sample.targets)


def test_context_between_targets_makes_two_rows() -> None:
    _, (first, second) = exported("agent_sft", SKIPPING)
    served = rendered_as_served(SKIPPING)
    assert (unmarked(first["prompt"]), unmarked(first["completion"])) == (served[:2], served[2:3])
    assert (second["prompt"], second["completion"]) == (served[:9], served[9:])
    assert [first["id"], second["id"]] == ["ep-4:agent@2", "ep-4:agent@9"]


def test_a_turn_level_sample_completes_its_last_turn_alone() -> None:
    _, (row,) = exported("agent_sft", LAST_TURN)
    assert unmarked(row["completion"]) == [{"role": "assistant", "content": "No seats are left."}]


def test_the_first_row_alone_tells_datasets_that_messages_may_differ() -> None:
    _, rows = exported("agent_sft", GREETED, ASKED, LAST_TURN)
    marked = [[turn.get("weight") for turn in row[name]] for row in rows for name in ("prompt", "completion")]
    assert [weights[0] for weights in marked] == [1, 1, None, None, None, None]
    assert {weight for weights in marked for weight in weights[1:]} == {None}


def test_losses_name_their_rows() -> None:
    report, rows = exported("agent_sft")
    assert report == ExportReport(6, (Loss(NO_OBJECT, 1, dropped=True), Loss(REASONING, 1)))
    assert not any(row["id"].startswith(UNPARSABLE.id) for row in rows)


@pytest.mark.parametrize("arguments", ["", "[1]", "3", '{"a": 1', "{'a': 1}", "[" * 100_000])
def test_arguments_that_are_no_object_drop_the_dialogue(arguments: str) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "book", "arguments": arguments}}
    spoilt = msgspec.structs.replace(
        UNPARSABLE, messages=(*UNPARSABLE.messages[:2], {"role": "assistant", "content": "", "tool_calls": [call]})
    )
    assert exported("agent_sft", spoilt) == (ExportReport(0, (Loss(NO_OBJECT, 1, dropped=True),)), [])


def test_grpo_rows_carry_what_an_environment_needs() -> None:
    report, (first, second) = exported("rl_tasks")
    assert report == ExportReport(2)
    assert first["prompt"] == [*RL_TASK.messages, {"role": "user", "content": ""}]
    assert msgspec.json.decode(first["definition"], type=Task) == TASK
    assert json.loads(first["tools"]) == list(AGENT_TOOLS)
    assert json.loads(first["user"]) == list(RL_TASK.user)
    assert json.loads(first["user_tools"]) == list(USER_TOOLS)
    assert (first["id"], first["domain"], first["split"], first["trials"], first["passed"]) == (
        "task-1",
        "airline",
        "train",
        4,
        1,
    )
    assert second["prompt"] == [*UNGREETED_TASK.messages, {"role": "user", "content": ""}]
    assert second["tools"] == second["user_tools"] == "[]"
