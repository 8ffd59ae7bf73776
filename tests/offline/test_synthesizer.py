"""The simulated synthesizer: sound tasks in varied words, and defects that the task verifier catches by name."""

from __future__ import annotations

import contextlib

import msgspec
import pytest

from eigen_cli.api.outputs import SynthesizerOutput
from eigen_cli.api.verdicts import Rejection
from eigen_cli.evolve.duplicates import shingles, similarity
from eigen_cli.roles.structured import UnusableReplyError
from eigen_cli.roles.synthesizer import Attempt
from eigen_cli.roles.task_verifier import verify_task
from eigen_offline.profiles import DEFECTS, SYNTHESIZERS

TEMPLATES = ("cancel_business", "add_paid_bags", "book_with_paid_bags", "cancellation_refused", "ask_free_bags")
FITTING = {
    "gold_error": "cancel_business",
    "missing_fact": "add_paid_bags",
    "policy_breach": "add_paid_bags",
    "null_policy_passes": "cancel_business",
    "missing_positive_check": "cancellation_refused",
}


def test_without_defects_every_task_is_accepted_and_true_to_its_draft(theatre) -> None:
    desk = theatre()
    for template in TEMPLATES:
        draft, task = desk.draft(template), desk.task(template)
        assert verify_task(desk.context, task).accepted
        assert (task.gold, task.communicate, task.checks) == (draft.gold, draft.communicate, draft.checks)
        assert task.scenario.known == draft.known
        assert [goal.facts for goal in task.scenario.goals] == [goal.facts for goal in draft.goals]
        assert task.scenario.reason.startswith("You")
        assert "  " not in task.scenario.reason and task.scenario.reason.endswith(".")


@pytest.mark.parametrize("defect", sorted(FITTING))
def test_each_defect_is_caught_by_its_reason_and_reported(theatre, defect: str) -> None:
    desk = theatre(defects=f"only:{defect}")
    caught = 0
    for number in range(4):
        desk.ledger.faults.clear()
        proposed = desk.proposed(FITTING[defect], number)
        if proposed is None:
            continue
        assert {fault for fault, _, _ in desk.ledger.faults} == {f"synthesizer:{defect}"}
        reasons = [rejection.reason for rejection in verify_task(desk.context, proposed.task).rejections]
        caught += defect in reasons
        assert set(reasons) <= {defect, "gold_error"} if defect != "missing_fact" else set(reasons) <= {defect}
    assert caught >= 3, "a planted defect goes unseen"


def test_stock_wording_makes_near_duplicates_and_varied_wording_none(theatre) -> None:
    stock, varied = theatre(defects="only:near_duplicate"), theatre()
    for desk, alike in ((stock, True), (varied, False)):
        tasks = [desk.task("cancel_business", number) for number in range(6)]
        pairs = [
            similarity(shingles(one), shingles(two)) for place, one in enumerate(tasks) for two in tasks[place + 1 :]
        ]
        assert (max(pairs) > 0.7) is alike
        if not alike:
            assert sum(pairs) / len(pairs) < 0.35


def test_unusable_answers_are_mended_once_or_stand(theatre) -> None:
    desk = theatre(defects="only:invalid_output")
    outcomes = set()
    for number in range(12):
        try:
            proposed = desk.proposed("cancel_business", number)
        except UnusableReplyError:
            outcomes.add("stubborn")
            continue
        assert proposed is not None
        accepted = verify_task(desk.context, proposed.task).accepted
        outcomes.add("mended" if accepted else "no such clause")
        if not accepted:
            assert [r.reason for r in verify_task(desk.context, proposed.task).rejections] == ["invalid_output"]
    assert outcomes == {"stubborn", "mended", "no such clause"}


def _planted(desk, defect: str, numbers: range, **settings) -> int:
    count = 0
    for number in numbers:
        desk.ledger.faults.clear()
        with contextlib.suppress(UnusableReplyError):
            desk.proposed(FITTING[defect], number, **settings)
        count += any(fault == f"synthesizer:{defect}" for fault, _, _ in desk.ledger.faults)
    return count


def test_a_guideline_against_a_reason_leaves_a_tenth(theatre) -> None:
    desk = theatre(defects="sloppy")
    free = _planted(desk, "missing_positive_check", range(60))
    warned = _planted(desk, "missing_positive_check", range(60), guidelines=("missing_positive_check",))
    other = _planted(desk, "missing_positive_check", range(60), guidelines=("gold_error",))
    assert 18 <= free <= 42 and other == free, "a rate of one half, and only its own guideline moves it"
    assert warned <= free / 4


def test_a_repair_mends_what_it_is_told_of_seven_times_in_ten(theatre) -> None:
    desk = theatre(defects="only:missing_fact")
    told = Attempt(1, "{}", (Rejection("missing_fact", "nobody says it"),))
    untold = Attempt(1, "{}", (Rejection("gold_error", "something else"),))
    still = _planted(desk, "missing_fact", range(60), attempt=told)
    assert 8 <= still <= 28
    assert _planted(desk, "missing_fact", range(20), attempt=untold) == 20


def test_plans_share_their_draws(theatre) -> None:
    """The defects of a proposal under a guideline are among those it has without: plans are compared like with like."""
    desk = theatre(defects="sloppy")
    for number in range(30):
        kept = []
        for guidelines in ((), ("gold_error",), ("gold_error", "missing_fact")):
            desk.ledger.faults.clear()
            with contextlib.suppress(UnusableReplyError):
                desk.proposed("add_paid_bags", number, guidelines=guidelines)
            kept.append({fault for fault, _, _ in desk.ledger.faults})
        assert kept[2] <= kept[1] <= kept[0]


def test_outputs_follow_the_schema(theatre) -> None:
    text = theatre().proposed("book_one_way").text
    output = msgspec.json.decode(text, type=SynthesizerOutput)
    assert output.goals[0].intent == "book_flight" and output.persona


def test_profiles_name_only_known_defects() -> None:
    assert all(set(rates) <= set(DEFECTS) for rates in SYNTHESIZERS.values())
