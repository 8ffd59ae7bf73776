"""Guards that look at what was said."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_cli.api.domain import GuardContext
from eigen_cli.api.messages import Message, ToolCall, ToolResult

CANCEL = {"reservation_id": "AAAA04"}
ASKED = "I will cancel reservation AAAA04 and give back 200 dollars. Shall I go ahead?"


def user(text: str) -> Message:
    return Message(speaker="user", text=text)


def agent(text: str = "", *calls: str) -> Message:
    made = tuple(ToolCall(f"c{place}", "agent", name, "{}") for place, name in enumerate(calls))
    return Message(speaker="agent", text=text, tool_calls=made)


def result(name: str) -> Message:
    return Message(speaker="environment", result=ToolResult("c0", "agent", name, "{}"))


HELLO = user("Hi, I'm ada_moss_1234 and want to cancel AAAA04.")


def broken(desk: Any, name: str, arguments: dict[str, Any], *dialogue: Message) -> set[str]:
    """Return the dialogue clauses that a call breaks at the end of a dialogue."""
    said = (*dialogue, agent("", name))
    context = GuardContext(desk.world, "agent", name, arguments, said, ())
    return {
        clause.id
        for clause in desk.toolbox.domain.clauses
        if clause.id in ("1.1", "1.2", "2.1", "2.2", "8.1")
        and clause.guard is not None
        and (not clause.tools or name in clause.tools)
        and clause.guard(context) is not None
    }


@pytest.mark.parametrize(
    "yes",
    [
        "Yes.",
        "yes, please",
        "Sure, go ahead.",
        "That's correct.",
        "Okay do it",
        "I confirm.",
        "Yes, you may proceed with that, thanks.",
        "Sounds good to me!",
        "Yes, go ahead. I don't need anything else.",
        "No problem, please proceed.",
        "Yes please. And no insurance.",
        "Alright, that works for me",
        "Fine.",
    ],
)
def test_a_yes_to_what_was_laid_out(desk: Any, yes: str) -> None:
    assert broken(desk, "cancel_reservation", CANCEL, HELLO, agent(ASKED), user(yes)) == set()


@pytest.mark.parametrize(
    "answer",
    [
        "No.",
        "No, not yet.",
        "Wait, which one?",
        "Don't do that, okay?",
        "How much is the refund?",
        "I'm not sure.",
        "That is not correct.",
        "Not yet, okay?",
        "Hold on, I changed my mind.",
        "",
    ],
)
def test_anything_else_is_no_yes(desk: Any, answer: str) -> None:
    assert broken(desk, "cancel_reservation", CANCEL, HELLO, agent(ASKED), user(answer)) == {"1.1"}


def test_a_yes_to_something_else_does_not_count(desk: Any) -> None:
    other = agent("I will cancel reservation AAAA01. Shall I?")
    assert broken(desk, "cancel_reservation", CANCEL, HELLO, other, user("Yes.")) == {"1.1"}
    assert broken(desk, "cancel_reservation", CANCEL, HELLO, agent("Is that your user id?"), user("Yes.")) == {"1.1"}
    assert broken(desk, "cancel_reservation", CANCEL, HELLO) == {"1.1"}


def test_one_yes_covers_the_calls_laid_out_with_it(desk: Any) -> None:
    both = agent("I'd cancel AAAA04 and AAAA01, 600 dollars back in all. Is that right?")
    said = (HELLO, both, user("Yes"), agent("", "cancel_reservation"), result("cancel_reservation"))
    assert broken(desk, "cancel_reservation", {"reservation_id": "AAAA01"}, *said) == set()
    assert broken(desk, "cancel_reservation", {"reservation_id": "AAAA02"}, *said) == {"1.1"}


def test_laid_out_in_other_spellings(desk: Any) -> None:
    flights = [{"flight_number": "HRN001", "date": "2024-05-21"}]
    change = {"reservation_id": "AAAA01", "cabin": "basic_economy", "flights": flights, "payment_id": "x_1"}
    for words in (
        "That is the flight on May 21, 20 dollars more. Okay?",
        "I'd move you into basic economy. Okay?",
        "HRN001 it would be. Okay?",
    ):
        assert broken(desk, "update_reservation_flights", change, HELLO, agent(words), user("Okay.")) == set()
    unspecific = agent("I'd change it then. Okay?")
    assert broken(desk, "update_reservation_flights", change, HELLO, unspecific, user("Okay.")) == {"1.1"}


def test_reads_need_no_yes_but_an_identity(desk: Any) -> None:
    read = {"user_id": "ada_moss_1234"}
    assert broken(desk, "get_user_details", read, HELLO) == set()
    assert broken(desk, "get_user_details", read, user("I'm Ada Moss.")) == {"2.1"}
    assert broken(desk, "get_user_details", read, agent("Are you ada_moss_1234?"), user("Yes")) == {"2.1"}
    assert broken(desk, "get_user_details", {"user_id": "bob_kerr_5678"}, HELLO) == {"2.2"}
    assert broken(desk, "get_reservation_details", {"reservation_id": "AAAA01"}, HELLO) == set()
    assert broken(desk, "get_reservation_details", {"reservation_id": "BBBB01"}, HELLO) == {"2.2"}
    assert broken(desk, "search_direct_flight", {"origin": "DEN"}, user("What does a flight cost?")) == set()


def test_one_call_a_turn(desk: Any) -> None:
    read = {"user_id": "ada_moss_1234"}
    twice = agent("", "get_user_details", "list_all_airports")
    context = GuardContext(desk.world, "agent", "get_user_details", read, (HELLO, twice), ())
    guard = next(clause.guard for clause in desk.toolbox.domain.clauses if clause.id == "1.2")
    assert guard is not None and guard(context) == "2 calls in one turn"
    assert broken(desk, "get_user_details", read, HELLO, twice, result("get_user_details")) == set()


def test_compensation_is_asked_for(desk: Any) -> None:
    certificate = {"user_id": "ada_moss_1234", "amount": 200}
    offer = agent("I can send you a certificate of $200. Shall I?")
    quiet = user("I'm ada_moss_1234. Was my flight cancelled?")
    assert broken(desk, "send_certificate", certificate, quiet, offer, user("Yes")) == {"8.1"}
    loud = user("I'm ada_moss_1234 and want compensation for my cancelled flight.")
    assert broken(desk, "send_certificate", certificate, loud, offer, user("Yes")) == set()


def test_without_a_dialogue_they_pass(desk: Any) -> None:
    context = GuardContext(desk.world, "agent", "cancel_reservation", CANCEL, None, ())
    guards = [
        clause.guard for clause in desk.toolbox.domain.clauses if clause.id in ("1.1", "1.2", "2.1", "2.2", "8.1")
    ]
    assert [guard(context) for guard in guards if guard is not None] == [None] * 5
