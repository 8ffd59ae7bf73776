"""Repairing what is broken: the troubleshooting guide (sections 8 and 9), walked with the customer."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Handover, Step, Tell
from eigen_telecom.playbook_common import Json, Procedure, dollars, is_on, line_of_caller, number_spoken, on_phone
from eigen_telecom.playbook_payments import pay, unpaid_bills
from eigen_telecom.rules import MOST_REFUEL_GB, NOW
from eigen_telecom.wording import gigabytes

Walk = Generator[Step, Any, bool]
"""A part of the guide; returns whether the call goes on, after yielding a hand-over where it does not."""


def no_service() -> Procedure:
    """Bring service back."""
    found = yield from line_of_caller()
    if found is None:
        return
    if (yield from _service(*found)) is not None:
        shown = yield from on_phone("see_bar")
        yield from _concluded("no signal" not in shown and "airplane" not in shown, "Service is back")


def mobile_data() -> Procedure:
    """Bring mobile data to full speed."""
    yield from _repaired("see_speed", "excellent", "Your mobile data is back at full speed", (_saver, _mode, _vpn))


def picture_messages() -> Procedure:
    """Make picture messages work."""
    repairs = (_mode, _wifi_calling, _permissions, _picture_server)
    yield from _repaired("see_pictures", "can be sent", "Picture messages work again", repairs)


def _repaired(look: str, good: str, what: str, repairs: Sequence[Callable[[], Walk]]) -> Procedure:
    """Settle service and data, then try one repair after the other until the customer's look at it is good."""
    found = yield from line_of_caller()
    network = None if found is None else (yield from _service(*found))
    if found is None or network is None or not (yield from _data(*found, network)):
        return
    shown = yield from on_phone(look)
    for repair in repairs:
        if good in shown:
            break
        if (yield from repair()):
            shown = yield from on_phone(look)
    yield from _concluded(good in shown, what)


def _concluded(works: bool, what: str) -> Procedure:
    if works:
        yield Tell(f"<Wonderful.|That's it.> {what}, so this is taken care of.")
    else:
        yield Handover("Everything in the troubleshooting guide was tried, and the phone still does not work.")


# Section 8: service


def _service(customer: Json, line: Json) -> Generator[Step, Any, str | None]:
    """Bring service back; return what the network page shows then, or None where the call ended in a hand-over."""
    resumed = line["status"] == "Suspended"
    if resumed and not (yield from lifted(customer, line)):
        return None
    shown = yield from on_phone("see_network")
    if is_on(shown, "airplane mode"):
        yield from on_phone("airplane_off")
        shown = yield from on_phone("see_network")
    if "sim missing" in shown:
        yield from on_phone("reseat_sim")
        shown = yield from on_phone("see_network")
    if "sim locked" in shown:
        yield Tell("Your SIM card is locked, and I can't unlock it from here.")
        yield Handover("The customer's SIM card is locked; there is no service until it is unlocked.")
        return None
    if "no_service" in shown and resumed:
        yield from on_phone("restart")
        shown = yield from on_phone("see_network")
    if "no_service" in shown:
        yield from on_phone("reset_apn")
        yield from on_phone("restart")
    return shown


def lifted(customer: Json, line: Json) -> Walk:
    if line["contract_end_date"] is not None and line["contract_end_date"] < NOW.date().isoformat():
        yield Tell(f"Your line is suspended, and its contract ended on {line['contract_end_date']}.")
        yield Handover(f"Line {line['line_id']} is suspended and its contract has ended, so it can't be resumed here.")
        return False
    for bill in (yield from unpaid_bills(customer)):
        yield Tell("Your line is suspended because a bill was not paid.")
        if not (yield from pay(customer, bill)):
            return False
    result: CallResult = yield Call("resume_line", {"customer_id": customer["customer_id"], "line_id": line["line_id"]})
    if not result.error:
        yield Tell("Your line is active again.")
    return not result.error


# Section 9: data


def _data(customer: Json, line: Json, shown: str) -> Walk:
    place: str | None = yield Ask("location")
    if "abroad" in (place or "").lower():
        if not line["roaming_enabled"]:
            yield Call("enable_roaming", {"customer_id": customer["customer_id"], "line_id": line["line_id"]})
            yield Tell("I have allowed your line to roam, at no cost.")
        if not is_on(shown, "data roaming"):
            yield from on_phone("roaming_on")
    if not is_on(shown, "mobile data"):
        yield from on_phone("data_on")
    return (yield from _usage(customer, line))


def _usage(customer: Json, line: Json) -> Walk:
    on_line = {"customer_id": customer["customer_id"], "line_id": line["line_id"]}
    usage: CallResult = yield Call("get_data_usage", on_line)
    bought = usage.value["data_refueling_gb"]
    if usage.value["data_used_gb"] < usage.value["data_limit_gb"] + bought:
        return True
    if bought >= MOST_REFUEL_GB:
        yield Tell("Your data is used up, and no more can be bought in this cycle.")
        yield Handover(f"The data of line {line['line_id']} is used up and the most that can be bought has been.")
        return False
    text: str | None = yield Ask(
        "refuel_gb",
        "Your data for this month is used up. How much data would you like to buy? Up to 2 GB are possible.",
    )
    return (yield from refuel(on_line, line, gigabytes(text or "") or MOST_REFUEL_GB))


def refuel(on_line: Json, line: Json, wanted: float) -> Walk:
    """Price data, ask, and buy it; return whether it was bought."""
    plan: CallResult = yield Call("get_details_by_id", {"id": line["plan_id"]})
    price = wanted * plan.value["data_refueling_price_per_gb"]
    agreed: bool = yield Confirm(
        f"I would add {number_spoken(wanted)} GB to your line for {dollars(price)} in total, on your next bill."
    )
    if not agreed:
        yield Tell("<All right, I haven't bought anything.|No problem, your line stays as it is.>")
        return False
    yield Call("refuel_data", {**on_line, "gb_amount": wanted})
    yield Tell(f"I have added {number_spoken(wanted)} GB to your line for {dollars(price)}.")
    return True


def _saver() -> Walk:
    shown = yield from on_phone("see_saver")
    return (yield from _step_if(is_on(shown, "data saver"), "saver_off"))


def _mode() -> Walk:
    shown = yield from on_phone("see_mode")
    return (yield from _step_if("4g_5g_preferred" not in shown, "full_mode"))


def _vpn() -> Walk:
    shown = yield from on_phone("see_vpn")
    return (yield from _step_if("vpn: connected" in shown, "vpn_off"))


def _wifi_calling() -> Walk:
    shown = yield from on_phone("see_wifi_calling")
    return (yield from _step_if(is_on(shown, "wi-fi calling"), "wifi_calling_off"))


def _permissions() -> Walk:
    shown = yield from on_phone("see_permissions")
    changed = yield from _step_if("sms" not in shown, "grant_sms")
    return (yield from _step_if("storage" not in shown, "grant_storage")) or changed


def _picture_server() -> Walk:
    shown = yield from on_phone("see_apn")
    if "not set" not in shown:
        return False
    yield from on_phone("reset_apn")
    return (yield from _step_if(True, "restart"))


def _step_if(needed: bool, step: str) -> Walk:
    if needed:
        yield from on_phone(step)
    return needed
