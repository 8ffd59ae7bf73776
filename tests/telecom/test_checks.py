"""Named checks: each accepts what it is for and rejects its near miss."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from eigen_cli.api.domain import CheckContext
from eigen_cli.api.tasks import Action
from eigen_telecom.checks import CHECKS

READ, WRITE = Action("get_details_by_id", {"id": "L1"}), Action("enable_roaming", {})
TRANSFER, LOOK = Action("transfer_to_human_agents", {"summary": "x"}), Action("check_sim_status", {}, "user")


def holds(desk: Any, name: str, *calls: tuple[Action, bool], **arguments: Any) -> bool:
    return CHECKS[name](CheckContext(desk.world, desk.world, (), calls), **arguments)


def test_switches_of_the_phone(desk: Any) -> None:
    for name, tool in (
        ("airplane_mode", "toggle_airplane_mode"),
        ("data_roaming", "toggle_roaming"),
        ("data_saver", "toggle_data_saver_mode"),
    ):
        assert holds(desk, name, expected=False) and not holds(desk, name, expected=True)
        desk.phone(tool)
        assert holds(desk, name, expected=True) and not holds(desk, name, expected=False)


def test_service_data_speed_and_pictures(desk: Any) -> None:
    assert holds(desk, "service_status", expected="connected") and holds(desk, "can_send_mms")
    assert holds(desk, "mobile_data") and holds(desk, "internet_speed", mbps=275, grade="excellent")
    assert not holds(desk, "internet_speed", mbps=275.1) and not holds(desk, "internet_not_excellent")
    assert not holds(desk, "internet_speed", mbps=200, grade="good")
    desk.phone("set_network_mode_preference", mode="4g_only")
    assert holds(desk, "internet_speed", mbps=40) and not holds(desk, "internet_speed", mbps=40, grade="Excellent")
    assert holds(desk, "internet_not_excellent")
    desk.phone("toggle_data")
    assert holds(desk, "mobile_data", expected=False) and holds(desk, "can_send_mms", expected=False)
    assert holds(desk, "internet_speed", mbps=0, grade="No Connection") and holds(desk, "internet_not_excellent")
    desk.phone("toggle_airplane_mode")
    assert holds(desk, "service_status", expected="no_service")
    assert not holds(desk, "service_status", expected="connected")


def test_the_line(desk: Any) -> None:
    line = desk.line.line_id
    assert holds(desk, "line_status", line_id=line, expected="Active")
    assert not holds(desk, "line_status", line_id=line, expected="Suspended")
    assert not holds(desk, "line_status", line_id="L1", expected="Active")
    assert holds(desk, "line_roaming", line_id=line, expected=False)
    assert not holds(desk, "line_roaming", line_id=line, expected=True)
    assert holds(desk, "refuelled", line_id=line, gb=0) and not holds(desk, "refuelled", line_id=line, gb=2.0)
    assert holds(desk, "data_used_up", expected=False)
    desk.set_line(data_used_gb=1000.0)
    assert holds(desk, "data_used_up", expected=True)


def test_bills(desk: Any) -> None:
    bill = desk.bill(desk.customer.bill_ids[0])
    for status, overdue, settled in (
        ("Paid", False, True),
        ("Overdue", True, False),
        ("Awaiting Payment", False, False),
    ):
        desk.put(replace(bill, status=status))
        assert holds(desk, "overdue_bill", bill_id=bill.bill_id) is overdue
        assert holds(desk, "no_overdue_bill", bill_id=bill.bill_id) is settled
    assert holds(desk, "no_overdue_bill", bill_id="B1") and not holds(desk, "overdue_bill", bill_id="B1")


def test_transfers(desk: Any) -> None:
    signs = {"any_of": [{"tool": "check_sim_status", "requestor": "user"}, {"tool": "get_data_usage"}]}
    assert holds(desk, "transferred", (TRANSFER, True)) and not holds(desk, "transferred", (TRANSFER, False))
    assert holds(desk, "not_transferred", (READ, True)) and not holds(desk, "not_transferred", (TRANSFER, True))
    assert holds(desk, "transferred_after", (LOOK, True), (TRANSFER, True), **signs)
    assert not holds(desk, "transferred_after", (TRANSFER, True), (LOOK, True), **signs)
    assert not holds(desk, "transferred_after", (LOOK, False), (TRANSFER, True), **signs)
    assert not holds(desk, "transferred_after", (LOOK, True), **signs)
    assert not holds(desk, "transferred_after", (Action("check_sim_status", {}), True), (TRANSFER, True), **signs)


def test_reads_and_writes(desk: Any) -> None:
    wanted = {"tool": READ.name, "arguments": READ.arguments}
    assert holds(desk, "read_made", (LOOK, True), (READ, True), (WRITE, True), **wanted)
    assert not holds(desk, "read_made", (WRITE, True), (READ, True), **wanted)
    assert not holds(desk, "read_made", (READ, False), **wanted)
    assert holds(desk, "no_writes", (READ, True), (WRITE, False), (Action("make_payment", {}, "user"), True))
    assert not holds(desk, "no_writes", (WRITE, True))
