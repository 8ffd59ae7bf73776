"""Named checks of telecom tasks. Those about phone and carrier are tau2-bench's assertions; the rest is about calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigen_cli.api.domain import Check, CheckContext
from eigen_telecom import coupling
from eigen_telecom.network import data_works, mms_works, speed_of
from eigen_telecom.policy import WRITE_TOOLS
from eigen_telecom.records import Bill, Line

_SAME_GB = 1e-6


# The phone


def airplane_mode(context: CheckContext, *, expected: bool) -> bool:
    """Whether airplane mode is as expected."""
    return coupling.phone_in(context.final).airplane_mode == expected


def service_status(context: CheckContext, *, expected: str) -> bool:
    """Whether the mobile network is as expected: `connected`, `no_service`."""
    return coupling.phone_in(context.final).network_connection_status == expected


def mobile_data(context: CheckContext, *, expected: bool = True) -> bool:
    """Whether mobile data works, or does not."""
    return data_works(context.final) == expected


def data_roaming(context: CheckContext, *, expected: bool) -> bool:
    """Whether the phone's roaming switch is as expected."""
    return coupling.phone_in(context.final).roaming_enabled == expected


def data_saver(context: CheckContext, *, expected: bool) -> bool:
    """Whether data saver is as expected."""
    return coupling.phone_in(context.final).data_saver_mode == expected


def internet_speed(context: CheckContext, *, mbps: float, grade: str = "") -> bool:
    """Whether a speed test measures at least so many Mbps and, where one is named, says this grade."""
    measured = speed_of(context.final)
    return (measured.mbps or 0.0) >= mbps and grade.lower() in ("", measured.grade.lower())


def internet_not_excellent(context: CheckContext) -> bool:
    """Whether a speed test says anything but excellent."""
    return speed_of(context.final).grade != "Excellent"


def can_send_mms(context: CheckContext, *, expected: bool = True) -> bool:
    """Whether picture messages can be sent, or cannot."""
    return mms_works(context.final) == expected


# The carrier


def data_used_up(context: CheckContext, *, expected: bool) -> bool:
    """Whether the line of the phone has used all its data, or has not."""
    return coupling.data_used_up(context.final) == expected


def refuelled(context: CheckContext, *, line_id: str, gb: float) -> bool:
    """Whether exactly so much data has been bought for a line in this cycle."""
    line = context.final.table(Line).get(line_id)
    return line is not None and abs(line.data_refueling_gb - gb) < _SAME_GB


def line_status(context: CheckContext, *, line_id: str, expected: str) -> bool:
    """Whether a line has a status."""
    line = context.final.table(Line).get(line_id)
    return line is not None and line.status == expected


def line_roaming(context: CheckContext, *, line_id: str, expected: bool) -> bool:
    """Whether a line may roam, or may not."""
    line = context.final.table(Line).get(line_id)
    return line is not None and line.roaming_enabled == expected


def overdue_bill(context: CheckContext, *, bill_id: str) -> bool:
    """Whether a bill is there and overdue."""
    bill = context.final.table(Bill).get(bill_id)
    return bill is not None and bill.status == "Overdue"


def no_overdue_bill(context: CheckContext, *, bill_id: str) -> bool:
    """Whether a bill is paid, or not there at all."""
    bill = context.final.table(Bill).get(bill_id)
    return bill is None or bill.status == "Paid"


# The calls


def transferred(context: CheckContext) -> bool:
    """Whether the customer was passed to a human."""
    return any(ok and call.name == "transfer_to_human_agents" for call, ok in context.calls)


def transferred_after(context: CheckContext, *, any_of: list[Mapping[str, Any]]) -> bool:
    """Whether the customer was passed to a human after one of these calls had been made (`tool`, `requestor`)."""
    signs = {(sign["tool"], sign.get("requestor", "agent")) for sign in any_of}
    seen = False
    for call, ok in context.calls:
        seen = seen or (ok and (call.name, call.requestor) in signs)
        if ok and call.name == "transfer_to_human_agents":
            return seen
    return False


def not_transferred(context: CheckContext) -> bool:
    """Whether the agent dealt with the call itself."""
    return not transferred(context)


def no_writes(context: CheckContext) -> bool:
    """Whether no writing call of the agent succeeded."""
    return not any(ok and call.requestor == "agent" and call.name in WRITE_TOOLS for call, ok in context.calls)


def read_made(context: CheckContext, *, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the agent read with at least these arguments, before any writing call of its own."""
    for call, ok in context.calls:
        if not ok or call.requestor != "agent":
            continue
        if call.name in WRITE_TOOLS:
            return False
        if call.name == tool and all(call.arguments.get(name) == value for name, value in arguments.items()):
            return True
    return False


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        airplane_mode,
        service_status,
        mobile_data,
        data_roaming,
        data_saver,
        internet_speed,
        internet_not_excellent,
        can_send_mms,
        data_used_up,
        refuelled,
        line_status,
        line_roaming,
        overdue_bill,
        no_overdue_bill,
        transferred,
        transferred_after,
        not_transferred,
        no_writes,
        read_made,
    )
}
