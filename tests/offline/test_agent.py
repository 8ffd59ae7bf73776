"""The simulated agent against callers who write freely, and against turns that somebody else took."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from eigen_cli.api.backend import Request
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Task
from eigen_offline import agent as agent_module

STOP = "###STOP###"
Rules = Sequence[tuple[str, str]]


@pytest.fixture(scope="module")
def desk(theatre: Any) -> Any:
    return theatre()


def caller(opening: str, rules: Rules, closing: str = f"Nope, that's it, cheers. {STOP}") -> Callable[[Request], str]:
    """A person: says the opening, answers each question by the first rule that fits, closes at "anything else"."""

    def answer(request: Request) -> str:
        said: Sequence[Message] = request.inputs.conversation
        if not any(message.speaker == "user" for message in said):
            return opening
        heard = next(message.text for message in reversed(said) if message.speaker == "agent")
        mine = [message.text for message in said if message.speaker == "user"]
        for sign, reply in rules:
            if re.search(sign, heard, re.I) and (reply.endswith("…") is False or reply[:-1] not in mine):
                return reply.removesuffix("…")
        return closing

    return answer


def facts(task: Task) -> dict[str, Any]:
    """The first value of each kind in a task's scenario."""
    found: dict[str, Any] = {}
    for fact in task.scenario.facts():
        found.setdefault(fact.name, fact.value)
    return found


def test_everything_said_at_once(desk: Any) -> None:
    task = desk.task("cancel_business")
    known = facts(task)
    desk.ledger.instead["user"] = caller(
        f"hey there, {known['user_id']} here. trip {known['reservation_id']} has to go, please cancel it, "
        "our plans fell through",
        [
            (r"reason|why", "we're just not going anymore, change of plans"),
            (r"go ahead|proceed|confirm", "yep go for it"),
        ],
    )
    episode = desk.play(task)
    assert episode.verdict.passed, episode.said("agent")
    asked = " ".join(episode.said("agent"))
    assert "user id" not in asked.lower() and "reservation id?" not in asked.lower(), "what was said is not asked for"


def test_long_polite_sentences_and_a_date_in_words(desk: Any) -> None:
    task = desk.task("change_date_one_way")
    known = facts(task)
    moved = next(fact for fact in task.scenario.goals[0].facts if fact.name == "departure_date")
    desk.ledger.instead["user"] = caller(
        "Good afternoon! I was wondering whether it might be possible to move my flight to another date, if it's not "
        "too much trouble.",
        [
            (r"user id", f"Of course, how silly of me. My account is under {known['user_id']}, I believe."),
            (r"reservation id", f"Let me see... the confirmation says {known['reservation_id']}. I hope that helps!"),
            (r"which date|same day", f"Well, ideally we'd travel on {moved.text.strip('.')} if there are seats left."),
            (r"in mind|prefer", f"Oh, we're easy. I suppose {known['flights_wanted']} would be best."),
            (r"card or gift", f"Could you put it on {known['payment']}?"),
            (r"go ahead|proceed|confirm", "That all sounds right to me, yes, please proceed."),
        ],
        closing=f"You've been wonderful, that will be all. {STOP}",
    )
    episode = desk.play(task)
    assert episode.verdict.passed, episode.said("agent")


def test_two_requests_in_one_breath(desk: Any) -> None:
    task = desk.task("bags_and_passenger")
    known = facts(task)
    desk.ledger.instead["user"] = caller(
        "Two things today. I need to add more luggage to my booking. Also, could you change a passenger on it?",
        [
            (r"user id", f"{known['user_id']}"),
            (r"reservation id", f"Both are about {known['reservation_id']}"),
            (r"bags (?:do|should)", f"{known['extra_bags']} more bags"),
            (r"which passenger", f"{known['old_passenger']} can't make it"),
            (r"first name", f"{known['new_passenger']} is coming instead"),
            (r"card or", f"take {known['payment']}"),
            (r"go ahead|proceed|confirm", "Confirmed."),
        ],
    )
    episode = desk.play(task)
    assert episode.verdict.passed, episode.said("agent")
    assert [name for name, _ in episode.called()].count("update_reservation_passengers") == 1


def test_a_caller_without_the_id_who_corrects_themselves(desk: Any) -> None:
    task = desk.task("cancel_lost_id")
    known = facts(task)
    desk.ledger.instead["user"] = caller(
        "I want to cancel a flight, but I've thrown the paperwork away.",
        [
            (r"user id", f"It's {known['user_id']}, I'm fairly sure."),
            (r"reservation id", "No idea, sorry. I don't have that anymore."),
            (r"flying from", f"We'd be leaving from {known['origin']} and going to {known['destination']}."),
            (r"reason|why", "Something came up at work, we have to stay."),
            (r"go ahead|proceed|confirm", "Hmm, wait, is that refundable?…"),
            (r"go ahead|proceed|confirm", "Okay then, yes."),
        ],
    )
    episode = desk.play(task)
    assert episode.verdict.passed, episode.said("agent")


def test_a_refusal_stands_against_pleading(desk: Any) -> None:
    task = desk.task("cancellation_refused")
    known = facts(task)
    desk.ledger.instead["user"] = caller(
        "Cancel my trip. I want my money back.",
        [
            (r"user id", known["user_id"]),
            (r"reservation id", known["reservation_id"]),
            (r"reason|why", "because I say so, I just don't feel like flying"),
            (r"can't cancel", "Oh come on! Are you sure? Surely you can make an exception…"),
            (r"exception|rule applies", "So there's really no way at all, not even with a supervisor?…"),
        ],
        closing=f"Fine. Bye. {STOP}",
    )
    episode = desk.play(task)
    assert episode.verdict.passed, episode.said("agent")
    assert not any(name == "cancel_reservation" for name, _ in episode.called())


def test_a_caller_who_never_says_what_they_want_is_passed_on(desk: Any) -> None:
    task = desk.task("add_free_bags")
    desk.ledger.instead["user"] = caller(
        "Hello?",
        [(r"user id", facts(task)["user_id"]), (r"help|what|tell", "Well, you know. The thing."), (r"hold|line", STOP)],
    )
    episode = desk.play(task)
    assert ("transfer_to_human_agents") in [name for name, _ in episode.called()]
    assert not episode.verdict.passed


def test_turns_of_somebody_else_count(theatre: Any) -> None:
    """A model's earlier turns (a read, a question, a confirmation in other words) are not done again."""
    desk = theatre()
    task = desk.task("cancel_business")
    known = facts(task)
    script = [
        ("Hi! I'd be glad to help you cancel. Could you share your user ID and the booking reference with me?", None),
        ("", ("get_user_details", {"user_id": known["user_id"]})),
        ("", ("get_reservation_details", {"reservation_id": known["reservation_id"]})),
        ("Thanks for waiting! And what's the reason for the cancellation, if I may ask?", None),
    ]
    real = desk.ledger.backend.complete

    async def partly(request: Request) -> Any:
        reply = await real(request)
        taken = sum(message.speaker == "agent" for message in request.inputs.conversation) - 1
        if request.role != "agent" or taken >= len(script):
            return reply
        text, call = script[taken]
        return agent_module._reply(agent_module.Turn(text, call), number=taken, model="somebody else")

    desk.ledger.backend.complete = partly
    episode = desk.play(task)
    assert episode.verdict.passed, episode.said("agent")
    names = [name for name, _ in episode.called()]
    assert names == ["get_user_details", "get_reservation_details", "cancel_reservation"]
    assert sum("user id" in text.lower() for text in episode.said("agent")) == 1


def test_answers_do_not_depend_on_what_is_remembered(theatre: Any) -> None:
    """Walking on from the last turn and walking from the start give the same turn, faults and corrections included."""
    desk = theatre(skill="weak", user="erratic")
    real = desk.ledger.backend.complete
    cold: list[bool] = []

    async def forgetful(request: Request) -> Any:
        if cold:
            agent_module.forget()
        return await real(request)

    desk.ledger.backend.complete = forgetful
    for template in ("cancel_then_book", "upgrade_and_bags", "compensate_delay_after_change", "cancel_misread_id"):
        task = desk.task(template)
        for trial in range(6):
            cold.clear()
            warm = desk.play(task, trial=trial)
            cold.append(True)
            again = desk.play(task, trial=trial)
            assert warm.state.messages == again.state.messages
            assert warm.faults == again.faults


def test_neither_round_nor_order_matters(theatre: Any) -> None:
    desk = theatre(skill="weak", user="erratic")
    one, two = desk.task("add_paid_bags"), desk.task("cancel_insured")
    first = [desk.play(task, name="0003", trial=2).state.messages for task in (one, two)]
    second = [desk.play(task, name="0003", trial=2, round_=9).state.messages for task in (two, one)]
    assert first == second[::-1]
