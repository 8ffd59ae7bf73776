"""Requests about a line: suspending and resuming, roaming, data, and what is refused or passed on."""

from __future__ import annotations

from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Handover, Refuse, Tell
from eigen_telecom import wording
from eigen_telecom.playbook_common import Json, Procedure, identified, line_of_caller, number_spoken, on_phone
from eigen_telecom.playbook_repairs import lifted, refuel
from eigen_telecom.rules import HOLDING_FEE, MOST_REFUEL_GB


def suspend_line() -> Procedure:
    """Ask why, name the fee, suspend."""
    found = yield from line_of_caller()
    if found is None:
        return
    customer, line = found
    reason: str | None = yield Ask("reason")
    agreed: bool = yield Confirm(
        f"I would suspend line {line['phone_number']}. It has no service then, for 6 months at most, and costs a "
        f"holding fee of ${HOLDING_FEE} a month."
    )
    if not agreed:
        yield Tell("All right, your line stays as it is.")
        return
    yield Call("suspend_line", {**_on_line(customer, line), "reason": (reason or "on request").strip(" .")})
    yield Tell(f"Done, line {line['phone_number']} is suspended; the holding fee is ${HOLDING_FEE} a month.")


def resume_line() -> Procedure:
    """Lift a suspension where section 4 allows it, and have the phone restarted."""
    found = yield from line_of_caller()
    if found is None:
        return
    customer, line = found
    if line["status"] != "Suspended":
        yield Tell("Your line is active, so there is nothing to lift.")
        return
    if (yield from lifted(customer, line)):
        yield from on_phone("restart")
        yield from on_phone("see_bar")
        yield Tell("Done, your line is back.")


def roaming_on() -> Procedure:
    """Allow roaming for a trip (clause 6.1)."""
    found = yield from line_of_caller()
    if found is None:
        return
    yield Call("enable_roaming", _on_line(*found))
    yield Tell(
        "Done, your line may roam now, at no cost. Abroad, the roaming switch of your phone has to be on as well."
    )


def roaming_off() -> Procedure:
    """Forbid roaming, unless the customer is abroad (clause 6.2). A careless agent does not ask."""
    found = yield from line_of_caller()
    if found is None:
        return
    customer, line = found
    place: str | None = yield Ask("location")
    if "abroad" in (place or "").lower():
        yield Refuse(
            "I'm sorry, I can't forbid your line roaming while you are abroad with it: you would be cut off.", "6.2"
        )
    agreed: bool = yield Confirm(f"I would forbid line {line['phone_number']} roaming, so it has no data abroad.")
    if not agreed:
        yield Tell("All right, your line stays as it is.")
        return
    yield Call("disable_roaming", _on_line(customer, line))
    yield Tell("Done, roaming is off for your line.")


def buy_data() -> Procedure:
    """Ask how much, hold it against the limit (clause 5.1), price it, buy it."""
    found = yield from line_of_caller()
    if found is None:
        return
    customer, line = found
    text: str | None = yield Ask("refuel_gb")
    wanted = wording.gigabytes(text or "") or 1.0
    left = MOST_REFUEL_GB - line["data_refueling_gb"]
    if wanted > left:
        yield Refuse(
            f"I'm sorry, at most {number_spoken(MOST_REFUEL_GB)} GB can be bought for a line in one cycle, so I can't "
            f"add {number_spoken(wanted)}.",
            "5.1",
        )
    yield from refuel(_on_line(customer, line), line, wanted)


def data_left() -> Procedure:
    """Tell how much data is left."""
    found = yield from line_of_caller()
    if found is None:
        return
    usage: CallResult = yield Call("get_data_usage", _on_line(*found))
    value: Json = usage.value
    left = value["data_limit_gb"] + value["data_refueling_gb"] - value["data_used_gb"]
    yield Tell(f"You have {round(left, 1):g} GB left, until {value['cycle_end_date']}.")


def other_line() -> Procedure:
    """Refuse to touch a line of somebody else's (clause 2.2)."""
    found = yield from identified()
    if found is None:
        return
    customer, _ = found
    number: str | None = yield Ask("other_number", "Which phone number is it about?")
    yield Refuse(
        f"I'm sorry, the number {number or 'you mean'} is not on your account, {customer['full_name']}, and I can only "
        "change lines of your own.",
        "2.2",
    )


def out_of_scope() -> Procedure:
    """No tool does this: pass the caller on with a summary (clauses 7.1 and 10.1)."""
    if (yield from identified()) is None:
        return
    topic: str | None = yield Ask(
        "topic",
        "<That is something a colleague of mine has to look into.|A colleague of mine takes care of that.> How would "
        "you put it in a few words, so that I can pass it on?",
    )
    yield Handover(f"The customer needs help that no tool here gives: {(topic or 'see the conversation').strip(' .')}.")


def _on_line(customer: Json, line: Json) -> Json:
    return {"customer_id": customer["customer_id"], "line_id": line["line_id"]}
