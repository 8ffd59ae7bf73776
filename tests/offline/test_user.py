"""The simulated user against an agent that writes freely, as a model does."""

from __future__ import annotations

import re
from typing import Any

import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import CallKey, Chat, Request
from eigen_cli.api.inputs import UserInputs
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Fact, Goal, Scenario
from eigen_offline.profiles import profile_of
from eigen_offline.user import answer

AIRLINE = Airline()
STOP = "###STOP###"
CANCEL = Goal(
    "cancel_reservation",
    "I'd like to cancel a trip.",
    (Fact("reservation_id", "K4TQ2Z"), Fact("cancel_reason", "a change of plans", "My plans have changed.")),
)
BAGS = Goal(
    "add_bags",
    "I need to add luggage to my booking.",
    (Fact("reservation_id", "AB12CD"), Fact("extra_bags", 2, "2 more, please."), Fact("payment", "gift_card_1234567")),
)
FARE = Goal("price_quote", "How much would a flight cost?", (Fact("cabin", "economy"),))


class Call:
    """One call of a user; `hears` is the agent's next message and returns the user's answer."""

    def __init__(self, *goals: Goal, trial: int = 0, user: str = "faithful", **scenario: Any) -> None:
        known = (Fact("user_id", "ada_moss_4821"),)
        self.scenario = Scenario("You speak plainly.", f"You call, {trial}.", known, goals, **scenario)
        self.trial = trial
        self.profile = profile_of({"user": user})
        self.conversation: tuple[Message, ...] = (Message(speaker="agent", text="Hello, how can I help you today?"),)
        self.faults: tuple[str, ...] = ()
        self.opening = self._answer()

    def hears(self, text: str) -> str:
        self.conversation += (Message(speaker="agent", text=text),)
        return self._answer()

    def _answer(self) -> str:
        inputs = UserInputs(AIRLINE, self.scenario, self.conversation, STOP)
        key = CallKey("tests:1", 1, "", "task", self.trial, "user", len(self.conversation), 0)
        reply = answer(Request("user", key, inputs, Chat()), self.profile)
        self.faults = getattr(reply, "faults", ())
        self.conversation += (Message(speaker="user", text=reply.completion.text),)
        return reply.completion.text


def test_opens_with_its_first_request_and_nothing_else() -> None:
    call = Call(CANCEL, BAGS)
    assert "cancel a trip" in call.opening
    for value in ("ada_moss_4821", "K4TQ2Z", "AB12CD", "luggage", "plans"):
        assert value not in call.opening


@pytest.mark.parametrize(
    ("asked", "told", "kept"),
    [
        ("Could I have your user ID so that I can pull up the account?", ["ada_moss_4821"], ["K4TQ2Z", "plans"]),
        ("Happy to look into it! What's the booking reference?", ["K4TQ2Z"], ["ada_moss_4821", "plans"]),
        (
            "Sure. To get going I'll need two things:\n1. your user ID\n2. the reservation number you want cancelled",
            ["ada_moss_4821", "K4TQ2Z"],
            ["plans"],
        ),
        ("I see. And may I ask what the reason for the cancellation is?", ["plans"], ["ada_moss_4821", "K4TQ2Z"]),
        ("Please confirm your user id.", ["ada_moss_4821"], ["K4TQ2Z"]),
    ],
)
def test_reveals_what_is_asked_for_and_no_more(asked: str, told: list[str], kept: list[str]) -> None:
    reply = Call(CANCEL).hears(asked)
    assert all(value in reply for value in told), reply
    assert not any(value in reply for value in kept), reply
    assert STOP not in reply


def test_statements_are_not_questions() -> None:
    call = Call(CANCEL)
    reply = call.hears("Thanks for calling Heron Air. One moment while I look at the reservation for you.")
    assert "K4TQ2Z" not in reply and STOP not in reply


def test_agrees_when_asked_to_confirm() -> None:
    call = Call(CANCEL)
    reply = call.hears(
        "Here's what I'd do: cancel K4TQ2Z and send $420 back to your Visa. Would you like me to go ahead with that?"
    )
    assert re.search(r"\b(?:yes|correct|go ahead)\b", reply, re.I) and STOP not in reply


def test_says_that_it_does_not_know() -> None:
    call = Call(CANCEL, unknown=("flight_number",))
    reply = call.hears("Which flight number is it about?")
    assert re.search(r"don't (?:know|have)|not sure|no idea", reply) and not re.search(r"[A-Z]{3}\d{3}", reply)


def test_declines_extras_it_never_wanted() -> None:
    reply = Call(CANCEL).hears("Would you like to add travel insurance as well?")
    assert reply.lower().startswith("no")


def test_stays_until_the_work_is_reported() -> None:
    call = Call(CANCEL)
    assert STOP not in call.hears("I can certainly help with cancelling that. May I have your user id?")
    assert STOP not in call.hears("Thank you. Shall I proceed with the cancellation of K4TQ2Z?")
    assert STOP not in call.hears("One moment please, I'm working on it.")
    nagging = call.hears("Is there anything else I can do for you?")
    assert STOP not in nagging and "cancel" in nagging
    done = call.hears("Your reservation K4TQ2Z has been cancelled and $420 is on its way. Anything else I can do?")
    assert STOP in done


def test_moves_to_the_next_goal_when_one_is_done() -> None:
    call = Call(CANCEL, BAGS)
    reply = call.hears("All done! I've cancelled K4TQ2Z. Is there anything else I can help you with?")
    assert "luggage" in reply and STOP not in reply
    assert "AB12CD" in call.hears("Which reservation should the bags go on?")
    assert STOP in call.hears("I've added 2 bags to AB12CD for $100. Can I help you with anything else today?")


def test_accepts_a_refusal_after_at_most_one_plea() -> None:
    replies = []
    for trial in range(12):
        call = Call(CANCEL, BAGS, trial=trial)
        refusal = "I'm sorry, but I can't cancel this reservation: it isn't insured. Is there anything else?"
        first = call.hears(refusal)
        second = first if "luggage" in first else call.hears(refusal)
        assert "luggage" in second and STOP not in second
        replies.append("luggage" in first)
    assert set(replies) == {True, False}, "some plead, some do not"


def test_ends_when_it_is_passed_on() -> None:
    call = Call(CANCEL, BAGS)
    assert STOP in call.hears("I'm transferring you to a human agent who can help. Please hold.")


def test_an_answer_with_a_fact_counts_as_done_where_nothing_is_written() -> None:
    call = Call(FARE)
    assert STOP in call.hears("The cheapest nonstop, HRN101, costs $214 in economy. Anything else I can look up?")


def test_never_repeats_itself_for_ever() -> None:
    call = Call(CANCEL)
    replies = [call.hears("Hmm. What colour would you like?") for _ in range(8)]
    assert any(STOP in reply for reply in replies)
    patient = Call(CANCEL)
    replies = [patient.hears("What is your user id?") for _ in range(6)]
    assert STOP in replies[3] and STOP not in replies[2]


def test_wording_varies_by_trial_and_style() -> None:
    openings = {Call(CANCEL, trial=trial).opening for trial in range(20)}
    assert len(openings) >= 4
    terse = Scenario("You type on your phone: terse, a few words at a time.", "r", (), (CANCEL,))
    inputs = UserInputs(AIRLINE, terse, (), STOP)
    key = CallKey("tests:1", 1, "", "task", 0, "user", 0, 0)
    reply = answer(Request("user", key, inputs, Chat()), profile_of({"user": "faithful"}))
    assert len(reply.completion.text.split()) <= 8


@pytest.mark.parametrize("fault", ["invents_fact", "contradicts_fact", "stops_early", "changes_goal"])
def test_each_fault_shows_in_what_is_said(fault: str) -> None:
    script = (
        "May I have your user id?",
        "Which reservation is it, please?",
        "What is the reason for cancelling?",
        "I would cancel it and refund $200. Shall I go ahead?",
        "Shall I go ahead, then?",
        "It has been cancelled. Is there anything else?",
    )
    signs = {
        "invents_fact": lambda said: not re.search(r"ada_moss_4821\b.*K4TQ2Z", said),
        "contradicts_fact": lambda said: re.search(r"wrong|misspoke|not right", said) is not None,
        "stops_early": lambda said: said.count(STOP) >= 1 and "Thank" not in said.split(STOP)[0][-40:],
        "changes_goal": lambda said: re.search(r"never mind|forget that|changed my mind", said) is not None,
    }
    seen = 0
    for trial in range(6):
        call = Call(CANCEL, trial=trial, user=f"only:{fault}")
        said, reported = [], []
        for line in script:
            said.append(call.hears(line))
            reported += call.faults
            if STOP in said[-1]:
                break
        assert set(reported) <= {f"user:{fault}"}
        if reported:
            seen += 1
            assert signs[fault](" ".join(said)), said
    assert seen >= 3


def test_a_fork_keeps_the_caller_it_forks() -> None:
    inputs = UserInputs(AIRLINE, Scenario("p", "r", (), (CANCEL,)), (), STOP)
    keys = [CallKey("tests:1", 1, "", "0007", 3, "user", 0, 0, fork) for fork in ("", "2")]
    replies = {answer(Request("user", key, inputs, Chat()), profile_of({})).completion.text for key in keys}
    assert len(replies) == 1
