from __future__ import annotations

from typing import Any

import pytest
from bank import FACTS, MOVE, MakeContext, a_task

from eigen_cli.api.tasks import Action, CheckCall, Communicate, Fact, Goal, Scenario
from eigen_cli.roles.task_verifier import verify_task

LOOK = Action("get_account", {"account_id": "A0001"})
LOOKED = CheckCall("call_made", {"tool": "get_account", "arguments": {"account_id": "A0001"}})


def _move(**changes: Any) -> Action:
    return Action("transfer", {**MOVE.arguments, **changes})


def test_a_sound_task_is_accepted(make_context: MakeContext) -> None:
    assert verify_task(make_context(), a_task()).rejections == ()
    asking = a_task((LOOK,), checks=(LOOKED,), communicate=(Communicate("number", "138", "balance"),))
    assert verify_task(make_context(), asking).accepted


REJECTED: list[tuple[dict[str, Any], str, str]] = [
    ({"gold": (_move(source="A7777"),)}, "gold_error", "Account 'A7777' not found"),
    ({"gold": (_move(amount=499),)}, "gold_error", "the balance of A0001 is 138"),
    ({"gold": (_move(amount=501),)}, "gold_error", "the balance"),
    ({"facts": FACTS[:1]}, "missing_fact", "transfer needs the account_id 'A0002'"),
    ({"gold": (LOOK,)}, "missing_positive_check", "gold changes nothing"),
    ({"gold": (LOOK,) * 65}, "invalid_output", "gold has 65 actions; 64 are enough"),
    ({"checks": (CheckCall("unheard_of"),)}, "invalid_output", "there is no check 'unheard_of'"),
    ({"checks": (CheckCall("call_made", {"name": "x"}),)}, "invalid_output", "a check cannot be run"),
    ({"clauses": ("B9",)}, "invalid_output", "there is no clause 'B9'"),
    ({"scenario": Scenario("plain", "nothing")}, "invalid_output", "has no goal"),
    ({"scenario": Scenario("plain", "x", goals=(Goal("t", "  "),))}, "invalid_output", "without a request"),
    ({"checks": (CheckCall("call_made", {"tool": "get_account"}),)}, "gold_error", "do not pass the task's own checks"),
    ({"gold": (LOOK,), "checks": (CheckCall("world_unchanged"),)}, "null_policy_passes", "'silence'"),
    ({"gold": (MOVE, _move(amount=-10)), "checks": (CheckCall("world_unchanged"),)}, "gold_error", "own checks"),
    ({"basis": ("actions",), "gold": (LOOK,), "checks": ()}, "missing_positive_check", "neither a check nor a fact"),
    ({"basis": ("communicate",)}, "null_policy_passes", "'silence' earns the full reward"),
]


@pytest.mark.parametrize(("changes", "reason", "evidence"), REJECTED)
def test_a_flawed_task_is_rejected_with_its_reason(
    make_context: MakeContext, changes: dict[str, Any], reason: str, evidence: str
) -> None:
    found = verify_task(make_context(), a_task(**changes)).rejections
    assert found and found[0].reason == reason, found
    assert evidence in found[0].evidence


def test_gold_that_breaks_a_clause_is_rejected(make_context: MakeContext) -> None:
    rich = next(f"A{number:04}" for number in range(50) if 100 + (number * 37 + 1) % 900 > 510)
    facts = (Fact("account_id", rich), Fact("account_id", "A0002"))
    found = verify_task(make_context(), a_task((_move(source=rich, amount=505),), facts=facts)).rejections
    assert [(r.reason, r.evidence) for r in found] == [
        ("policy_breach", "clause B1, transfer: 505 is above the limit of 500")
    ]
    assert verify_task(make_context(), a_task((_move(source=rich, amount=500),), facts=facts)).accepted


def test_a_value_may_follow_from_earlier_results_only_when_it_is_the_only_one(make_context: MakeContext) -> None:
    owner = Action("accounts_of", {"owner": "owner1"})
    several = a_task((owner, MOVE), facts=FACTS[1:])
    assert [r.reason for r in verify_task(make_context(), several).rejections] == ["missing_fact"]
    unknown = Scenario("plain", "x", goals=(Goal("t", "Move it.", FACTS[1:]),), unknown=("account_id",))
    assert verify_task(make_context(), a_task((owner, MOVE), scenario=unknown)).accepted


def test_a_write_that_can_be_left_out_is_found(make_context: MakeContext) -> None:
    back = Action("transfer", {"source": "A0002", "target": "A0001", "amount": 10})
    task = a_task((MOVE, back), basis=("communicate",), communicate=(Communicate("number", "10", "amount"),))
    found = verify_task(make_context(), task).rejections
    assert found[0].reason == "null_policy_passes" and "gold without its transfer" in found[0].evidence


def test_a_benchmark_entity_is_never_touched(make_context: MakeContext) -> None:
    scenario = Scenario("plain", "x", goals=(Goal("t", "Move it from A0099.", FACTS),))
    found = verify_task(make_context(), a_task(scenario=scenario)).rejections
    assert [r.reason for r in found] == ["benchmark_overlap"]
