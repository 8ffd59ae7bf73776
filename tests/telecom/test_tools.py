"""The agent's tools, value by value."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_telecom.records import Bill


def test_customers_are_found_in_three_ways(desk: Any) -> None:
    customer, line = desk.customer, desk.line
    by_phone = desk.call("get_customer_by_phone", phone_number=line.phone_number)
    assert by_phone == desk.call("get_customer_by_id", customer_id=customer.customer_id)
    found = desk.call("get_customer_by_name", full_name=customer.full_name.upper(), dob=customer.date_of_birth)
    assert [one["customer_id"] for one in found] == [customer.customer_id]
    assert desk.call("get_customer_by_name", full_name=customer.full_name, dob="1900-01-01") == []
    assert desk.refused("get_customer_by_phone", phone_number="555-000-0000") == (
        "Error: No customer has the number 555-000-0000"
    )
    assert "not found" in desk.refused("get_customer_by_id", customer_id="C1")


def test_any_record_by_id(desk: Any) -> None:
    line = desk.line
    assert desk.call("get_details_by_id", id=line.line_id)["phone_number"] == line.phone_number
    assert desk.call("get_details_by_id", id=line.plan_id)["name"] == desk.plan.name
    assert desk.call("get_details_by_id", id=line.device_id)["device_type"] == "phone"
    assert desk.call("get_details_by_id", id=desk.customer.bill_ids[0])["customer_id"] == line.customer_id
    assert desk.call("get_details_by_id", id=line.customer_id)["full_name"] == desk.customer.full_name
    for wrong in ("L1", "X20001", ""):
        assert desk.refused("get_details_by_id", id=wrong)


def test_suspending_and_resuming(desk: Any) -> None:
    suspended = desk.call("suspend_line", **desk.own(reason="away"))
    assert suspended["line"]["status"] == "Suspended" and suspended["line"]["suspension_start_date"] == "2025-09-16"
    assert "not active" in desk.refused("suspend_line", **desk.own(reason="away"))
    assert desk.call("resume_line", **desk.own())["line"]["suspension_start_date"] is None
    assert "not suspended" in desk.refused("resume_line", **desk.own())
    desk.set_line(status="Pending Activation")
    assert desk.call("resume_line", **desk.own())["line"]["status"] == "Active"


def test_lines_of_others_are_refused(desk: Any) -> None:
    other = next(
        line for line in desk.world.table(type(desk.line)).values() if line.customer_id != desk.customer.customer_id
    )
    for tool, more in (("enable_roaming", {}), ("get_data_usage", {}), ("refuel_data", {"gb_amount": 1})):
        arguments = {"customer_id": desk.customer.customer_id, "line_id": other.line_id, **more}
        assert f"has no line {other.line_id}" in desk.refused(tool, **arguments)


def test_bills_come_newest_first_and_limited(desk: Any) -> None:
    bills = desk.call("get_bills_for_customer", customer_id=desk.customer.customer_id)
    dates = [bill["issue_date"] for bill in bills]
    assert dates == ["2025-09-01", "2025-08-01", "2025-07-01"]
    assert len(desk.call("get_bills_for_customer", customer_id=desk.customer.customer_id, limit=2)) == 2


def test_one_payment_request_at_a_time(desk: Any) -> None:
    first, second, _ = desk.customer.bill_ids
    own = {"customer_id": desk.customer.customer_id}
    desk.call("send_payment_request", **own, bill_id=first)
    assert "awaiting payment already" in desk.refused("send_payment_request", **own, bill_id=second)
    desk.phone("make_payment")
    desk.call("send_payment_request", **own, bill_id=second)
    stranger = next(b.bill_id for b in desk.world.table(Bill).values() if b.customer_id != desk.customer.customer_id)
    desk.phone("make_payment")
    assert "has no bill" in desk.refused("send_payment_request", **own, bill_id=stranger)


def test_data_usage(desk: Any) -> None:
    assert desk.call("get_data_usage", **desk.own()) == {
        "line_id": desk.line.line_id,
        "data_used_gb": 1.0,
        "data_limit_gb": desk.plan.data_limit_gb,
        "data_refueling_gb": 0.0,
        "cycle_end_date": "2025-09-30",
    }


def test_refuelling_charges_a_draft_bill_of_the_next_cycle(desk: Any) -> None:
    price = float(desk.plan.data_refueling_price_per_gb)
    bought = desk.call("refuel_data", **desk.own(gb_amount=1.5))
    assert (bought["charge"], bought["new_data_refueling_gb"]) == (1.5 * price, 1.5)
    draft = desk.bill(desk.customer.bill_ids[-1])
    assert (draft.status, float(draft.total_due)) == ("Draft", 1.5 * price)
    dates = [day.isoformat() for day in (draft.period_start, draft.period_end, draft.issue_date, draft.due_date)]
    assert dates == ["2025-10-01", "2025-10-31", "2025-10-01", "2025-10-15"]
    again = desk.copy()
    again.call("refuel_data", **desk.own(gb_amount=0.5))
    assert len(again.customer.bill_ids) == len(desk.customer.bill_ids)
    assert (len(again.bill(draft.bill_id).line_items), again.line.data_refueling_gb) == (2, 2.0)


@pytest.mark.parametrize("amount", [0, -1, "inf", "nan"])
def test_impossible_amounts_of_data(desk: Any, amount: Any) -> None:
    assert desk.refused("refuel_data", **desk.own(gb_amount=amount))


def test_the_order_of_purchases_is_no_part_of_the_outcome(desk: Any) -> None:
    once, twice, less = desk.copy(), desk.copy(), desk.copy()
    once.call("refuel_data", **desk.own(gb_amount=2))
    twice.call("refuel_data", **desk.own(gb_amount=0.5))
    twice.call("refuel_data", **desk.own(gb_amount=1.5))
    less.call("refuel_data", **desk.own(gb_amount=1))
    assert once.world.outcome_hash() == twice.world.outcome_hash() != less.world.outcome_hash()
    assert once.world.state_hash() != twice.world.state_hash()


def test_the_phone_is_no_part_of_the_outcome_but_the_line_is(desk: Any) -> None:
    before = desk.world.outcome_hash()
    desk.phone("toggle_wifi")
    assert desk.world.outcome_hash() == before
    desk.call("enable_roaming", **desk.own())
    assert desk.world.outcome_hash() != before


def test_agents_have_no_hands_on_the_phone(desk: Any) -> None:
    assert desk.refused("toggle_airplane_mode").startswith("Error: there is no tool 'toggle_airplane_mode'")
    assert desk.refused("resume_line", requestor="user", **desk.own()).startswith("Error: there is no tool")
