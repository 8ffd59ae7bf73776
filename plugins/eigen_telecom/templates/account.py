"""Requests about the account: payments, suspensions, roaming, data, questions, and what has to be refused or passed on."""

from __future__ import annotations

from dataclasses import replace as replace_fields

from msgspec.structs import replace

from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import CheckCall, Communicate, Fact
from eigen_telecom.coupling import bills_of
from eigen_telecom.records import Bill, Line
from eigen_telecom.rules import MOST_REFUEL_GB, NOW
from eigen_telecom.templates.drafting import (
    NO_WRITES,
    NOT_TRANSFERRED,
    TRANSFERRED,
    Scene,
    drafted,
    line_read,
    on_account,
    on_line,
    opened,
    read,
    template,
    with_line,
)
from eigen_telecom.templates.requests import goal
from eigen_telecom.troubles import Case, agent, overdue_bill, user, with_bill
from eigen_telecom.wording import say_gigabytes

_OPENING = ("get_customer_by_phone", "get_details_by_id")
_PAYING = ("get_bills_for_customer", "send_payment_request", "check_payment_request", "make_payment")
_AWAY = ("a long stay abroad", "a few months at sea", "a sabbatical", "a stay in a clinic")
_ELSEWHERE = (
    ("moving to another plan", "7.1"),
    ("a new contract for another two years", "7.1"),
    ("a new postal address on the account", "7.1"),
    ("transferring my number to another carrier", "7.1"),
)


@template(tools=(*_OPENING, *_PAYING), clauses=("1.1", "1.5", "2.1", "3.1", "3.2", "3.3"), difficulty=2)
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


def _newest(scene: Scene, case: Case) -> Bill | None:
    bills = sorted(bills_of(scene.world, case.customer), key=lambda bill: bill.issue_date)
    return next((bill for bill in reversed(bills) if bill.status == "Issued"), None)


@template(
    tools=("get_customer_by_phone", "get_bills_for_customer"),
    clauses=("1.4", "2.1", "3.1"),
    difficulty=2,
)
def pay_early_refused(scene: Scene) -> Draft | None:
    """The newest bill is not overdue, so no request is sent for it."""
    case = scene.case()
    bill = None if case is None else _newest(scene, case)
    if case is None or bill is None:
        return None
    bills = on_account(case, "get_bills_for_customer")
    return drafted(
        case,
        goal(scene, "pay_early"),
        gold=[*opened(case)[:1], bills],
        checks=[CheckCall("call_made", {"tool": bills.name}), NO_WRITES, NOT_TRANSFERRED],
        communicate=[Communicate("name", "overdue", "only bills that can be paid")],
        breach=[*opened(case)[:1], bills, on_account(case, "send_payment_request", bill_id=bill.bill_id)],
    )


@template(tools=(*_OPENING, "suspend_line"), clauses=("1.1", "2.1", "2.3", "4.4"), difficulty=1)
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


@template(tools=(*_OPENING, "get_bills_for_customer", "resume_line", "reboot_device", "check_status_bar"),
          clauses=("1.5", "2.1", "2.3", "4.1", "4.3", "8.6"), difficulty=2)
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


@template(tools=(*_OPENING, "enable_roaming"), clauses=("2.1", "2.3", "6.1"), difficulty=1)
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


@template(tools=(*_OPENING, "disable_roaming"), clauses=("1.1", "2.1", "2.3", "6.2"), difficulty=1)
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


@template(tools=_OPENING, clauses=("1.4", "2.1", "6.2"), difficulty=2)
def roaming_off_abroad_refused(scene: Scene) -> Draft | None:
    """Abroad with the line: it stays as it is."""
    case = scene.case()
    if case is None:
        return None
    case = with_line(case, roaming_enabled=True)
    away = replace(case.surroundings, is_abroad=True)
    case = replace_fields(case, surroundings=away, phone=replace(case.phone, roaming_enabled=True))
    return drafted(
        case,
        goal(scene, "roaming_off", Fact("location", f"abroad in {scene.pick(('Ireland', 'Kenya', 'Peru', 'Vietnam'))}")),
        gold=opened(case),
        checks=[line_read(case), NO_WRITES, NOT_TRANSFERRED],
        breach=[*opened(case), on_line(case, "disable_roaming")],
        instructions="You say that you are abroad when you are asked where you are.",
    )


@template(tools=(*_OPENING, "refuel_data"), clauses=("1.1", "2.1", "2.3", "5.1", "5.2"), difficulty=2)
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
            CheckCall(
                "refuelled", {"line_id": case.line.line_id, "gb": case.line.data_refueling_gb + case.refuel_gb}
            ),
            NOT_TRANSFERRED,
        ],
        communicate=[Communicate("number", f"{price:g}", "price of the data")],
    )


@template(tools=_OPENING, clauses=("1.4", "2.1", "5.1"), difficulty=2)
def buy_too_much_data_refused(scene: Scene) -> Draft | None:
    """More than can be bought, and nothing less will do."""
    case = scene.case()
    if case is None:
        return None
    wanted = scene.pick((3.0, 5.0, 10.0))
    return drafted(
        case,
        goal(scene, "buy_data", Fact("refuel_gb", say_gigabytes(wanted))),
        gold=opened(case),
        checks=[line_read(case), NO_WRITES, NOT_TRANSFERRED],
        communicate=[Communicate("number", f"{MOST_REFUEL_GB:g}", "most GB a cycle")],
        breach=[*opened(case), on_line(case, "refuel_data", gb_amount=wanted)],
        instructions="Less than that is of no use to you; if you cannot have it, you buy nothing.",
    )


@template(tools=(*_OPENING, "get_data_usage"), clauses=("1.3", "2.1", "2.3"), difficulty=1)
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
    bill = None if case is None else _newest(scene, case)
    if case is None or bill is None:
        return None
    return drafted(
        case,
        goal(scene, "bill_total"),
        gold=[*opened(case)[:1], on_account(case, "get_bills_for_customer")],
        checks=[CheckCall("call_made", {"tool": "get_bills_for_customer"}), NO_WRITES],
        communicate=[Communicate("number", str(bill.total_due), "total of the newest bill")],
    )


@template(tools=("get_customer_by_phone",), clauses=("1.4", "2.1", "2.2"), difficulty=2)
def other_line_refused(scene: Scene) -> Draft | None:
    """A number on somebody else's account."""
    case = scene.case()
    if case is None:
        return None
    other = scene.case(lambda customer, _: customer.customer_id != case.customer.customer_id)
    if other is None:
        return None
    number: str = _number_of(other.line)
    return drafted(
        case,
        goal(scene, "other_line", Fact("other_number", number)),
        gold=opened(case)[:1],
        checks=[CheckCall("call_made", {"tool": "get_customer_by_phone"}), NO_WRITES, NOT_TRANSFERRED],
        instructions="The number is not yours and not on your account, and you say so when asked.",
    )


def _number_of(line: Line) -> str:
    return line.phone_number


@template(
    tools=("get_customer_by_phone", "get_customer_by_name", "transfer_to_human_agents"),
    clauses=("2.1", "7.1", "10.1"),
    difficulty=1,
)
def transfer_out_of_scope(scene: Scene) -> Draft | None:
    """Something no tool here does: a human takes over."""
    case = scene.case()
    if case is None:
        return None
    topic, _ = scene.pick(_ELSEWHERE)
    by_name = agent("get_customer_by_name", full_name=case.customer.full_name, dob=case.customer.date_of_birth)
    first = scene.pick((opened(case)[0], by_name))
    signs = [{"tool": "get_customer_by_phone"}, {"tool": "get_customer_by_name"}, {"tool": "get_customer_by_id"}]
    return drafted(
        case,
        goal(scene, "out_of_scope", Fact("topic", topic)),
        gold=[first, agent("transfer_to_human_agents", summary=f"The customer asks for {topic}.")],
        checks=[NO_WRITES, TRANSFERRED, CheckCall("transferred_after", {"any_of": signs})],
    )
