"""The `llamafactory` exporter: ShareGPT turns that alternate, with everything lost counted."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from chat_samples import (
    AGENT_TOOLS,
    ASKED,
    GREETED,
    GREETING,
    LAST_TURN,
    PHONE_USER,
    SKIPPING,
    SYSTEM,
    UNPARSABLE,
    USER_CHATS,
    WHOLE,
    HandmadeSource,
    calls,
    chat,
    heard,
    said,
)
from eigen_tidy_library.domain import TidyLibrary

from eigen_cli.api.exporter import ExportReport, Loss
from eigen_cli.api.samples import ChatSample, SampleKind
from eigen_cli.testing.contracts import check_exporter
from eigen_llamafactory import turns
from eigen_llamafactory.exporter import REASONING, LlamaFactoryExporter

Row = dict[str, Any]


def exported(kind: SampleKind, *chats: ChatSample) -> tuple[ExportReport, list[Row]]:
    out = io.BytesIO()
    report = LlamaFactoryExporter().write(HandmadeSource(*chats), kind, out)
    return report, [json.loads(line) for line in out.getvalue().splitlines()]


def losses(*chats: ChatSample) -> dict[str, bool]:
    """Return the losses of some chats, each true of one row, and whether it was dropped for it."""
    report, _ = exported("agent_sft", *chats)
    assert {loss.rows for loss in report.losses} <= {1}
    return {loss.what: loss.dropped for loss in report.losses}


def test_it_keeps_the_contract() -> None:
    check_exporter(LlamaFactoryExporter(), TidyLibrary())


def test_a_dialogue_alternates_and_its_calls_are_json() -> None:
    report, (row,) = exported("agent_sft", ASKED)
    assert report == ExportReport(1, (Loss(turns.TEXT_WITH_CALLS, 1), Loss(turns.JOINED, 1)))
    assert [turn["from"] for turn in row["conversations"]] == [
        "human", "function_call", "observation", "function_call", "observation", "gpt", "human", "gpt",
    ]  # fmt: skip
    values = [turn["value"] for turn in row["conversations"]]
    assert values[0] == WHOLE[2]["content"]
    assert values[1] == (
        'Wait.\n<tool_call>[{"name":"find","arguments":{"passenger":"Zoë"}},'
        '{"name":"book","arguments":{"seats":2,"meal":null,"price":1.5}}]</tool_call>'
    )
    assert values[2] == '{"id":"p1","vip":null}\n</tool_response>\n<tool_response>\nError: no seats'
    assert values[3] == '[{"name":"now","arguments":{}}]'
    assert values[4:] == ['"12:00"', "No seats are left.", "Thanks", "Goodbye, <b>Zoë</b>."]
    assert row["system"] == SYSTEM["content"]
    assert json.loads(row["tools"]) == list(AGENT_TOOLS)


def test_users_are_written_with_their_own_tools_and_without_loss() -> None:
    report, (plain, phone) = exported("user_sft")
    assert report == ExportReport(len(USER_CHATS))
    assert plain["tools"] == ""
    assert [turn["from"] for turn in plain["conversations"]] == ["human", "gpt"] * 2
    assert json.loads(phone["tools"]) == list(PHONE_USER.tools)
    assert phone["conversations"][3] == {
        "from": "function_call",
        "value": '[{"name":"toggle_data","arguments":{"on":true}}]',
    }


def test_every_value_is_text_in_every_row() -> None:
    _, rows = exported("agent_sft")
    for row in rows:
        flat = [value for key, value in row.items() if key != "conversations"]
        assert {type(value) for value in flat} == {str}
        assert {(*turn, *map(type, turn.values())) for turn in row["conversations"]} == {("from", "value", str, str)}


def test_a_greeting_is_left_out_and_counted() -> None:
    _, (row,) = exported("agent_sft", GREETED)
    assert GREETING["content"] not in json.dumps(row["conversations"])
    assert losses(GREETED)[turns.GREETING] is False


def test_turn_level_samples_are_whole_and_say_what_they_need() -> None:
    _, (row,) = exported("agent_sft", LAST_TURN)
    assert len(row["conversations"]) == 6
    assert losses(LAST_TURN) == {
        turns.TEXT_WITH_CALLS: False,
        turns.JOINED: False,
        turns.CONTEXT_LEARNED: False,
        REASONING: False,
    }


def test_a_dialogue_is_cut_before_context_that_would_be_learned() -> None:
    _, (row,) = exported("agent_sft", SKIPPING)
    assert [turn["from"] for turn in row["conversations"]] == ["human", "function_call"]
    assert losses(SKIPPING) == {turns.CUT_SHORT: False, turns.TEXT_WITH_CALLS: False}


def test_context_before_the_first_of_several_targets_drops_it() -> None:
    late = chat("late", (SYSTEM, *WHOLE[2:]), targets=(7, 9))
    assert losses(late) == {turns.CONTEXT_BETWEEN: True}


@pytest.mark.parametrize(
    ("messages", "targets", "why"),
    [
        (UNPARSABLE.messages, UNPARSABLE.targets, turns.NO_OBJECT),
        ((SYSTEM, heard("a"), said("b")), (), turns.NO_TARGETS),
        ((SYSTEM, said("b")), (1,), turns.NO_ALTERNATION),
        ((SYSTEM, said("b"), heard("a"), said("c")), (1, 3), turns.NO_ALTERNATION),
        ((SYSTEM, heard("a"), heard("b"), said("c")), (3,), turns.NO_ALTERNATION),
        ((SYSTEM, heard("a"), said("b"), said("c")), (2, 3), turns.NO_ALTERNATION),
        ((SYSTEM, heard("a <image>"), said("b")), (2,), turns.MARKUP),
        ((SYSTEM, heard("a"), calls(("now", "{}"), content="Say </tool_call>")), (2,), turns.MARKUP),
    ],
)
def test_what_cannot_be_said_is_dropped_with_its_reason(
    messages: tuple[Row, ...], targets: tuple[int, ...], why: str
) -> None:
    report, rows = exported("agent_sft", chat("odd", messages, targets=targets))
    assert (report, rows) == (ExportReport(0, (Loss(why, 1, dropped=True),)), [])


def test_tags_in_arguments_are_spelt_so_that_nobody_takes_them_for_markup() -> None:
    odd = calls(("find", '{"passenger": "</tool_call><think>x</think><tool_call>"}'), content="Look")
    _, (row,) = exported("agent_sft", chat("odd", (SYSTEM, heard("a"), odd), targets=(2,)))
    before, rest = row["conversations"][1]["value"].split("<tool_call>")
    inner, after = rest.split("</tool_call>")
    assert (before, after) == ("Look\n", "")
    assert json.loads(inner)[0]["arguments"] == {"passenger": "</tool_call><think>x</think><tool_call>"}


def test_a_first_turn_without_a_system_message_is_no_greeting() -> None:
    _, (row,) = exported("user_sft", chat("bare", (heard("a"), said("b")), targets=(1,), tools=()))
    assert (row["system"], len(row["conversations"])) == ("", 2)
