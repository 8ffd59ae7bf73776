"""Troubles that take service away: airplane mode, the SIM card, the access point, a suspended line."""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from eigen_cli.api.record import money
from eigen_cli.api.tasks import Action, CheckCall
from eigen_telecom.billing import month_end
from eigen_telecom.cases import Case, Trouble, agent, on_line, phone_with, switched, unsolved, user
from eigen_telecom.records import Bill, LineItem
from eigen_telecom.rules import BILL_TERM, NOW

OVERDUE_ID_BASE = 5_000_000
"""Bills that troubles make are numbered from here; the generator stays below, tools stay above."""


def _fly(case: Case) -> Case:
    changes = {"vpn_connected": False, "vpn_details": None, "wifi_connected": False, "wifi_ssid": None}
    return dataclasses.replace(
        case, phone=replace(case.phone, airplane_mode=True, wifi_signal_strength="none", **changes)
    )


def _break_apn(case: Case) -> Case:
    apn = replace(case.phone.active_apn_settings, apn_name="broken")
    return dataclasses.replace(case, phone=replace(case.phone, active_apn_settings=apn))


def overdue_bill(case: Case, *, number: int = 0) -> Bill:
    """Return a bill for last month that the customer did not pay."""
    issued = NOW.date().replace(month=NOW.month - 1, day=1)
    bill_id = f"B{OVERDUE_ID_BASE + int(case.line.line_id[1:]) * 10 + number}"
    item = LineItem(
        f"{case.plan.name}, {case.line.phone_number}", case.plan.price_per_month, issued, item_type="Plan Charge"
    )
    return Bill(
        bill_id=bill_id,
        customer_id=case.customer.customer_id,
        period_start=issued,
        period_end=month_end(issued),
        issue_date=issued,
        total_due=money(case.plan.price_per_month),
        due_date=issued + BILL_TERM,
        line_items=(item,),
        status="Overdue",
    )


def with_bill(case: Case, bill: Bill) -> Case:
    """Return the case with one more bill."""
    customer = replace(case.customer, bill_ids=(*case.customer.bill_ids, bill.bill_id))
    return dataclasses.replace(case, customer=customer, bills=(*case.bills, bill))


def _suspend_for_bill(case: Case) -> Case:
    line = replace(case.line, status="Suspended", suspension_start_date=NOW.date().replace(day=1))
    return dataclasses.replace(with_bill(case, overdue_bill(case)), line=line)


def _end_contract(case: Case) -> Case:
    case = _suspend_for_bill(case)
    ended = month_end(NOW.date().replace(month=NOW.month - 1))
    return dataclasses.replace(case, line=replace(case.line, contract_end_date=ended))


def _pay_and_resume(case: Case) -> tuple[Action, ...]:
    bill = case.bills[-1].bill_id
    return (
        agent("get_bills_for_customer", customer_id=case.customer.customer_id),
        agent("send_payment_request", customer_id=case.customer.customer_id, bill_id=bill),
        user("check_payment_request"),
        user("make_payment"),
        agent("get_details_by_id", id=bill),
        on_line(case, "resume_line"),
    )


def _bill_paid(case: Case) -> tuple[CheckCall, ...]:
    return (CheckCall("no_overdue_bill", {"bill_id": case.bills[-1].bill_id}),)


SERVICE: tuple[Trouble, ...] = (
    Trouble("airplane_mode_on", "airplane", _fly, switched("toggle_airplane_mode"), ("8.2",)),
    Trouble("sim_unseated", "sim", phone_with(sim_card_missing=True), switched("reseat_sim_card"), ("8.3",)),
    Trouble(
        "sim_locked",
        "sim_lock",
        phone_with(sim_card_status="locked_pin"),
        unsolved,
        ("8.3", "10.1"),
        solvable=False,
        signs=(user("check_sim_status"), user("check_network_status")),
    ),
    Trouble("apn_broken", "apn", _break_apn, switched("reset_apn_settings"), ("8.4",), restart=True),
    Trouble(
        "bill_overdue",
        "suspension",
        _suspend_for_bill,
        _pay_and_resume,
        ("3.1", "3.2", "3.3", "4.1", "4.3", "8.5"),
        restart=True,
        carrier=True,
        checks=_bill_paid,
    ),
    Trouble(
        "contract_ended",
        "suspension",
        _end_contract,
        unsolved,
        ("4.2", "8.5", "10.1"),
        solvable=False,
        carrier=True,
        signs=(agent("get_details_by_id"),),
    ),
)
