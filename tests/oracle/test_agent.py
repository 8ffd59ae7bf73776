"""The oracle agent: what comes next is read out of the conversation, and told in words."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from stage import Stage

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.inputs import AgentInputs
from eigen_cli.api.messages import Message, ToolCall
from eigen_cli.api.tasks import Action, Communicate, Task
from eigen_oracle.agent import Move, answer, moves
from eigen_oracle.oracle import OracleBackend

ELSE = "Is there anything else I can help you with?"


def call(name: str, by: str = "agent", **arguments: object) -> Action:
    return Action(name, dict(arguments), "user" if by == "user" else "agent")


PHONE, MODE = call("check_status_bar", "user"), call("toggle_airplane_mode", "user")
LOOK = call("get_customer_by_phone", phone_number="555-100-2000")
REFUEL = call("refuel_data", customer_id="C1", line_id="L1", gb_amount=2.0)
ROAM = call("enable_roaming", customer_id="C1", line_id="L1")


@pytest.fixture
def task(telecom: Stage) -> Task:
    """A task with gold of every kind."""
    gold = (LOOK, PHONE, MODE, REFUEL, ROAM, PHONE)
    told = (Communicate("number", "4.00", "price"),)
    return replace(telecom.tasks[0], gold=gold, communicate=told, imported={})


def script(stage: Stage, task: Task) -> list[Move]:
    return list(moves(task, stage.context.domain))


def message(move: Move, number: int = 0) -> Message:
    if isinstance(move, str):
        return Message(speaker="agent", text=move, finish_reason="stop")
    raw = canonical_json(move.arguments).decode()
    made = ToolCall(f"c{number}", "agent", move.name, raw, move.arguments)
    return Message(speaker="agent", tool_calls=(made,), finish_reason="tool_calls")


def next_move(stage: Stage, task: Task, conversation: Sequence[Message]) -> Move:
    completion = answer(AgentInputs(stage.context.domain, tuple(conversation), task), task).completion
    if not completion.tool_calls:
        return completion.text
    (made,) = completion.tool_calls
    return Action(made.name, json.loads(made.arguments))


def test_gold_becomes_turns(telecom: Stage, task: Task) -> None:
    assert script(telecom, task) == [
        LOOK,
        "Could you please check the status bar, then toggle the airplane mode, and tell me what you see?",
        "I would now do this: refuel the data with customer ID C1, line ID L1 and GB amount 2; "
        "then enable the roaming with customer ID C1 and line ID L1. The price is 4.00. Shall I go ahead?",
        REFUEL,
        ROAM,
        "Could you please check the status bar, and tell me what you see?",
        f"That should settle it. The price is 4.00. {ELSE}",
    ]


def test_every_turn_follows_from_those_before(telecom: Stage, task: Task) -> None:
    conversation = [Message(speaker="agent", text="Hello."), Message(speaker="user", text="Hi, it is slow.")]
    for number, move in enumerate(script(telecom, task)):
        assert next_move(telecom, task, conversation) == move
        conversation += [message(move, number), Message(speaker="user", text="Okay.")]
    assert next_move(telecom, task, conversation) == ELSE


def test_equal_turns_are_each_taken(telecom: Stage, task: Task) -> None:
    twice = replace(task, gold=(LOOK, LOOK), communicate=())
    assert next_move(telecom, twice, [message(LOOK)]) == LOOK
    assert isinstance(next_move(telecom, twice, [message(LOOK), message(LOOK, 1)]), str)


def test_words_and_calls_of_somebody_else_do_not_count(telecom: Stage, task: Task) -> None:
    others = [message("Let me see."), message(call("get_data_usage", customer_id="C1", line_id="L1"))]
    assert next_move(telecom, task, others) == LOOK
    assert next_move(telecom, task, [*others, message(LOOK, 2)]) == script(telecom, task)[1]


def test_a_refused_call_is_followed_by_the_next(telecom: Stage, task: Task, oracle: OracleBackend) -> None:
    unknown = call("get_customer_by_phone", phone_number="555-000-0000")
    failing = replace(task, gold=(unknown, *telecom.tasks[0].gold), communicate=())
    played = telecom.play(failing, oracle)
    errors = [message.result.error for message in played.state.messages if message.result is not None]
    assert errors == [True, *[False] * len(telecom.tasks[0].gold)]
    assert played.state.stop == "user_stop"


@pytest.mark.parametrize(
    ("gold", "told", "last"),
    [
        ((), (), f"I have looked into it, and there is nothing that I could change. {ELSE}"),
        (
            (LOOK,),
            (Communicate("name", "Basic Plan", "plan"),),
            f"I have looked into it. The plan is Basic Plan. {ELSE}",
        ),
        ((LOOK,), (Communicate("number", "7"),), f"I have looked into it. The answer is 7. {ELSE}"),
        (
            (call("transfer_to_human_agents", summary="locked SIM"),),
            (),
            f"I have passed this on to a human colleague, who will take it from here. {ELSE}",
        ),
    ],
)
def test_last_words_say_how_it_ended(
    telecom: Stage, task: Task, gold: tuple[Action, ...], told: tuple[Communicate, ...], last: str
) -> None:
    assert script(telecom, replace(task, gold=gold, communicate=told))[-1] == last


def test_an_imported_task_is_told_what_its_format_wants_told(telecom: Stage, task: Task) -> None:
    raw = {"evaluation_criteria": {"communicate_info": ["1286", "Basic Economy"]}}
    imported = replace(task, gold=(), communicate=(Communicate("number", "1286"),), imported={"task": raw})
    assert script(telecom, imported) == [
        f"I have looked into it. The answer is 1286. The answer is Basic Economy. {ELSE}"
    ]
    bare = replace(task, gold=(), communicate=(), imported={"task": {"evaluation_criteria": None}})
    assert script(telecom, bare) == [f"I have looked into it, and there is nothing that I could change. {ELSE}"]
