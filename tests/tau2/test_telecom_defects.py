"""Each known defect of the benchmark's telecom: the bridge has it as the benchmark does, corrected it has not.

And what the bridge does not repeat: shown in both engines, so that a repair upstream is noticed.
"""

from __future__ import annotations

from typing import Any

import pytest
from tau2.domains.telecom.user_tools import TelecomUserTools
from telecom_pair import DOMAIN, OFFICIAL, Pair, environment, prepare

from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.toolbox import CallOutcome, Toolbox
from eigen_cli.world.world import World
from eigen_tau2.defects import DEFECTS
from eigen_telecom import coupling
from eigen_telecom.records import Bill

_CALLER = {
    "env_type": "user",
    "func_name": "set_user_info",
    "arguments": {"name": "John Smith", "phone_number": "555-123-2002"},
}
_LINE = {"customer_id": "C1001", "line_id": "L1002"}


def _pair(*functions: tuple[str, str, dict[str, Any]]) -> Pair:
    calls = [{"env_type": side, "func_name": name, "arguments": arguments} for side, name, arguments in functions]
    return Pair({"initialization_actions": [_CALLER, *calls]})


def _corrected(name: str, arguments: dict[str, Any], requestor: Any = "agent") -> CallOutcome:
    domain = DOMAIN.corrected()
    world = World(build_base(domain, WorldRef(0, 0), freeze=False))
    return Toolbox(domain).call(world, name, arguments, requestor=requestor)


def test_every_defect_is_shown_here() -> None:
    shown = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {defect.name for defect in DEFECTS if "telecom" in defect.domains} <= shown


def test_unsynchronised_gold() -> None:
    """More in `test_telecom_gold`. The smallest case: roaming is allowed, and the phone does not learn of it."""
    evaluator, pair = environment(), _pair(("assistant", "disable_roaming", _LINE))
    prepare(evaluator, {"initialization_actions": [_CALLER]})
    evaluator.make_tool_call("disable_roaming", **_LINE)
    assert evaluator.user_tools.db.surroundings.roaming_allowed is True
    assert pair.env.user_tools.db.surroundings.roaming_allowed is False
    assert coupling.roaming_allowed(pair.world) is False


def test_float_charges() -> None:
    pair = _pair()
    arguments = {"customer_id": "C1002", "line_id": "L1004", "gb_amount": 3}
    pair.call("assistant", "refuel_data", arguments)
    assert pair.theirs() == pair.ours()
    assert pair.ours()["agent"]["bills"][-1]["total_due"] == 0.30000000000000004
    exact = _corrected("refuel_data", arguments)
    assert exact.world.table(Bill).get("B9000001").total_due * 10 == 3  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("suspend_line", {**_LINE, "reason": None}),
        ("transfer_to_human_agents", {"summary": {"text": "help"}}),
        ("get_customer_by_name", {"full_name": "John Smith", "dob": None}),
        ("get_bills_for_customer", {"customer_id": "C1001", "limit": None}),
    ],
)
def test_unread_arguments(name: str, arguments: dict[str, Any]) -> None:
    message, outcome = _pair().call("assistant", name, arguments)
    assert (message.error, outcome.error) == (False, False)
    assert _corrected(name, arguments).error


# What the bridge does not repeat


def test_a_broken_vpn_stays_in_its_own_episode() -> None:
    another = environment().user_tools.db
    broken = _pair(("user", "break_vpn", {}))
    for name in ("disconnect_vpn", "connect_vpn"):
        broken.call("user", name, {})
    assert broken.theirs() == broken.ours()
    assert coupling.phone_in(broken.world).vpn_details.server_performance == "poor"  # type: ignore[union-attr]
    TelecomUserTools(another).connect_vpn()
    assert another.device.vpn_details.server_performance.value == "poor"
    fresh = Pair({"initialization_actions": [_CALLER]})
    fresh.call("user", "connect_vpn", {})
    assert coupling.phone_in(fresh.world).vpn_details.server_performance == "excellent"  # type: ignore[union-attr]


def test_created_bills_have_random_ids_there_and_numbers_here() -> None:
    pairs = [_pair(), _pair()]
    for pair in pairs:
        pair.call("assistant", "refuel_data", {"customer_id": "C1002", "line_id": "L1004", "gb_amount": 1})
    assert pairs[0].env.get_db_hash() != pairs[1].env.get_db_hash()
    assert DOMAIN.touched_sides(pairs[0].world) == DOMAIN.touched_sides(pairs[1].world)


@pytest.mark.parametrize(("mode", "refused"), [(5, True), ([], True), (None, False)])
def test_a_network_mode_that_is_no_text_changes_nothing_here(mode: Any, refused: bool) -> None:
    pair = _pair()
    before = pair.ours()
    message, outcome = pair.call("user", "set_network_mode_preference", {"mode": mode})
    assert message.error is refused
    assert outcome.error
    assert pair.env.user_tools.db.device.network_mode_preference == mode
    assert pair.ours() == before


def test_access_point_settings_that_are_no_object_break_the_phone_there() -> None:
    pair = _pair()
    before = pair.ours()
    message, outcome = pair.call("user", "set_apn_settings", {"apn_settings": '{"apn_name": "internet"}'})
    assert message.error
    assert outcome.error
    assert pair.ours() == before
    theirs, ours = pair.call("user", "reboot_device", {})
    assert (theirs.error, ours.error) == (True, False)


def test_a_second_bill_of_one_id_is_refused() -> None:
    call = {**_LINE, "new_bill_id": "B1001", "contract_ended": False}
    state = {"initialization_actions": [{"env_type": "assistant", "func_name": "suspend_line_for_overdue_bill"}]}
    state["initialization_actions"][0]["arguments"] = call  # type: ignore[assignment]
    env = environment()
    prepare(env, state)
    assert [bill.bill_id for bill in env.tools.db.bills].count("B1001") == 2
    with pytest.raises(ValueError, match="there is a bill B1001 already"):
        DOMAIN.initial_patch(state, OFFICIAL)


def test_whole_gigabytes_used_become_a_float() -> None:
    pair = _pair(("assistant", "set_data_usage", {**_LINE, "data_used_gb": 15}))
    sides = (pair.theirs(), pair.ours())
    used = [next(line for line in side["agent"]["lines"] if line["line_id"] == "L1002") for side in sides]
    assert [repr(line["data_used_gb"]) for line in used] == ["15", "15.0"]
    assert pair.theirs() == pair.ours()
