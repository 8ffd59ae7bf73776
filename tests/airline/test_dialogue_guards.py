"""Guards that look at what was said."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_cli.api.domain import GuardContext
from eigen_cli.api.messages import Message, ToolCall, ToolResult
from eigen_cli.api.tasks import Action

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


def broken(
    desk: Any, name: str, arguments: dict[str, Any], *dialogue: Message, earlier: tuple[Action, ...] = ()
) -> set[str]:
    """Return the dialogue clauses that a call breaks at the end of a dialogue."""
    said = (*dialogue, agent("", name))
    context = GuardContext(desk.world, "agent", name, arguments, said, earlier)
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
    both = agent("I'd cancel AAAA04 and AAAA01, with 200 and 400 dollars back. Is that right?")
    said = (HELLO, both, user("Yes"), agent("", "cancel_reservation"), result("cancel_reservation"))
    assert broken(desk, "cancel_reservation", {"reservation_id": "AAAA01"}, *said) == set()
    assert broken(desk, "cancel_reservation", {"reservation_id": "AAAA02"}, *said) == {"1.1"}


def test_laid_out_in_other_spellings(desk: Any) -> None:
    flights = [{"flight_number": "HRN001", "date": "2024-05-21"}]
    change = {"reservation_id": "AAAA01", "cabin": "basic_economy", "flights": flights, "payment_id": "x_1"}
    for words in (
        "That is the flight on May 21, you get 300 dollars back. Okay?",
        "I'd move you into basic economy and refund $300.00. Okay?",
        "HRN001 it would be, and $300 would be refunded. Okay?",
    ):
        assert broken(desk, "update_reservation_flights", change, HELLO, agent(words), user("Okay.")) == set()
    unspecific = agent("I'd change it then. Okay?")
    assert broken(desk, "update_reservation_flights", change, HELLO, unspecific, user("Okay.")) == {"1.1"}


CARD, GIFT, RICH = "credit_card_1111111", "gift_card_3333333", "gift_card_4444444"
THERE = {"flight_number": "HRN001", "date": "2024-05-20"}
BACK = {"flight_number": "HRN002", "date": "2024-05-22"}
PEOPLE = [
    {"first_name": "Ada", "last_name": "Moss", "dob": "1988-02-14"},
    {"first_name": "Ian", "last_name": "Moss", "dob": "1990-11-03"},
]
BOOKED: dict[str, Any] = {
    "user_id": "ada_moss_1234",
    "origin": "DEN",
    "destination": "ORD",
    "flight_type": "round_trip",
    "cabin": "business",
    "flights": [THERE, BACK],
    "passengers": PEOPLE,
    "payment_methods": [{"payment_id": CARD, "amount": 760}, {"payment_id": RICH, "amount": 500}],
    "total_baggages": 0,
    "nonfree_baggages": 0,
    "insurance": "yes",
}
UPGRADE = {"reservation_id": "AAAA01", "cabin": "business", "flights": [THERE, BACK], "payment_id": CARD}
MOVED = {**UPGRADE, "cabin": "economy", "flights": [THERE, {**BACK, "date": "2024-05-23"}]}
BAGS = {"reservation_id": "AAAA01", "total_baggages": 7, "nonfree_baggages": 3, "payment_id": CARD}
SENT = {"user_id": "ada_moss_1234", "amount": 200}
LAID_OUT = [
    (
        "book_reservation",
        BOOKED,
        f"HRN001 and HRN002 in business. Total {{}}: $760 from {CARD}, the rest from {RICH}.",
        1260,
    ),
    ("update_reservation_flights", UPGRADE, "AAAA01 to business; the difference of {} would be charged.", 800),
    ("update_reservation_flights", MOVED, "HRN002 of AAAA01 to May 23, with {} back for two passengers.", 20),
    ("update_reservation_baggages", BAGS, "3 bags beyond the free ones on AAAA01, {} in all.", 150),
    ("cancel_reservation", CANCEL, "I'd cancel AAAA04 and give {} back.", 200),
    ("send_certificate", SENT, "A certificate over {} for ada_moss_1234.", 200),
]


@pytest.mark.parametrize(("name", "arguments", "words", "price"), LAID_OUT)
def test_the_price_stands_in_what_was_laid_out(
    desk: Any, name: str, arguments: dict[str, Any], words: str, price: int
) -> None:
    complaint = user("I'm ada_moss_1234, and I want compensation or a change of AAAA01.")

    def told(figure: str, *before: Message) -> set[str]:
        return broken(desk, name, arguments, complaint, *before, agent(words.format(figure)), user("Yes."))

    for right in (f"${price:,}", f"{price} dollars", f"${price:,}.00", f"**{price} USD**"):
        assert told(right) == set(), right
    for wrong in (f"${price + 100:,}", f"${price + 1}", f"${price}.50", f"HRN{price}", f"id_{price}", "the difference"):
        assert told(wrong) == {"1.1"}, wrong
    assert told(f"${price + 100:,}", agent(f"It comes to ${price:,}."), user("Okay.")) == {"1.1"}, "said elsewhere only"


def test_numbers_of_dates_are_no_price(desk: Any) -> None:
    for words in (
        "HRN002 of AAAA01 to May 20, 2024.",
        "HRN002 of AAAA01 on 2024-05-20.",
        "HRN002, AAAA01, at 10:20 am.",
    ):
        assert broken(desk, "update_reservation_flights", MOVED, HELLO, agent(words), user("Yes.")) == {"1.1"}


def test_where_no_money_moves_no_figure_is_asked_for(desk: Any) -> None:
    same = {**UPGRADE, "cabin": "economy"}
    assert broken(desk, "update_reservation_flights", same, HELLO, agent("AAAA01 as it is."), user("Yes.")) == set()
    free = {**BAGS, "total_baggages": 4, "nonfree_baggages": 0}
    assert broken(desk, "update_reservation_baggages", free, HELLO, agent("2 more on AAAA01."), user("Yes.")) == set()
    names = {"reservation_id": "AAAA01", "passengers": PEOPLE[::-1]}
    assert broken(desk, "update_reservation_passengers", names, HELLO, agent("Ian Moss first."), user("Yes.")) == set()
    asked = agent(f"2 more on AAAA01; $50 would be charged to your visa ({CARD}).")
    assert broken(desk, "update_reservation_baggages", free, HELLO, asked, user("Yes.")) == {"1.1"}


def test_shares_of_a_booking(desk: Any) -> None:
    def told(words: str, *before: Message) -> set[str]:
        return broken(desk, "book_reservation", BOOKED, HELLO, *before, agent(words), user("Yes."))

    assert told(f"HRN001: $760 from {CARD} and $500 from your gift card {RICH}.") == set(), "all shares are the price"
    assert told(f"HRN001: $1,260, of which $60 from your visa ({CARD}) insure you.") == set(), "a part of a share"
    assert told(f"HRN001: $860 from {CARD} and $500 from your gift card {RICH}.") == {"1.1"}
    assert told(f"HRN001: total $1,260: $860 from your visa ending in 4242 ({CARD}), the rest from {RICH}.") == {"1.1"}
    assert told(f"HRN001: total $1,260. You have $900 on {RICH}, and $80 from {GIFT} is not needed.") == set()


def test_another_reservation_was_laid_out(desk: Any) -> None:
    other = agent(f"I'd add 3 bags to AAAA02, $150 charged to {CARD}.")
    assert broken(desk, "update_reservation_baggages", BAGS, HELLO, other, user("Yes.")) == {"1.1"}
    unnamed = agent(f"I'd add 3 bags, $150 charged to {CARD}.")
    assert broken(desk, "update_reservation_baggages", BAGS, HELLO, unnamed, user("Yes.")) == set()
    no_such = agent(f"I'd add 3 bags on flight QQQQ01, $150 charged to {CARD}.")
    assert broken(desk, "update_reservation_baggages", BAGS, HELLO, no_such, user("Yes.")) == set()
    done = (Action("cancel_reservation", {"reservation_id": "AAAA02"}),)
    reported = agent(f"AAAA02 is cancelled. Now 3 bags here, $150 charged to {CARD}.")
    assert broken(desk, "update_reservation_baggages", BAGS, HELLO, reported, user("Yes."), earlier=done) == set()


def test_what_an_earlier_call_charged_may_be_reported(desk: Any) -> None:
    words = agent(f"I took $800 from {CARD} for the upgrade. The 3 bags on AAAA01 come to $150.")
    done = (Action("update_reservation_flights", UPGRADE),)
    assert broken(desk, "update_reservation_baggages", BAGS, HELLO, words, user("Yes."), earlier=done) == set()
    assert broken(desk, "update_reservation_baggages", BAGS, HELLO, words, user("Yes.")) == {"1.1"}


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


REFUND = agent("I'd cancel AAAA04 and give $200 back to your visa.  Shall I?")


def test_a_question_may_stand_between_what_is_laid_out_and_the_yes(desk: Any) -> None:
    answered = (user("How long does that take?"), agent("5 to 7 business days. Shall I go ahead?"), user("Yes."))
    assert broken(desk, "cancel_reservation", CANCEL, HELLO, REFUND, *answered) == set()
    assert broken(desk, "cancel_reservation", CANCEL, HELLO, agent("Shall I cancel?"), *answered) == {"1.1"}
    dearer = (user("And the fee?"), agent("Then it's $150 back. Shall I go ahead?"), user("Yes."))
    assert broken(desk, "cancel_reservation", CANCEL, HELLO, REFUND, *dearer) == {"1.1"}, "the last figure counts"
    looked = (REFUND, agent("", "get_user_details"), result("get_user_details"), *answered)
    assert broken(desk, "cancel_reservation", CANCEL, HELLO, *looked) == {"1.1"}, "laid out before another call"


@pytest.mark.parametrize("yes", ["Cancel it, please.", "That'd be great.", "Go on then.", "Let's do that.", "Deal."])
def test_what_people_say_for_yes(desk: Any, yes: str) -> None:
    assert broken(desk, "cancel_reservation", CANCEL, HELLO, REFUND, user(yes)) == set()


@pytest.mark.parametrize("answer", ["Is that all right?", "Can you confirm it?", "Yes, but not to the visa."])
def test_a_question_or_a_yes_to_something_else_is_none(desk: Any, answer: str) -> None:
    assert broken(desk, "cancel_reservation", CANCEL, HELLO, REFUND, user(answer)) == {"1.1"}


@pytest.mark.parametrize(
    "asked",
    [
        "Delay wrecked my day. What do I get for it?",
        "Will you do anything about that?",
        "What do you give for the delay?",
    ],
)
def test_asking_for_something_in_return_is_asking_for_compensation(desk: Any, asked: str) -> None:
    laid_out = (agent("A certificate over $200 for ada_moss_1234. Shall I?"), user("Yes."))
    assert broken(desk, "send_certificate", SENT, HELLO, user(asked), *laid_out) == set()


@pytest.mark.parametrize(
    "said", ["I pay with my credit card.", "What do I get to carry?", "Is it late for that flight?"]
)
def test_what_does_not_ask_for_compensation(desk: Any, said: str) -> None:
    laid_out = (agent("A certificate over $200 for ada_moss_1234. Shall I?"), user("Yes."))
    assert broken(desk, "send_certificate", SENT, HELLO, user(said), *laid_out) == {"8.1"}
