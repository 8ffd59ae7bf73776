"""Guards that look at what was said, and at who was looked up."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_cli.api.domain import GuardContext
from eigen_cli.api.messages import Message, ToolCall, ToolResult
from eigen_cli.api.tasks import Action

CANCEL = {"order_id": "#W0000001", "reason": "no longer needed"}
ASKED = "I will cancel order #W0000001 and give back 134.30 dollars. Shall I go ahead?"
ADA = Action("find_user_id_by_email", {"email": "ada.moss@mail.example"})
ADA_BY_NAME = Action("find_user_id_by_name_zip", {"first_name": "Ada", "last_name": "Moss", "zip": "80333"})
BOB = Action("find_user_id_by_email", {"email": "bob.kerr@mail.example"})
READ = Action("get_order_details", {"order_id": "#W0000001"})


def user(text: str) -> Message:
    return Message(speaker="user", text=text)


def agent(text: str = "", *calls: str) -> Message:
    made = tuple(ToolCall(f"c{place}", "agent", name, "{}") for place, name in enumerate(calls))
    return Message(speaker="agent", text=text, tool_calls=made)


def result(name: str) -> Message:
    return Message(speaker="environment", result=ToolResult("c0", "agent", name, "{}"))


HELLO = user("Hi, I'm ada.moss@mail.example and want to cancel #W0000001.")


def broken(
    desk: Any, name: str, arguments: dict[str, Any], *dialogue: Message, earlier: tuple[Action, ...] = (ADA, READ)
) -> set[str]:
    """Return the conduct and identity clauses that a call breaks at the end of a dialogue."""
    said = (*dialogue, agent("", name))
    context = GuardContext(desk.world, "agent", name, arguments, said, earlier)
    return {
        clause.id
        for clause in desk.toolbox.domain.clauses
        if clause.id in ("1.1", "1.2", "2.1", "2.2")
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
        "Sounds good to me!",
        "Yes, go ahead. I don't need anything else.",
        "No problem, please proceed.",
        "Alright, that works for me",
        "Fine.",
    ],
)
def test_a_yes_to_what_was_laid_out(desk: Any, yes: str) -> None:
    assert broken(desk, "cancel_pending_order", CANCEL, HELLO, agent(ASKED), user(yes)) == set()


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
        "Hold on, I changed my mind.",
        "",
    ],
)
def test_anything_else_is_no_yes(desk: Any, answer: str) -> None:
    assert broken(desk, "cancel_pending_order", CANCEL, HELLO, agent(ASKED), user(answer)) == {"1.1"}


def test_a_yes_to_something_else_does_not_count(desk: Any) -> None:
    other = agent("I will cancel order #W0000002. Shall I?")
    assert broken(desk, "cancel_pending_order", CANCEL, HELLO, other, user("Yes.")) == {"1.1"}
    assert broken(desk, "cancel_pending_order", CANCEL, HELLO, agent("Is it yours?"), user("Yes.")) == {"1.1"}
    assert broken(desk, "cancel_pending_order", CANCEL, HELLO) == {"1.1"}


def test_laid_out_in_other_words(desk: Any) -> None:
    change = {
        "order_id": "#W0000001",
        "item_ids": ["2000000000"],
        "new_item_ids": ["2000000001"],
        "payment_method_id": "credit_card_1111111",
    }
    for words in (
        "The Tea Pot would get 900 ml. Okay?",
        "In order W0000001 the pot becomes the bigger one. Okay?",
        "The card ending in 4242 pays 8.10 more. Okay?",
    ):
        assert broken(desk, "modify_pending_order_items", change, HELLO, agent(words), user("Okay.")) == set()
    for words in ("I'd make that change. Okay?", "The Rain Jacket becomes red. Okay?"):
        assert broken(desk, "modify_pending_order_items", change, HELLO, agent(words), user("Okay.")) == {"1.1"}
    moved = {"user_id": "ada_moss_1234", "address1": "1 Canal Road", "address2": "", "country": "USA"}
    for words, clauses in (("1 canal road in the USA, okay?", set()), ("Your home in the USA, okay?", {"1.1"})):
        assert broken(desk, "modify_user_address", moved, HELLO, agent(words), user("Okay.")) == clauses


def test_one_call_a_turn(desk: Any) -> None:
    twice = agent("", "get_order_details", "list_all_product_types")
    context = GuardContext(desk.world, "agent", READ.name, READ.arguments, (HELLO, twice), (ADA,))
    guard = next(clause.guard for clause in desk.toolbox.domain.clauses if clause.id == "1.2")
    assert guard is not None and guard(context) == "2 calls in one turn"
    assert broken(desk, READ.name, READ.arguments, HELLO, twice, result(READ.name)) == set()


# Who is calling


def test_look_ups_use_the_customers_words(desk: Any) -> None:
    def email(text: str) -> set[str]:
        return broken(desk, ADA.name, ADA.arguments, user(text), earlier=())

    assert email("I'm Ada.Moss@mail.example") == set()
    assert email("I'm Ada Moss, 80333") == {"2.1"}
    by_name = broken(desk, ADA_BY_NAME.name, ADA_BY_NAME.arguments, user("ada MOSS here, zip 80333"), earlier=())
    assert by_name == set()
    guessed = broken(desk, ADA_BY_NAME.name, ADA_BY_NAME.arguments, user("I'm Ada Moss"), earlier=())
    assert guessed == {"2.1"}
    offered = broken(desk, ADA.name, ADA.arguments, agent("Is it ada.moss@mail.example?"), user("Yes"), earlier=())
    assert offered == {"2.1"}


def test_nothing_is_read_before_a_look_up(desk: Any) -> None:
    profile = {"user_id": "ada_moss_1234"}
    told = user("My user id is ada_moss_1234, the order is #W0000001.")
    assert broken(desk, "get_user_details", profile, told, earlier=()) == {"2.1"}
    assert broken(desk, READ.name, READ.arguments, told, earlier=()) == {"2.1"}
    assert broken(desk, "get_product_details", {"product_id": "9000000001"}, told, earlier=()) == set()
    assert broken(desk, "get_user_details", profile, HELLO, earlier=(ADA,)) == set()


def test_one_customer_a_call(desk: Any) -> None:
    bobs = {"order_id": "#W1000001"}
    assert broken(desk, READ.name, bobs, HELLO, earlier=(ADA,)) == {"2.2"}
    assert broken(desk, READ.name, bobs, HELLO, earlier=(BOB,)) == set()
    assert broken(desk, READ.name, bobs, HELLO, earlier=(ADA, BOB)) == {"2.2"}
    assert broken(desk, "get_user_details", {"user_id": "bob_kerr_5678"}, HELLO, earlier=(ADA_BY_NAME,)) == {"2.2"}


def test_a_customer_who_moved_is_still_the_same(desk: Any) -> None:
    home = {"address1": "1 Canal Road", "address2": "", "city": "Tampa", "state": "FL", "country": "USA"}
    desk.call("modify_user_address", user_id="ada_moss_1234", **home, zip="33612")
    assert broken(desk, READ.name, READ.arguments, HELLO, earlier=(ADA_BY_NAME,)) == set()
    assert broken(desk, READ.name, {"order_id": "#W1000001"}, HELLO, earlier=(ADA_BY_NAME,)) == {"2.2"}


def test_without_a_dialogue_words_do_not_count(desk: Any) -> None:
    context = GuardContext(desk.world, "agent", ADA.name, ADA.arguments, None, ())
    guards = {clause.id: clause.guard for clause in desk.toolbox.domain.clauses}
    assert [guards[clause](context) for clause in ("1.1", "1.2", "2.1")] == [None, None, None]


def test_a_question_may_stand_between_what_is_laid_out_and_the_yes(desk: Any) -> None:
    answered = (user("How long does that take?"), agent("5 to 7 business days. Shall I go ahead?"), user("Yes."))
    assert broken(desk, "cancel_pending_order", CANCEL, HELLO, agent(ASKED), *answered) == set()
    assert broken(desk, "cancel_pending_order", CANCEL, HELLO, agent("Shall I cancel it?"), *answered) == {"1.1"}
    looked = (agent(ASKED), agent("", "get_order_details"), result("get_order_details"), *answered)
    assert broken(desk, "cancel_pending_order", CANCEL, HELLO, *looked) == {"1.1"}, "laid out before another call"


@pytest.mark.parametrize("yes", ["Cancel it, please.", "That'd be great.", "Go on then.", "Let's do that.", "Deal."])
def test_what_people_say_for_yes(desk: Any, yes: str) -> None:
    assert broken(desk, "cancel_pending_order", CANCEL, HELLO, agent(ASKED), user(yes)) == set()


@pytest.mark.parametrize("answer", ["Is that all right?", "Can you confirm it?", "Yes, but not to the visa."])
def test_a_question_or_a_yes_to_something_else_is_none(desk: Any, answer: str) -> None:
    assert broken(desk, "cancel_pending_order", CANCEL, HELLO, agent(ASKED), user(answer)) == {"1.1"}
