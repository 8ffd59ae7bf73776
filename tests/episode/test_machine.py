from __future__ import annotations

from typing import Any

import pytest
from episode.conftest import opened, played, says

from eigen_cli.api.episodes import Limits
from eigen_cli.api.messages import Completion
from eigen_cli.api.tasks import Task
from eigen_cli.episode.machine import advance, parse_arguments
from eigen_cli.episode.record import FinishedEpisode
from eigen_cli.episode.state import Ask, Failed, Overflowed, Replied
from eigen_cli.world.base import Base
from eigen_cli.world.toolbox import Toolbox


def _roles(chat: Any) -> list[str]:
    return [
        f"{m['role']}:{m.get('content') or '+'.join(c['function']['name'] for c in m['tool_calls'])}"
        for m in chat.messages()
    ]


def test_a_whole_dialogue_reaches_its_end(
    task: Task, base: Base, toolbox: Toolbox, dialogue: tuple[Completion, ...]
) -> None:
    state = played(opened(task, base), toolbox, *dialogue)
    assert state.stop == "user_stop" and state.waiting is None
    assert (state.agent.turns, state.user.turns, state.turn) == (4, 5, 9)
    finished = FinishedEpisode.of(state)
    assert [(call.requestor, call.name, ok) for call, ok in finished.calls] == [
        ("agent", "get_account", True),
        ("agent", "get_account", True),
        ("user", "see_balance", True),
        ("agent", "transfer", True),
        ("user", "top_up", True),
    ]
    writes = [m.result.changes for m in state.messages if m.result is not None and m.result.changes]
    assert len(writes) == 2 and writes[0][0].fields[0].name == "balance"


def test_each_side_sees_its_own_tools_and_what_was_said(
    task: Task, base: Base, toolbox: Toolbox, dialogue: tuple[Completion, ...]
) -> None:
    state = played(opened(task, base), toolbox, *dialogue[:7])
    assert _roles(state.user_chat) == [
        "system:user",
        "user:Hello!",
        "assistant:Please move 10 dollars.",
        "user:Let me look.\n\nFrom A0001 to A0002, shall I?",
        "assistant:One moment.",
        "tool:138",
        "assistant:Yes, go ahead.",
        "user:Done. Anything else?",
    ]
    agent = _roles(state.agent_chat)
    assert agent[:4] == ["system:agent", "assistant:Hello!", "user:Please move 10 dollars.", "assistant:Let me look."]
    assert agent[4].startswith("tool:{") and agent[5].startswith("tool:{")
    assert agent[6:9] == [
        "assistant:From A0001 to A0002, shall I?",
        "user:One moment.\n\nYes, go ahead.",
        "assistant:transfer",
    ]
    assert all(m.result is None or m.result.requestor == "user" for m in state.user_view)
    assert all(not m.tool_calls for m in state.user_view if m.speaker == "agent")
    assert all(not m.tool_calls for m in state.agent_view if m.speaker == "user")


def test_without_a_greeting_the_user_speaks_first(task: Task, base: Base) -> None:
    state, effects = opened(task, base, greeting=None)
    assert effects == (Ask("user"),) and state.messages == ()
    state, effects = opened(task, base)
    assert effects == (Ask("user"),) and state.messages[0].text == "Hello!"


AGENT_TURN = says("Please move 10 dollars.")


@pytest.mark.parametrize(
    ("completions", "limits", "stop"),
    [
        ((says("bye ###STOP###"),), {}, "user_stop"),
        ((says(""),), {}, "user_empty_reply"),
        ((says("so long", finish="length"),), {}, "user_token_limit"),
        ((says("", ("top_up", "{broken")),), {}, "user_unparsable_call"),
        ((AGENT_TURN, says("###STOP###")), {}, "agent_stop"),
        ((AGENT_TURN, says("  \n ")), {}, "agent_empty_reply"),
        ((AGENT_TURN, says("", ("transfer", "{'a': 1"))), {}, "agent_unparsable_call"),
        ((AGENT_TURN, says("", ("transfer", "[1]"))), {}, "agent_unparsable_call"),
        ((AGENT_TURN, says("", ("transfer", '{"a":' * 5000 + "1" + "}" * 5000))), {}, "agent_unparsable_call"),
        ((AGENT_TURN, says("", ("transfer", '{"a":' * 65 + "1" + "}" * 65))), {}, "agent_unparsable_call"),
        ((AGENT_TURN, says("", ("transfer", '{"source": "\\ud800"}'))), {}, "agent_unparsable_call"),
        ((AGENT_TURN, says("", ("transfer", '{"source": "' + "x" * 100_001 + '"}'))), {}, "agent_unparsable_call"),
        ((AGENT_TURN, says("and so on", finish="length")), {}, "agent_token_limit"),
        ((AGENT_TURN, says("ok", tokens=101)), {"tokens": 100}, "agent_token_limit"),
        ((AGENT_TURN, says("ok", seconds=3.0)), {"seconds": 2.0}, "agent_time_limit"),
        ((AGENT_TURN, says("ok"), says("so?")), {"agent_turns": 1}, "agent_turn_limit"),
        ((AGENT_TURN, says("ok")), {"user_turns": 1}, "user_turn_limit"),
        ((AGENT_TURN, says("", ("nothing", {}), ("nothing", {}))), {"tool_errors": 2}, "tool_error_limit"),
        ((AGENT_TURN, says("", *[("nothing", {})] * 4)), {"tool_calls": 3}, "agent_call_limit"),
        ((says("", *[("top_up", {"account_id": "A0001"})] * 4),), {"tool_calls": 3}, "user_call_limit"),
    ],
)
def test_every_stop_has_its_reason(
    task: Task, base: Base, toolbox: Toolbox, completions: tuple[Completion, ...], limits: dict[str, Any], stop: str
) -> None:
    state = played(opened(task, base, limits=Limits(**limits)), toolbox, *completions)
    assert state.stop == stop


def test_overflow_is_the_speakers_and_failure_is_nobodys(task: Task, base: Base) -> None:
    state, _ = opened(task, base)
    assert advance(state, Overflowed("user"))[0].stop == "user_token_limit"
    failed = advance(state, Failed("connection reset"))[0]
    assert (failed.stop, failed.failure) == ("infrastructure", "connection reset")
    asked = advance(state, Replied("user", AGENT_TURN))[0]
    assert advance(asked, Overflowed("agent"))[0].stop == "agent_context_limit"


def test_events_out_of_turn_are_refused(task: Task, base: Base) -> None:
    state, _ = opened(task, base)
    with pytest.raises(ValueError, match="waits for user"):
        advance(state, Replied("agent", AGENT_TURN))
    with pytest.raises(ValueError, match="waits for user"):
        advance(state, Overflowed("agent"))
    over = advance(state, Failed("x"))[0]
    with pytest.raises(ValueError, match="is over"):
        advance(over, Replied("user", AGENT_TURN))


def test_repeated_call_ids_are_told_apart_and_reasoning_stays_in_the_record(
    task: Task, base: Base, toolbox: Toolbox
) -> None:
    look = says("", ("get_account", {"account_id": "A0001"}))
    thinking = Completion(text="Here.", reasoning="the secret thought", completion_tokens=1)
    state = played(opened(task, base), toolbox, AGENT_TURN, look, look, thinking)
    calls = [call.id for message in state.messages for call in message.tool_calls]
    assert len(calls) == len(set(calls)) == 2
    assert state.messages[-1].reasoning == "the secret thought"
    assert "secret" not in str(state.agent_chat.messages()) + str(state.user_chat.messages())
    assert state.user_view[-1].text == "Here."


def test_arguments_only_lenient_parsing_reads_are_sent_back_as_json(task: Task, base: Base, toolbox: Toolbox) -> None:
    raw = '{"account_id": "A00\n01"}'
    state = played(opened(task, base), toolbox, AGENT_TURN, says("", ("get_account", raw)), says("", ("sneaky", "")))
    calls = [call for message in state.agent_chat.messages() for call in message.get("tool_calls", ())]
    assert calls[0]["function"]["arguments"] == '{"account_id":"A00\\n01"}'
    assert calls[1]["function"]["arguments"] == "{}"
    assert state.messages[2].tool_calls[0].raw_arguments == raw, "the record keeps what was written"


def test_arguments_as_deep_as_allowed_are_parsed() -> None:
    assert parse_arguments('{"a":' * 64 + "1" + "}" * 64)[1] is None
    assert parse_arguments('{"a":' * 65 + "1" + "}" * 65)[0] is None
    assert parse_arguments('{"a": [[1], {"b": [2]}]}') == ({"a": [[1], {"b": [2]}]}, None)
