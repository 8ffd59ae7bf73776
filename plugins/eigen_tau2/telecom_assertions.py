"""tau2-bench's environment assertions as checks, and the checks ours lacks.

An assertion holds where its function returns `assert_value`. Where the function raises instead, the benchmark has no
result at all; here the check does not hold, whichever value was asserted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

import msgspec

from eigen_cli.api.domain import Check, CheckContext
from eigen_cli.api.tasks import CheckCall
from eigen_telecom.checks import CHECKS
from eigen_telecom.handset import Connection
from eigen_telecom.records import Bill, Customer, Line

_SAME_GB = 1e-6

# The checks ours lacks


def denied(context: CheckContext, *, check: str, arguments: Mapping[str, Any]) -> bool:
    """Whether another check does not hold; for assertions that a function returns false."""
    return not CHECKS[check](context, **arguments)


def refuelled_by(context: CheckContext, *, customer_id: str, line_id: str, gb: float, asserted: bool = True) -> bool:
    """Whether so much data has been bought for a customer's line, or has not; never for another customer's line."""
    line = _line(context, customer_id, line_id)
    return line is not None and (abs(line.data_refueling_gb - gb) < _SAME_GB) is asserted


def status_of_line(
    context: CheckContext, *, customer_id: str, line_id: str, status: str, asserted: bool = True
) -> bool:
    """Whether a customer's line has a status, or has not; never for another customer's line."""
    line = _line(context, customer_id, line_id)
    return line is not None and (line.status == status) is asserted


def overdue_bill_of(context: CheckContext, *, customer_id: str, bill_id: str, asserted: bool = True) -> bool:
    """Whether a customer has an overdue bill. Denying it never holds: the benchmark raises where there is none."""
    customer = context.final.table(Customer).get(customer_id)
    bill = context.final.table(Bill).get(bill_id)
    mine = customer is not None and bill_id in customer.bill_ids
    return asserted and mine and bill is not None and bill.status == "Overdue"


BRIDGE_CHECKS: dict[str, Check] = {
    check.__name__: check for check in (denied, refuelled_by, status_of_line, overdue_bill_of)
}


def _line(context: CheckContext, customer_id: str, line_id: str) -> Line | None:
    customer = context.final.table(Customer).get(customer_id)
    mine = customer is not None and line_id in customer.line_ids
    return context.final.table(Line).get(line_id) if mine else None


# What each assertion function means: its arguments, and the check they and the asserted value make


class _Status(msgspec.Struct, forbid_unknown_fields=True):
    expected_status: bool


class _Service(msgspec.Struct, forbid_unknown_fields=True):
    expected_status: str


class _Speed(msgspec.Struct, forbid_unknown_fields=True):
    expected_speed: float
    expected_desc: str | None = None


class _Nothing(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _Refuelling(msgspec.Struct, forbid_unknown_fields=True):
    customer_id: str
    line_id: str
    expected_amount: float


class _LineStatus(msgspec.Struct, forbid_unknown_fields=True):
    customer_id: str
    line_id: str
    expected_status: str


class _Overdue(msgspec.Struct, forbid_unknown_fields=True):
    customer_id: str
    overdue_bill_id: str


class _NoOverdue(msgspec.Struct, forbid_unknown_fields=True):
    overdue_bill_id: str


Meaning = Callable[[Any, bool], CheckCall]


def _switch(check: str) -> tuple[type[_Status], Meaning]:
    return _Status, lambda given, asserted: CheckCall(check, {"expected": given.expected_status is asserted})


def _plain(check: str, arguments: dict[str, Any], asserted: bool) -> CheckCall:
    return CheckCall(check, arguments) if asserted else CheckCall("denied", {"check": check, "arguments": arguments})


def _service(given: _Service, asserted: bool) -> CheckCall:
    if given.expected_status not in get_args(Connection):
        raise ValueError(
            f"there is no service status {given.expected_status!r}, only {', '.join(get_args(Connection))}"
        )
    return _plain("service_status", {"expected": given.expected_status}, asserted)


def _speed(given: _Speed, asserted: bool) -> CheckCall:
    grade = {} if given.expected_desc is None else {"grade": given.expected_desc}
    if grade == {"grade": ""}:
        raise ValueError("a speed test is expected to say nothing, which none does")
    return _plain("internet_speed", {"mbps": given.expected_speed, **grade}, asserted)


def _refuelling(given: _Refuelling, asserted: bool) -> CheckCall:
    line = {"customer_id": given.customer_id, "line_id": given.line_id}
    return CheckCall("refuelled_by", {**line, "gb": given.expected_amount, "asserted": asserted})


def _line_status(given: _LineStatus, asserted: bool) -> CheckCall:
    line = {"customer_id": given.customer_id, "line_id": given.line_id}
    return CheckCall("status_of_line", {**line, "status": given.expected_status, "asserted": asserted})


def _overdue(given: _Overdue, asserted: bool) -> CheckCall:
    bill = {"customer_id": given.customer_id, "bill_id": given.overdue_bill_id}
    return CheckCall("overdue_bill_of", {**bill, "asserted": asserted})


def _no_overdue(given: _NoOverdue, asserted: bool) -> CheckCall:
    return _plain("no_overdue_bill", {"bill_id": given.overdue_bill_id}, asserted)


def _not_excellent(given: _Nothing, asserted: bool) -> CheckCall:
    del given
    return _plain("internet_not_excellent", {}, asserted)


ASSERTIONS: Mapping[str, Mapping[str, tuple[type[msgspec.Struct], Meaning]]] = {
    "user": {
        "assert_airplane_mode_status": _switch("airplane_mode"),
        "assert_service_status": (_Service, _service),
        "assert_mobile_data_status": _switch("mobile_data"),
        "assert_mobile_roaming_status": _switch("data_roaming"),
        "assert_mobile_data_saver_mode_status": _switch("data_saver"),
        "assert_internet_speed": (_Speed, _speed),
        "assert_internet_not_excellent": (_Nothing, _not_excellent),
        "assert_can_send_mms": _switch("can_send_mms"),
        "assert_mobile_data_usage_exceeded": _switch("data_used_up"),
    },
    "assistant": {
        "assert_data_refueling_amount": (_Refuelling, _refuelling),
        "assert_line_status": (_LineStatus, _line_status),
        "assert_overdue_bill_exists": (_Overdue, _overdue),
        "assert_no_overdue_bill": (_NoOverdue, _no_overdue),
    },
}
"""By side and function: the arguments, and what they mean with the asserted value."""


def check_of(assertion: Mapping[str, Any]) -> CheckCall:
    """Return the check an assertion means; raises `ValueError` for an unknown one or arguments it does not have."""
    side, name = str(assertion.get("env_type")), str(assertion.get("func_name"))
    known = ASSERTIONS.get(side)
    if known is None:
        raise ValueError(f"assertion {name}: env_type is {side!r}; known are {', '.join(ASSERTIONS)}")
    if name not in known:
        raise ValueError(f"the {side} side has no assertion {name!r}; known are {', '.join(known)}")
    asserted = assertion.get("assert_value", True)
    if not isinstance(asserted, bool):
        raise ValueError(f"assertion {name}: assert_value is {asserted!r}, not true or false")
    arguments, meaning = known[name]
    try:
        return meaning(msgspec.convert(assertion.get("arguments") or {}, arguments), asserted)
    except msgspec.ValidationError as error:
        raise ValueError(f"assertion {name}: {error}") from None
