"""What lines of dialogue do: read from what people and models write."""

from __future__ import annotations

import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.domain import FactKind
from eigen_offline import reading, slips
from eigen_offline.acts import act_of
from eigen_offline.intents import domain_script
from eigen_offline.kinds import kind_of, kinds_asked
from eigen_offline.wording import listed, lower_first, pick, rotated, sentence, worded

AIRLINE = Airline()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yes, please go ahead.", "yes"),
        ("yep go for it, sounds good", "yes"),
        ("That's correct.", "yes"),
        ("Perfect, do it.", "yes"),
        ("No problem, go ahead.", "yes"),
        ("No.", "no"),
        ("No, please don't.", "no"),
        ("Actually hold off on that, I changed my mind.", "no"),
        ("I'd rather not.", "no"),
        ("Is that refundable?", "unclear"),
        ("My card ends in 4411.", "unclear"),
    ],
)
def test_answers(text: str, answer: str) -> None:
    assert reading.answer_in(text) == answer


@pytest.mark.parametrize(
    "text",
    [
        "Would you like me to proceed?",
        "Please confirm with a yes and I'll book it.",
        "Does that look right to you?",
        "Shall I go ahead and cancel it?",
        "I'll need your explicit confirmation (yes/no).",
        "Do you want me to book this?",
    ],
)
def test_confirmations_are_asked_for(text: str) -> None:
    assert reading.asks_confirmation(text)


@pytest.mark.parametrize("text", ["Please confirm your user id.", "What is your user id?", "I have cancelled it."])
def test_other_messages_ask_for_no_confirmation(text: str) -> None:
    assert not reading.asks_confirmation(text)


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("Your reservation has been cancelled.", True),
        ("I've gone ahead and added two bags.", True),
        ("You're all set!", True),
        ("The refund went through.", True),
        ("Once it has been cancelled, you get the money back.", False),
        ("Nothing has been changed.", False),
        ("Has it been cancelled?", False),
        ("I can cancel that for you.", False),
    ],
)
def test_reports(text: str, done: bool) -> None:
    assert reading.reports_done(text) is done


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("I'm sorry, but I can't cancel this.", True),
        ("Unfortunately your fare is not refundable.", True),
        ("We are not able to change the destination.", True),
        ("I can't find that reservation.", False),
        ("Can't you find your id?", False),
        ("I can certainly do that.", False),
    ],
)
def test_refusals(text: str, refuses: bool) -> None:
    assert reading.declines(text) is refuses


def test_values_compare_as_values() -> None:
    assert reading.values_in("$1,250.00 for HRN101 on 2024-05-22") >= {"1250", "HRN101"}
    assert reading.values_in("about 1250 dollars") == {"1250"}
    assert reading.values_in("nothing here") == frozenset()


def test_a_list_of_questions_is_one_request() -> None:
    text = "Sure! I need two things:\n1. Your user ID\n2. The date you leave\nI will wait here."
    assert kinds_asked(AIRLINE, text) == ("user_id", "departure_date")
    assert "wait" not in reading.request_text(text)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("user_id", "it's ada_moss_4821, thanks", "ada_moss_4821"),
        ("reservation_id", "Not K4TQ2Z, sorry, I meant B7PL0X.", "B7PL0X"),
        ("departure_date", "Coming back on May 25. We leave on May 22.", "May 22"),
        ("return_date", "We leave on May 22. Coming back on May 25.", "May 25"),
        ("payment", "Use certificate_1234567, credit_card_7654321 please", "certificate_1234567, credit_card_7654321"),
        ("origin", "I'm leaving from Denver. To Boston.", "Denver"),
        ("cancel_reason", "It's because of a change of plans.", "a change of plans"),
        ("cabin", "I really could not say.", None),
        ("user_id", "I want to cancel my flight", None),
    ],
)
def test_values_of_kinds(kind: str, text: str, value: str | None) -> None:
    assert kind_of(AIRLINE, kind).value(text) == value


def test_undeclared_kinds_read_as_their_own_words() -> None:
    kind = kind_of(AIRLINE, "card_number")
    assert isinstance(kind.spec, FactKind) and kind.asked_in("What is the card number, please?")
    assert kind.value("The card number is 4411.") == "4411" and not kind.asked_in("Here is your card.")


def test_acts_combine() -> None:
    act = act_of(AIRLINE, "I've cancelled K4TQ2Z, $200 is on its way. Is there anything else I can do for you?")
    assert act.done and act.more and not act.asked and not act.confirms
    act = act_of(AIRLINE, "I'm sorry, I can't cancel it. Would you like to change the flight instead?")
    assert act.refuses and act.alternative and not act.done
    act = act_of(AIRLINE, "You're very welcome. Have a great day!")
    assert act.parting and not act.question


def test_wording_picks_once_for_all_turns() -> None:
    text = "<Hello|Hi> <there|you>, <<one|two>|three>."
    assert len({worded(text, seed) for seed in range(60)}) >= 8
    assert worded(text, 7) == worded(text, 7) and "<" not in worded(text, 7)
    assert worded("a | b", 1) == "a | b"
    options = ("a", "b", "c")
    assert {pick(options, seed, "p") for seed in range(30)} == set(options)
    assert all(rotated(options, 5, turn) != rotated(options, 5, turn + 1) for turn in range(9))
    assert [pick(options, seed, "p") == pick(options, seed, "q") for seed in range(60)].count(True) < 40


def test_small_grammar() -> None:
    assert [listed(()), listed(("a",)), listed(("a", "b")), listed(("a", "b", "c"))] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert sentence("we leave at noon") == "We leave at noon." and sentence("Why?") == "Why?"
    assert [lower_first("I want"), lower_first("I'd go"), lower_first("My trip"), lower_first("HRN101")] == [
        "I want",
        "I'd go",
        "my trip",
        "HRN101",
    ]


def test_slips_are_plausible() -> None:
    told = "Cancelled K4TQ2Z. You get $420 back. Have a nice day at home."
    assert slips.misstated(told) == "Cancelled K4TQ2Z. You get $520 back. Have a nice day at home."
    assert "K4TQ2Z" not in slips.without_figures(told, proposing=False)
    assert slips.misstated("No amounts here.") is None
    assert slips.misspelt_tool("get_reservation_details") == "get_reservation"
    assert slips.misspelt_arguments({"reservation_id": "A", "x": 1}) == {"reservation_number": "A", "x": 1}
    assert slips.wrong_arguments({"total": 3}, None, calls=(), place=0.0) == {"total": 4}
    assert slips.wrong_arguments({"note": "free text"}, None, calls=(), place=0.0) is None


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Could you cancel my booking?", ["cancel_reservation"]),
        ("I need to reschedule my flight. Also, please add a bag to it.", ["change_flights", "add_bags"]),
        ("Good evening, this is about my trip.", []),
        ("Thanks for cancelling my flight, that's all.", []),
        ("No, that's everything. Bye!", []),
        ("Thanks! Could you also tell me my baggage allowance?", ["baggage_question"]),
    ],
)
def test_requests_in_replies(text: str, intents: list[str]) -> None:
    script = domain_script(AIRLINE)
    assert script is not None
    assert [wish.intent.name for wish in script.further(text)] == intents
