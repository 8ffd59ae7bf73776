"""Carrier and phone are one world: what happens on one side is felt on the other at once."""

from __future__ import annotations

from typing import Any

from eigen_telecom import coupling
from eigen_telecom.network import data_works, speed_of


def test_roaming_needs_both_sides_abroad(desk: Any) -> None:
    desk.set_place(is_abroad=True)
    assert not data_works(desk.world)
    desk.phone("toggle_roaming")
    assert not data_works(desk.world) and not coupling.roaming_allowed(desk.world)
    assert desk.call("enable_roaming", **desk.own()) == f"Line {desk.line.line_id} may roam now"
    assert data_works(desk.world) and desk.line.roaming_enabled
    assert "already" in desk.call("enable_roaming", **desk.own())
    desk.phone("toggle_roaming")
    assert not data_works(desk.world)
    desk.set_place(is_abroad=False)
    assert data_works(desk.world)


def test_data_stops_at_the_limit_and_starts_with_a_refuel(desk: Any) -> None:
    limit = desk.plan.data_limit_gb
    desk.set_line(data_used_gb=limit - 0.01)
    assert not coupling.data_used_up(desk.world)
    desk.set_line(data_used_gb=limit)
    assert coupling.data_used_up(desk.world) and speed_of(desk.world) == (None, "No Connection")
    assert desk.phone("run_speed_test") == "Speed test: failed, no connection."
    desk.call("refuel_data", **desk.own(gb_amount=0.5))
    assert not coupling.data_used_up(desk.world) and data_works(desk.world)


def test_a_suspended_line_is_noticed_at_the_next_search_and_resumed_with_a_restart(desk: Any) -> None:
    desk.call("suspend_line", **desk.own(reason="test"))
    assert desk.state.network_connection_status == "connected"
    desk.phone("reboot_device")
    assert desk.state.network_connection_status == "no_service"
    desk.call("resume_line", **desk.own())
    assert desk.state.network_connection_status == "no_service"
    desk.phone("reboot_device")
    assert desk.state.network_connection_status == "connected" and data_works(desk.world)


def test_a_payment_request_appears_is_paid_and_is_gone(desk: Any) -> None:
    bill = desk.bill(desk.customer.bill_ids[0])
    assert desk.phone("check_payment_request") == desk.phone("make_payment") == "Payment request: none."
    desk.call("send_payment_request", customer_id=desk.customer.customer_id, bill_id=bill.bill_id)
    assert desk.bill(bill.bill_id).status == "Awaiting Payment"
    assert desk.phone("check_payment_request") == (
        f"Payment request: bill {bill.bill_id} over {bill.total_due} dollars."
    )
    assert desk.phone("make_payment") == f"Payment made: {bill.total_due} dollars for bill {bill.bill_id}."
    assert desk.bill(bill.bill_id).status == "Paid"
    assert desk.phone("check_payment_request") == "Payment request: none."


def test_requests_for_another_customer_do_not_show(desk: Any) -> None:
    customers = desk.world.table(type(desk.customer)).values()
    other = next(one for one in customers if one.customer_id != desk.customer.customer_id)
    desk.call("send_payment_request", customer_id=other.customer_id, bill_id=other.bill_ids[0])
    assert desk.phone("check_payment_request") == "Payment request: none."


def test_a_phone_that_is_not_ours_is_left_alone(desk: Any) -> None:
    desk.set_place(phone_number=None)
    assert coupling.line_of_phone(desk.world) is None
    assert coupling.line_active(desk.world) and not coupling.roaming_allowed(desk.world)
    assert not coupling.data_used_up(desk.world) and coupling.payment_request(desk.world) is None
