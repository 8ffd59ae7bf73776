"""The airline's playbook: every request finds its procedure, every question asks for what it means to."""

from __future__ import annotations

import random
from typing import Any

import pytest

from eigen_airline import playbook_booking, playbook_flights
from eigen_airline.domain import Airline
from eigen_airline.playbook import PLAYBOOK
from eigen_airline.playbook_common import route
from eigen_airline.playbook_payments import spread
from eigen_airline.playbook_words import count_in, dollars, journey, spoken_time
from eigen_airline.templates import INTENTS
from eigen_cli.api.playbook import Ask, Call, CallResult
from eigen_cli.api.tasks import Goal
from eigen_offline.intents import script_of
from eigen_offline.kinds import kinds_asked
from eigen_offline.synthesizer import _reworded
from eigen_offline.wording import worded

AIRLINE = Airline()


def test_every_intent_has_a_procedure() -> None:
    assert {intent.name for intent in PLAYBOOK.intents} == set(INTENTS)


def test_requests_as_templates_word_them_find_their_intent(theatre: Any) -> None:
    desk, script, rng = theatre(), script_of(PLAYBOOK), random.Random(3)
    seen: set[str] = set()
    for template in desk.context.templates:
        for number in range(6):
            draft = desk.draft(template, number)
            for goal in draft.goals if draft is not None else ():
                for text in (goal.request, _reworded(goal, rng, first=True).request):
                    (wish,) = script.further(text)
                    assert wish.intent.name == goal.intent, text
                    seen.add(goal.intent)
    assert seen == set(INTENTS)


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        (playbook_booking._WHERE, {"origin", "destination"}),
        (playbook_flights.WISH, {"flights_wanted"}),
        ("To which date should the return move, or does it stay on the same day?", {"return_date"}),
        ("May I ask for the reason why you want to cancel it?", {"cancel_reason"}),
        ("Would you like travel insurance for $30 a passenger?", {"insurance"}),
        ("How many checked bags will there be in all?", {"bags", "extra_bags", "fewer_bags"}),
    ],
)
def test_questions_ask_for_what_they_mean(question: str, kinds: set[str]) -> None:
    for seed in range(4):
        asked = set(kinds_asked(AIRLINE, worded(question, seed)))
        assert kinds <= asked and len(asked) <= len(kinds) + 1, asked


@pytest.mark.parametrize(
    ("texts", "ends"),
    [
        (("From Denver. To Boston.", None), ("DEN", "BOS")),
        (("I'm going to BOS. Out of Denver, please.", None), ("DEN", "BOS")),
        (("Boston is where I'm headed. From DEN.", None), ("DEN", "BOS")),
        (("DEN", "BOS"), ("DEN", "BOS")),
        (("Denver, then Boston", None), ("DEN", "BOS")),
        (("I don't know", None), (None, None)),
    ],
)
def test_routes(texts: tuple[str, str | None], ends: tuple[str | None, str | None]) -> None:
    assert route(*texts) == ends


def test_counts_and_amounts() -> None:
    counts = ["2 more, please.", "Let me have a look. Two.", "None, so 0 checked bags.", "just one", "", None]
    assert [count_in(text) for text in counts] == [2, 2, 0, 1, 0, 0]
    assert [dollars(1234), dollars(12.5), dollars(0)] == ["$1,234", "$12.50", "$0"]
    assert [spoken_time("08:05:00"), spoken_time("00:30:00+1")] == ["8:05 am", "12:30 am the next day"]


def test_methods_are_used_up_in_order_and_the_last_pays_the_rest() -> None:
    methods = {
        "certificate_1": {"source": "certificate", "amount": 100},
        "gift_card_2": {"source": "gift_card", "amount": 30},
        "credit_card_3": {"source": "credit_card"},
    }
    payments, left = spread(list(methods), methods, 250)
    assert [(entry["payment_id"], entry["amount"]) for entry in payments] == [
        ("certificate_1", 100),
        ("gift_card_2", 30),
        ("credit_card_3", 120),
    ]
    assert left == 0 and spread(["certificate_1", "gift_card_2"], methods, 250)[1] == 120
    assert spread(["certificate_1", "credit_card_3"], methods, 60) == (
        [{"payment_id": "certificate_1", "amount": 60}],
        0,
    )


def test_trips_in_words() -> None:
    trip = {"origin": "DEN", "destination": "BOS", "cabin": "basic_economy", "flight_type": "round_trip"}
    out, back = {"date": "2024-05-20"}, {"date": "2024-05-22"}
    both, single = {**trip, "flights": [out, back]}, {**trip, "flight_type": "one_way", "flights": [out]}
    assert journey(both) == "from Denver to Boston and back, May 20 to May 22, in basic economy"
    assert journey(single) == "from Denver to Boston on May 20 in basic economy"


def test_a_procedure_sees_only_words_and_results() -> None:
    """The opening, driven by hand: an id that names nobody is asked for once more."""
    steps = PLAYBOOK.opening()
    assert next(steps) == Ask("user_id")
    step = steps.send("I'm Ada_Moss_4821")
    assert step == Call("get_user_details", {"user_id": "ada_moss_4821"})
    step = steps.send(CallResult("Error: User 'ada_moss_4821' not found", error=True))
    assert isinstance(step, Ask) and "ada_moss_4821" in step.question
    with pytest.raises(StopIteration):
        steps.send(None)


def test_goals_are_reworded_without_greetings_or_lost_words() -> None:
    rng = random.Random(1)
    texts = {
        _reworded(Goal("book_flight", "Hi, I need to book a trip.", ()), rng, first=True).request for _ in range(40)
    }
    assert len(texts) > 15
    assert all("book a trip." in text and not text.startswith(("Hi", "hi")) for text in texts)
