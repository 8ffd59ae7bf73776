"""Requests about the account that are granted: payments, suspensions, roaming, data, questions."""

from __future__ import annotations

from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import CheckCall, Communicate, Fact
from eigen_telecom.cases import Case, on_line, user
from eigen_telecom.coupling import bills_of
from eigen_telecom.records import Bill
from eigen_telecom.rules import NOW
from eigen_telecom.templates.drafting import (
    NO_WRITES,
    NOT_TRANSFERRED,
    Scene,
    drafted,
    on_account,
    opened,
    read,
    template,
    with_line,
)
from eigen_telecom.templates.requests import goal
from eigen_telecom.troubles_service import overdue_bill, with_bill
from eigen_telecom.wording import say_gigabytes

OPENING = ("get_customer_by_phone", "get_details_by_id")
_PAYING = ("get_bills_for_customer", "send_payment_request", "check_payment_request", "make_payment")
_AWAY = ("a long stay abroad", "a few months at sea", "a sabbatical", "a stay in a clinic")


@template(tools=(*OPENING, *_PAYING), clauses=("1.1", "1.5", "2.1", "3.1", "3.2", "3.3"), difficulty=2)
def pay_overdue_bill(scene: Scene) -> Draft | None:
    """A bill slipped through; the line still works."""
    case = scene.case()
    if case is None:
        return None
    bill = overdue_bill(case, number=1)
    case = with_bill(case, bill)
    return drafted(
        case,
        goal(scene, "pay_bill"),
        gold=[
            *opened(case)[:1],
            on_account(case, "get_bills_for_customer"),
            on_account(case, "send_payment_request", bill_id=bill.bill_id),
            user("check_payment_request"),
            user("make_payment"),
            read(bill.bill_id),
        ],
        checks=[CheckCall("no_overdue_bill", {"bill_id": bill.bill_id}), NOT_TRANSFERRED],
        instructions="You pay on your phone when the request is there.",
    )


def newest_bill(scene: Scene, case: Case) -> Bill | None:
    """Return the caller's newest bill that is issued and not yet due."""
    bills = sorted(bills_of(scene.world, case.customer), key=lambda bill: bill.issue_date)
    return next((bill for bill in reversed(bills) if bill.status == "Issued"), None)


@template(tools=(*OPENING, "suspend_line"), clauses=("1.1", "2.1", "2.3", "4.4"), difficulty=1)
def suspend_own_line(scene: Scene) -> Draft | None:
    """A long absence."""
    case = scene.case()
    if case is None:
        return None
    reason = scene.pick(_AWAY)
    return drafted(
        case,
        goal(scene, "suspend_line", Fact("reason", reason)),
        gold=[*opened(case), on_line(case, "suspend_line", reason=reason)],
        checks=[CheckCall("line_status", {"line_id": case.line.line_id, "expected": "Suspended"}), NOT_TRANSFERRED],
        communicate=[Communicate("number", "5", "holding fee a month")],
    )


@template(
    tools=(*OPENING, "get_bills_for_customer", "resume_line", "reboot_device", "check_status_bar"),
    clauses=("1.5", "2.1", "2.3", "4.1", "4.3", "8.6"),
    difficulty=2,
)
def resume_own_line(scene: Scene) -> Draft | None:
    """Back from the absence for which the line was suspended; nothing is owed."""
    case = scene.case()
    if case is None:
        return None
    case = with_line(case, status="Suspended", suspension_start_date=NOW.date().replace(month=NOW.month - 3))
    return drafted(
        case,
        goal(scene, "resume_line"),
        gold=[
            *opened(case),
            on_account(case, "get_bills_for_customer"),
            on_line(case, "resume_line"),
            user("reboot_device"),
            user("check_status_bar"),
        ],
        checks=[
            CheckCall("line_status", {"line_id": case.line.line_id, "expected": "Active"}),
            CheckCall("service_status", {"expected": "connected"}),
            NOT_TRANSFERRED,
        ],
    )


@template(tools=(*OPENING, "enable_roaming"), clauses=("2.1", "2.3", "6.1"), difficulty=1)
def roaming_for_a_trip(scene: Scene) -> Draft | None:
    """Still at home, soon abroad."""
    case = scene.case()
    if case is None:
        return None
    case = with_line(case, roaming_enabled=False)
    return drafted(
        case,
        goal(scene, "roaming_on", Fact("location", "at home")),
        gold=[*opened(case), on_line(case, "enable_roaming")],
        checks=[CheckCall("line_roaming", {"line_id": case.line.line_id, "expected": True}), NOT_TRANSFERRED],
    )


@template(tools=(*OPENING, "disable_roaming"), clauses=("1.1", "2.1", "2.3", "6.2"), difficulty=1)
def roaming_off_on_request(scene: Scene) -> Draft | None:
    """The customer wants no roaming, and is at home."""
    case = scene.case()
    if case is None:
        return None
    case = with_line(case, roaming_enabled=True)
    return drafted(
        case,
        goal(scene, "roaming_off", Fact("location", "at home")),
        gold=[*opened(case), on_line(case, "disable_roaming")],
        checks=[CheckCall("line_roaming", {"line_id": case.line.line_id, "expected": False}), NOT_TRANSFERRED],
    )


@template(tools=(*OPENING, "refuel_data"), clauses=("1.1", "2.1", "2.3", "5.1", "5.2"), difficulty=2)
def buy_data(scene: Scene) -> Draft | None:
    """Some data on top, within the limit."""
    case = scene.case()
    if case is None:
        return None
    price = case.refuel_gb * float(case.plan.data_refueling_price_per_gb)
    return drafted(
        case,
        goal(scene, "buy_data", Fact("refuel_gb", say_gigabytes(case.refuel_gb))),
        gold=[*opened(case), read(case.plan.plan_id), on_line(case, "refuel_data", gb_amount=case.refuel_gb)],
        checks=[
            CheckCall("refuelled", {"line_id": case.line.line_id, "gb": case.line.data_refueling_gb + case.refuel_gb}),
            NOT_TRANSFERRED,
        ],
        communicate=[Communicate("number", f"{price:g}", "price of the data")],
    )


@template(tools=(*OPENING, "get_data_usage"), clauses=("1.3", "2.1", "2.3"), difficulty=1)
def ask_data_left(scene: Scene) -> Draft | None:
    """How much of the allowance is left."""
    case = scene.case(lambda _, line: line.data_used_gb > 0)
    if case is None:
        return None
    left = round(case.plan.data_limit_gb + case.line.data_refueling_gb - case.line.data_used_gb, 1)
    usage = on_line(case, "get_data_usage")
    return drafted(
        case,
        goal(scene, "data_left"),
        gold=[*opened(case), usage],
        checks=[CheckCall("call_made", {"tool": usage.name, "arguments": usage.arguments}), NO_WRITES],
        communicate=[Communicate("number", f"{left:g}", "GB left")],
    )


@template(tools=("get_customer_by_phone", "get_bills_for_customer"), clauses=("1.3", "2.1"), difficulty=1)
def ask_bill_total(scene: Scene) -> Draft | None:
    """What the newest bill comes to."""
    case = scene.case()
    bill = None if case is None else newest_bill(scene, case)
    if case is None or bill is None:
        return None
    return drafted(
        case,
        goal(scene, "bill_total"),
        gold=[*opened(case)[:1], on_account(case, "get_bills_for_customer")],
        checks=[CheckCall("call_made", {"tool": "get_bills_for_customer"}), NO_WRITES],
        communicate=[Communicate("number", str(bill.total_due), "total of the newest bill")],
    )
