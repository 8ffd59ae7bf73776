"""Gold without synchronisation, for any gold: as tau2's evaluator makes it, over random initial states and calls.

That it is so for every official task is shown by `test_telecom_gold`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from telecom_draws import Call, calls, states
from telecom_pair import DOMAIN, OFFICIAL, REQUESTORS, TOOLBOX, Pair, environment, prepare

from eigen_cli.api.tasks import Action
from eigen_cli.episode.replay import GoldReplayer
from eigen_tau2.telecom_records import carrier_side, phone_side
from eigen_tau2.unsynced import unsynced_gold

_REQUEST = {
    "env_type": "assistant",
    "func_name": "send_payment_request",
    "arguments": {"customer_id": "C1001", "bill_id": "B1002"},
}
_CALLER = {
    "env_type": "user",
    "func_name": "set_user_info",
    "arguments": {"name": "J", "phone_number": "555-123-2002"},
}


def _unsynced(state: dict[str, Any], gold: list[Call]) -> tuple[Any, Any]:
    """Return the gold state without synchronisation: tau2's and ours."""
    evaluator, pair = environment(), Pair(state)
    prepare(evaluator, state)
    actions = [Action(name, arguments, REQUESTORS[requestor]) for requestor, name, arguments in gold]
    for requestor, name, arguments in gold:
        try:
            evaluator.make_tool_call(name, requestor=requestor, **arguments)
        except Exception:  # the evaluator passes over whatever it is
            continue
    carrier, phone, copies = unsynced_gold(actions, GoldReplayer(actions, pair.world, TOOLBOX))
    pair.env, pair.world = evaluator, carrier  # the carrier's side holds the ids of created bills
    theirs = pair.theirs()
    return theirs, {**pair.ours(), "user": phone_side(phone, copies)}


@settings(max_examples=25, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(state=states(), gold=st.lists(calls(), min_size=3, max_size=15))
def test_any_gold_is_left_unsynchronised_as_there(state: dict[str, Any], gold: list[Call]) -> None:
    try:
        DOMAIN.initial_patch(state, OFFICIAL)
    except ValueError:  # what both refuse is `test_telecom_fuzz`'s
        return
    theirs, ours = _unsynced(state, gold)
    assert ours == theirs


def test_a_payment_is_only_marked_as_made() -> None:
    state = {"initialization_actions": [_CALLER, _REQUEST]}
    theirs, ours = _unsynced(state, [("user", "make_payment", {}), ("user", "make_payment", {})])
    assert ours == theirs
    assert ours["user"]["surroundings"]["payment_request"] == {"bill_id": "B1002", "amount_due": 150.0, "paid": True}
    assert [bill["status"] for bill in ours["agent"]["bills"]][1] == "Awaiting Payment"


def test_a_request_made_by_gold_never_reaches_the_phone() -> None:
    gold: list[Call] = [
        ("assistant", "send_payment_request", {"customer_id": "C1001", "bill_id": "B1002"}),
        ("user", "make_payment", {}),
    ]
    theirs, ours = _unsynced({"initialization_actions": [_CALLER]}, gold)
    assert ours == theirs
    assert ours["user"]["surroundings"]["payment_request"] is None


def test_official_gold_is_that_state() -> None:
    world = OFFICIAL.patched(DOMAIN.initial_patch({"initialization_actions": [_CALLER, _REQUEST]}, OFFICIAL))
    gold = (Action("make_payment", {}, "user"),)
    replayer = GoldReplayer(gold, world, TOOLBOX)
    task: Any = SimpleNamespace(gold=gold)
    carrier, phone, copies = unsynced_gold(gold, replayer)
    official = DOMAIN.official_gold(task, replayer)
    assert official["user"] == phone_side(phone, copies)
    assert official["agent"] == {"bills": {"B1002": carrier_side(carrier)["bills"][1]}}
    hashes = DOMAIN.benchmark_hashes(task, replayer)
    assert set(hashes) == {"agent", "user", "agent_unsynced", "user_unsynced"}
    assert len(set(hashes.values())) == 4
