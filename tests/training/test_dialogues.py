"""Which turns of an episode are learned: whole, well-formed ones, and ends of calls that should end there."""

from __future__ import annotations

import pytest

from eigen_cli.api.episodes import Episode, StopReason
from eigen_cli.api.generations import Opening
from eigen_cli.api.messages import FinishReason, Message, ToolCall, ToolResult
from eigen_cli.api.verdicts import Blame, EpisodeVerdict
from eigen_cli.training.dialogues import Dialogue, dialogue_of, first_violation

AGENT = Opening("agent", "bank", "Serve.")
USER = Opening("user", "bank", "Call.")
STOP = "###STOP###"


def said(speaker: str, text: str, finish: FinishReason | None = "stop", **more: object) -> Message:
    return Message(speaker=speaker, text=text, finish_reason=finish, **more)  # type: ignore[arg-type]


def calling(*ids: str, error: str | None = None, speaker: str = "agent") -> Message:
    calls = tuple(
        ToolCall(name, speaker, "look", "{}" if error is None else "{", None if error else {}, error)  # type: ignore[arg-type]
        for name in ids
    )
    return said(speaker, "", "tool_calls", tool_calls=calls)


def result(call: str, speaker: str = "agent", *, refused: bool = False) -> Message:
    return Message(speaker="environment", result=ToolResult(call, speaker, "look", "1", refused))  # type: ignore[arg-type]


def episode(*messages: Message, stop: StopReason = "user_stop") -> Episode:
    return Episode("ep-1", "task-1", 0, messages, stop, "", "")


def learned(dialogue: Dialogue | None) -> list[object]:
    assert dialogue is not None
    assert len(dialogue.targets) == len(dialogue.turns)
    assert dialogue.targets[-1] == len(dialogue.messages) - 1
    return [dialogue.messages[index]["content"] or "call" for index in dialogue.targets]


GREETING = said("agent", "Hello.", None)
OPEN = (GREETING, said("user", "Hi, look it up."), calling("a", "b"), result("a"), result("b"))
WHOLE = episode(*OPEN, said("agent", "It is 1."), said("user", f"Thanks. {STOP}"))


def test_each_side_learns_its_own_turns() -> None:
    agent, user = dialogue_of(AGENT, WHOLE), dialogue_of(USER, WHOLE)
    assert learned(agent) == ["call", "It is 1."]
    assert learned(user) == ["Hi, look it up.", f"Thanks. {STOP}"]
    assert agent is not None and [turn["role"] for turn in agent.messages] == [
        *("system", "assistant", "user", "assistant", "tool", "tool", "assistant"),
    ]
    assert user is not None and [turn["role"] for turn in user.messages] == [
        *("system", "user", "assistant", "user", "assistant"),
    ]
    assert (agent.turns, user.turns) == ((1, 2), (0, 3))


def test_one_turn_of_a_dialogue_comes_with_what_was_before_it() -> None:
    thinking = episode(*OPEN[:2], said("agent", "Hm.", reasoning="Who?"), said("user", "Well?"), said("agent", "Ah."))
    dialogue = dialogue_of(AGENT, thinking)
    assert dialogue is not None and dialogue.reasoning == {3: "Who?"}
    first = dialogue.up_to(0)
    assert (learned(first), first.turns, first.reasoning) == (["Hm."], (1,), {3: "Who?"})
    assert learned(dialogue.up_to(1)) == ["Ah."]


@pytest.mark.parametrize(
    ("last", "stop"),
    [
        (said("agent", f"Bye. {STOP}"), "agent_stop"),
        (said("agent", "It is 1 and th", "length"), "agent_token_limit"),
        (said("agent", "  "), "agent_empty_reply"),
        (calling("c", error="not JSON"), "agent_unparsable_call"),
        (calling("c"), "agent_call_limit"),
        (said("agent", "It", "error"), "infrastructure"),
    ],
)
def test_a_turn_that_ended_its_episode_badly_is_not_learned(last: Message, stop: StopReason) -> None:
    before = (*OPEN, said("agent", "It is 1."), said("user", "Really?"))
    dialogue = dialogue_of(AGENT, episode(*before, last, stop=stop))
    assert learned(dialogue) == ["call", "It is 1."]
    assert dialogue_of(AGENT, episode(GREETING, said("user", "Hi."), last, stop=stop)) is None


def test_calls_of_which_some_were_not_run_are_not_learned() -> None:
    assert dialogue_of(AGENT, episode(*OPEN[:4], stop="tool_error_limit")) is None


def test_a_refused_call_is_context_and_going_on_from_it_is_learned() -> None:
    refused = (calling("a", "b"), result("a"), result("b", refused=True))
    dialogue = dialogue_of(AGENT, episode(*OPEN[:2], *refused, calling("c"), result("c"), said("agent", "It is 1.")))
    assert learned(dialogue) == ["call", "It is 1."]
    assert dialogue is not None and dialogue.turns == (2, 3)


def test_a_turn_limit_teaches_no_stop_and_keeps_the_rest() -> None:
    limited = episode(*OPEN, said("agent", "It is 1."), said("user", "And 2?"), stop="agent_turn_limit")
    assert learned(dialogue_of(USER, limited)) == ["Hi, look it up.", "And 2?"]


def test_a_stop_that_should_not_have_been_is_not_learned() -> None:
    assert learned(dialogue_of(USER, WHOLE, may_stop=False)) == ["Hi, look it up."]
    assert learned(dialogue_of(USER, WHOLE, before=3)) == ["Hi, look it up."]
    assert dialogue_of(USER, WHOLE, before=0) is None
    assert learned(dialogue_of(AGENT, WHOLE, may_stop=False)) == ["call", "It is 1."]


def test_a_stop_with_a_call_that_nobody_ran_is_not_learned() -> None:
    last = said("user", f"Bye {STOP}", "tool_calls", tool_calls=calling("z", speaker="user").tool_calls)
    assert learned(dialogue_of(USER, episode(*OPEN, said("agent", "It is 1."), last))) == ["Hi, look it up."]


@pytest.mark.parametrize(
    ("verdict", "turn"),
    [
        (EpisodeVerdict(1.0), None),
        (EpisodeVerdict(0.0, blame=Blame("agent", "wrong_write", turn=1)), None),
        (EpisodeVerdict(0.0, blame=Blame("user", "changed_goal", turn=4, by="judge")), 4),
        (EpisodeVerdict(0.0, blame=Blame("user", "changed_goal")), -1),
        (EpisodeVerdict(1.0, violations=(Blame("user", "b", turn=5), Blame("user", "a", turn=3))), 3),
    ],
)
def test_the_first_violation(verdict: EpisodeVerdict, turn: int | None) -> None:
    assert first_violation(verdict) == turn
