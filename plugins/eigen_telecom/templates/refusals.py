"""Requests that are turned down or passed on, however they are put."""

from __future__ import annotations

from dataclasses import replace as replace_fields

from msgspec.structs import replace

from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import CheckCall, Communicate, Fact
from eigen_telecom.cases import agent, on_line
from eigen_telecom.rules import MOST_REFUEL_GB
from eigen_telecom.templates.account import OPENING, newest_bill
from eigen_telecom.templates.drafting import (
    NO_WRITES,
    NOT_TRANSFERRED,
    TRANSFERRED,
    Scene,
    drafted,
    line_read,
    on_account,
    opened,
    template,
    with_line,
)
from eigen_telecom.templates.requests import goal
from eigen_telecom.wording import say_gigabytes

_COUNTRIES = ("Ireland", "Kenya", "Peru", "Vietnam")
_ELSEWHERE = (
    "moving to another plan",
    "a new contract for another two years",
    "a new postal address on the account",
    "transferring my number to another carrier",
)


@template(
    tools=("get_customer_by_phone", "get_bills_for_customer"),
    clauses=("1.4", "2.1", "3.1"),
    difficulty=2,
)
def pay_early_refused(scene: Scene) -> Draft | None:
    """The newest bill is not overdue, so no request is sent for it."""
    case = scene.case()
    bill = None if case is None else newest_bill(scene, case)
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


@template(tools=OPENING, clauses=("1.4", "2.1", "6.2"), difficulty=2)
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
        goal(
            scene, "roaming_off", Fact("location", f"abroad in {scene.pick(('Ireland', 'Kenya', 'Peru', 'Vietnam'))}")
        ),
        gold=opened(case),
        checks=[line_read(case), NO_WRITES, NOT_TRANSFERRED],
        breach=[*opened(case), on_line(case, "disable_roaming")],
        instructions="You say that you are abroad when you are asked where you are.",
    )


@template(tools=OPENING, clauses=("1.4", "2.1", "5.1"), difficulty=2)
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


@template(tools=("get_customer_by_phone",), clauses=("1.4", "2.1", "2.2"), difficulty=2)
def other_line_refused(scene: Scene) -> Draft | None:
    """A number on somebody else's account."""
    case = scene.case()
    if case is None:
        return None
    other = scene.case(lambda customer, _: customer.customer_id != case.customer.customer_id)
    if other is None:
        return None
    return drafted(
        case,
        goal(scene, "other_line", Fact("other_number", other.line.phone_number)),
        gold=opened(case)[:1],
        checks=[CheckCall("call_made", {"tool": "get_customer_by_phone"}), NO_WRITES, NOT_TRANSFERRED],
        instructions="The number is not yours and not on your account, and you say so when asked.",
    )


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
    topic = scene.pick(_ELSEWHERE)
    by_name = agent("get_customer_by_name", full_name=case.customer.full_name, dob=case.customer.date_of_birth)
    first = scene.pick((opened(case)[0], by_name))
    signs = [{"tool": "get_customer_by_phone"}, {"tool": "get_customer_by_name"}, {"tool": "get_customer_by_id"}]
    return drafted(
        case,
        goal(scene, "out_of_scope", Fact("topic", topic)),
        gold=[first, agent("transfer_to_human_agents", summary=f"The customer asks for {topic}.")],
        checks=[NO_WRITES, TRANSFERRED, CheckCall("transferred_after", {"any_of": signs})],
    )
