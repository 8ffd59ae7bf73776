"""Initial states of telecom: data merged and functions run as tau2 does, and what neither of them allows.

That functions do the same in both engines is shown by `test_telecom_fuzz` and `test_telecom_gold`.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from telecom_pair import DOMAIN, OFFICIAL, Pair, environment, prepare

from eigen_cli.api.tasks import RecordPatch
from eigen_tau2.telecom_initial import functions_of
from eigen_telecom import coupling

_CALLER = {
    "env_type": "user",
    "func_name": "set_user_info",
    "arguments": {"name": "J", "phone_number": "555-123-2002"},
}


def _refusal(state: dict[str, Any]) -> str:
    with pytest.raises(ValueError) as refused:
        DOMAIN.initial_patch(state, OFFICIAL)
    return str(refused.value)


def _action(name: str, arguments: Any = None, side: str = "user") -> dict[str, Any]:
    return {"initialization_actions": [{"env_type": side, "func_name": name, "arguments": arguments or {}}]}


def test_nothing_to_prepare_changes_nothing() -> None:
    for state in (None, {}, {"initialization_data": None, "initialization_actions": None, "message_history": None}):
        assert DOMAIN.initial_patch(state, OFFICIAL) == ()


def test_only_what_changes_is_patched() -> None:
    patches = DOMAIN.initial_patch({"initialization_actions": [_CALLER]}, OFFICIAL)
    assert [(patch.table, patch.key) for patch in patches] == [("surroundings", "surroundings")]
    assert DOMAIN.initial_patch(_action("turn_data_on"), OFFICIAL) == ()


def test_every_public_function_of_the_benchmark_is_known() -> None:
    """All but questions: what is asserted is a check, and what only answers prepares nothing."""
    env = environment()
    inherited = {name for name, _ in inspect.getmembers(type(env.tools).__mro__[1])} | {"id_generator"}
    for side, toolkit in (("assistant", env.tools), ("user", env.user_tools)):
        public = {name for name, value in inspect.getmembers(type(toolkit)) if inspect.isfunction(value)}
        public = {name for name in public - inherited if not name.startswith(("_", "assert_"))}
        assert public - set(functions_of(side)) <= {"get_available_plan_ids"}
        assert set(functions_of(side)) <= public


def test_lists_are_replaced_whole_and_objects_field_by_field() -> None:
    lines = [line for line in DOMAIN.sides(OFFICIAL)["agent"]["lines"] if line["line_id"] != "L1009"]
    lines[1] = {**lines[1], "data_used_gb": 15.5, "status": "Suspended"}
    new = {**lines[0], "line_id": "L2000", "phone_number": "555-123-2000"}
    state = {
        "initialization_data": {
            "agent_data": {"lines": [*lines, new]},
            "user_data": {
                "device": {"battery_level": 5, "active_apn_settings": {"mmsc_url": None}},
                "surroundings": {"signal_strength": {"5G": "none"}, "payment_request": None},
            },
        },
        "initialization_actions": [_CALLER, *_action("simulate_network_search")["initialization_actions"]],
    }
    pair = Pair(state)
    assert pair.theirs() == pair.ours()
    assert [line["line_id"] for line in pair.ours()["agent"]["lines"]][-2:] == ["L1008", "L2000"]
    assert RecordPatch("lines", "L1009") in DOMAIN.initial_patch(state, OFFICIAL)
    assert pair.ours()["user"]["device"]["network_connection_status"] == "no_service"


def test_a_phone_without_a_number_has_the_values_it_comes_with() -> None:
    pair = Pair({"initialization_data": {"user_data": {"surroundings": {"is_abroad": True, "line_active": True}}}})
    assert pair.theirs() == pair.ours()
    said = _refusal({"initialization_data": {"user_data": {"surroundings": {"line_active": False}}}})
    assert "'line_active': False" in said
    assert "do not bear out" in said


def test_a_payment_request_comes_from_the_carrier_s_bills() -> None:
    request = {"bill_id": "B1002", "amount_due": 150.0, "paid": False}
    said = _refusal({"initialization_data": {"user_data": {"surroundings": {"payment_request": request}}}})
    assert "do not bear out" in said
    state = _action("send_payment_request", {"customer_id": "C1001", "bill_id": "B1002"}, "assistant")
    state["initialization_actions"].append(_CALLER)
    pair = Pair(state)
    assert pair.theirs() == pair.ours()
    assert pair.ours()["user"]["surroundings"]["payment_request"] == request
    bill = coupling.payment_request(pair.world)
    assert bill is not None
    assert bill.bill_id == "B1002"


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"data": {}}, "the initial state has data; known are initialization_data"),
        ({"message_history": [{"role": "user", "content": "hi"}]}, "has a message history"),
        ({"initialization_data": {"world": {}}}, "known are agent_data, user_data"),
        ({"initialization_data": {"agent_data": {"flights": []}}}, "has flights; known are plans, customers"),
        ({"initialization_data": {"agent_data": {"plans": {}}}}, "plans is a dict, not a list"),
        ({"initialization_data": {"agent_data": {"plans": [{"plan_id": "P1"}]}}}, "plans P1: Object missing required"),
        ({"initialization_data": {"user_data": {"device": {"colour": "red"}}}}, "the unknown field colour"),
        (
            {"initialization_data": {"agent_data": {"bills": DOMAIN.sides(OFFICIAL)["agent"]["bills"][::-1]}}},
            "changes their order",
        ),
        ({"initialization_actions": ["turn_data_off"]}, "an initialization action is 'turn_data_off'"),
        (_action("turn_data_off", side="agent"), "env_type is 'agent'; known are assistant, user"),
        (_action("turn_data_off", side="assistant"), "the assistant side has no function 'turn_data_off'; known are"),
        (_action("explode"), "the user side has no function 'explode'; known are"),
        (_action("lock_sim_card", {"mode": "face"}), "lock_sim_card: Invalid enum value 'face'"),
        (_action("lock_sim_card"), "missing a required argument: 'mode'; it takes mode"),
        (_action("turn_data_off", {"hard": True}), "unexpected keyword argument 'hard'; it takes nothing"),
        (_action("set_user_info", {"name": "J", "phone_number": "1"}), "the user's phone number is 1, which no line"),
        (
            _action("set_data_usage", {"customer_id": "C9", "line_id": "L1002", "data_used_gb": 1}, "assistant"),
            "set_data_usage: Customer 'C9' not found",
        ),
    ],
)
def test_what_cannot_be_prepared_is_refused(state: dict[str, Any], said: str) -> None:
    assert said in _refusal(state)


def test_what_the_benchmark_refuses_is_refused() -> None:
    """Two suspensions over overdue bills: the line is not active any more."""
    call = {"customer_id": "C1001", "line_id": "L1002", "contract_ended": False}
    twice = [
        _action("suspend_line_for_overdue_bill", {**call, "new_bill_id": bill}, "assistant")["initialization_actions"][
            0
        ]
        for bill in ("B1", "B2")
    ]
    with pytest.raises(ValueError, match="must be active"):
        prepare(environment(), {"initialization_actions": twice})
    assert "line L1002 is not active: Suspended" in _refusal({"initialization_actions": twice})
