"""Prompts: what becomes a turn, what is kept, what gives way, and when nothing can."""

from __future__ import annotations

import json
from typing import Any

import pytest
from llamacpp.requests_of_roles import assistant, called, request, result, system, user

from eigen_cli.api.backend import Schema
from eigen_cli.api.errors import ContextOverflowError
from eigen_cli.roles.context import RoleContext
from eigen_llamacpp.prompt import Turn, fitted, merged, prompt_of, shortened


def size(text: str) -> int:
    """Count words for tokens."""
    return len(text.split())


def test_a_talk_becomes_turns_that_every_template_knows(tools: list[dict[str, Any]]) -> None:
    asked = request(
        system("Policy."),
        user("Hi, I am ada."),
        called("get_user_details", '{"user_id":"ada"}', "c1"),
        result("c1", '{"name":"Ada"}'),
        assistant("Hello Ada."),
        user("Thanks."),
        tools=tools,
    )
    prompt = prompt_of(asked, worked=0)
    assert prompt.talk == (
        Turn("user", "Hi, I am ada."),
        Turn("assistant", '{"name": "get_user_details", "arguments": {"user_id":"ada"}}'),
        Turn("user", 'Result of get_user_details: {"name":"Ada"}'),
        Turn("assistant", '{"name": "respond", "arguments": {"text": "Hello Ada."}}'),
        Turn("user", "Thanks."),
    )
    assert prompt.current == 4
    assert prompt.instructions == Turn("system", "Policy.")
    assert "- get_user_details(user_id): Read a customer's profile" in prompt.format
    assert prompt.schema is not None


def test_what_an_agent_said_and_called_at_once_keeps_both(tools: list[dict[str, Any]]) -> None:
    both = {**called("calculate", '{"expression":"1+1"}', "c1"), "content": "One moment."}
    talk = prompt_of(request(system("P."), user("Hi."), both, tools=tools), worked=0).talk
    lines = [json.loads(line) for line in talk[1].text.splitlines()]
    assert [line["name"] for line in lines] == ["respond", "calculate"]


def test_roles_without_tools_get_no_format_of_ours() -> None:
    body = {"type": "object", "properties": {"reason": {"type": "string"}}}
    asked = request(user("Judge this."), schema=Schema("judge", body), role="judge")
    prompt = prompt_of(asked, worked=3)
    assert (prompt.format, prompt.shown, prompt.talk) == ("", (), ())
    assert prompt.schema == {"type": "object", "properties": {"reason": {"type": "string", "maxLength": 400}}}
    assert fitted(prompt, 100, size) == (Turn("user", "Judge this."),)
    free = prompt_of(request(system("Play."), user("Hello?"), role="user"), worked=3)
    assert free.schema is None
    assert fitted(free, 100, size) == (Turn("system", "Play."), Turn("user", "Hello?"))


def test_everything_is_shown_where_it_fits(tools: list[dict[str, Any]]) -> None:
    turns = fitted(prompt_of(request(system("Be kind."), user("Hi."), tools=tools), worked=3), 5_000, size)
    assert turns[0].role == "system"
    assert turns[0].text.startswith("Be kind.\n\nTools:\n- get_user_details(user_id)")
    assert [turn.role for turn in turns[1:]] == ["user", "assistant"] * 5 + ["user"]
    assert turns[-1].text.endswith("\nHi.")


def test_a_long_policy_loses_its_middle_and_the_tools_stay(airline: RoleContext, tools: list[dict[str, Any]]) -> None:
    policy = airline.agent_opening.system
    asked = request(system(policy), user("Cancel K4TQ2Z."), tools=tools)
    prompt = prompt_of(asked, worked=3)
    turns = fitted(prompt, 1_200, size)
    text = turns[0].text
    assert sum(size(turn.text) for turn in turns) <= 1_200
    assert "\n[...]\n" in text
    assert text.startswith(policy[:500])
    assert policy[-150:] + "\n\nTools:\n" in text
    assert size(text) - size(prompt.format) <= 1_200 // 8 + 2
    assert "- transfer_to_human_agents(summary): " in text


def test_the_oldest_turns_give_way_and_it_is_said() -> None:
    talk = [message for n in range(6) for message in (user(f"question {n} w w w"), assistant(f"answer {n} w w w"))]
    asked = request(system("Play."), *talk, user("and now?"), role="user")
    turns = fitted(prompt_of(asked, worked=0), 100, size)
    text = " ".join(turn.text for turn in turns)
    assert "(Earlier turns are left out here.)" in text
    assert "question 0" not in text
    assert "answer 5" in text
    assert turns[-1] == Turn("user", "and now?")
    assert [turn.role for turn in turns] == ["system", "user", "assistant"] * 1 + ["user", "assistant"] * (
        (len(turns) - 4) // 2
    ) + ["user"]


def test_what_came_since_the_customer_spoke_must_fit(tools: list[dict[str, Any]]) -> None:
    long = " ".join(["flight"] * 400)
    messages = [
        system("Policy."),
        user("old"),
        assistant("old"),
        user("Any flights?"),
        called("search_direct_flight", "{}", "c1"),
        result("c1", long),
    ]
    prompt = prompt_of(request(*messages, tools=tools), worked=0)
    assert prompt.current == 2
    room = size(prompt.format) + 450
    turns = fitted(prompt, room, size)
    assert any("Any flights?" in turn.text for turn in turns)
    with pytest.raises(ContextOverflowError, match="since the other side spoke last takes 4"):
        fitted(prompt, room - 50, size)


def test_tools_that_leave_no_room_at_all_overflow(tools: list[dict[str, Any]]) -> None:
    with pytest.raises(ContextOverflowError):
        fitted(prompt_of(request(system("Policy."), user("Hi."), tools=tools), worked=3), 50, size)


@pytest.mark.parametrize("room", [0, 1, 5, 40, 99, 100, 1_000])
def test_a_shortened_text_never_exceeds_its_room(room: int) -> None:
    text = " ".join(f"word{n}" for n in range(100))
    cut = shortened(text, room, size)
    assert size(cut) <= room
    assert (cut == text) is (room >= 100)


def test_neighbours_of_one_side_become_one_turn() -> None:
    assert merged((Turn("user", "a"), Turn("user", "b"), Turn("assistant", "c"), Turn("user", "d"))) == (
        Turn("user", "a\nb"),
        Turn("assistant", "c"),
        Turn("user", "d"),
    )
