"""The `openai` exporter: OpenAI's fine-tuning chats."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from chat_samples import (
    AGENT_CHATS,
    ASKED,
    GREETED,
    NO_CONTENT,
    PHONE_USER,
    PLAIN_USER,
    SKIPPING,
    UNPARSABLE,
    USER_TOOLS,
    HandmadeSource,
    chat,
)
from eigen_tidy_library.domain import TidyLibrary

from eigen_chat_formats.export_openai import OpenAIExporter
from eigen_cli.api.exporter import ExportReport, Loss
from eigen_cli.api.samples import ChatSample, SampleKind
from eigen_cli.testing.contracts import check_exporter


def exported(kind: SampleKind, *chats: ChatSample) -> tuple[ExportReport, list[dict[str, Any]]]:
    out = io.BytesIO()
    report = OpenAIExporter().write(HandmadeSource(*chats), kind, out)
    return report, [json.loads(line) for line in out.getvalue().splitlines()]


def test_it_keeps_the_contract() -> None:
    check_exporter(OpenAIExporter(), TidyLibrary())


def test_chats_are_written_as_they_were_sent() -> None:
    report, rows = exported("agent_sft")
    assert report.rows == len(rows) == len(AGENT_CHATS)
    for row, sample in zip(rows, AGENT_CHATS, strict=True):
        assert list(row) == ["messages", "tools"]
        assert row["tools"] == list(sample.tools)
        weightless = [{key: value for key, value in turn.items() if key != "weight"} for turn in row["messages"]]
        assert weightless == list(sample.messages)


def test_keys_keep_the_order_in_which_they_were_sent() -> None:
    _, (row,) = exported("agent_sft", ASKED)
    assert json.dumps(row["tools"]) == json.dumps(ASKED.tools)


@pytest.mark.parametrize("sample", AGENT_CHATS)
def test_what_is_learned_is_exactly_the_targets(sample: ChatSample) -> None:
    _, (row,) = exported("agent_sft", sample)
    weights = {index: turn["weight"] for index, turn in enumerate(row["messages"]) if "weight" in turn}
    assistant = {index for index, turn in enumerate(sample.messages) if turn["role"] == "assistant"}
    assert weights == dict.fromkeys(sorted(assistant - set(sample.targets)), 0)


def test_the_greeting_is_context() -> None:
    _, (row,) = exported("agent_sft", GREETED)
    assert row["messages"][1] == {"role": "assistant", "content": "Hi! How can I help?", "weight": 0}


def test_users_keep_their_own_tools_and_none_are_no_key() -> None:
    _, rows = exported("user_sft")
    assert rows[0] == {"messages": list(PLAIN_USER.messages)}
    assert rows[1] == {"messages": list(PHONE_USER.messages), "tools": list(USER_TOOLS)}


def test_what_is_lost_is_counted_and_a_chat_without_targets_is_dropped() -> None:
    untaught = chat("ep-9:agent", ASKED.messages, targets=())
    report, rows = exported("agent_sft", *AGENT_CHATS, untaught)
    assert report == ExportReport(
        6,
        (
            Loss("no turn to learn", 1, dropped=True),
            Loss("reasoning text left out: the format has no place for it", 1),
            Loss("a call's arguments are no JSON object, and stand as they were written", 1),
        ),
    )
    assert report.dropped == 1
    assert rows[4]["messages"][2]["tool_calls"] == list(UNPARSABLE.messages[2]["tool_calls"])


def test_a_turn_without_content_stays_so() -> None:
    _, (row,) = exported("agent_sft", NO_CONTENT)
    assert row["messages"][2]["content"] is None


def test_nothing_is_lost_of_a_chat_with_context_between_its_targets() -> None:
    report, (row,) = exported("agent_sft", SKIPPING)
    assert report.losses == ()
    assert [turn.get("weight") for turn in row["messages"]] == [None, None, None, None, None, 0, None, 0, None, None]
