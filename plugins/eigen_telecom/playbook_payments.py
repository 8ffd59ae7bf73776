"""Payments: finding what is overdue, asking for it, and seeing that it is paid (section 3)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from eigen_cli.api.playbook import Call, CallResult, Confirm, Refuse, Step, Tell
from eigen_telecom.playbook_common import Json, Procedure, dollars, identified, on_phone


def unpaid_bills(customer: Json) -> Generator[Step, Any, list[Json]]:
    """Return the customer's overdue bills."""
    result: CallResult = yield Call("get_bills_for_customer", {"customer_id": customer["customer_id"]})
    return [bill for bill in result.value if bill["status"] == "Overdue"] if not result.error else []


def pay(customer: Json, bill: Json) -> Generator[Step, Any, bool]:
    """Ask for a payment and see it through; return whether the bill is paid."""
    agreed: bool = yield Confirm(
        f"Bill {bill['bill_id']} over {dollars(bill['total_due'])} is overdue. I would send a payment request for it "
        "to your phone, where you can pay it."
    )
    if not agreed:
        yield Tell("<All right, I haven't sent anything.|No problem, I'll leave the bill as it is.>")
        return False
    yield Call("send_payment_request", {"customer_id": customer["customer_id"], "bill_id": bill["bill_id"]})
    yield from on_phone("see_request")
    yield from on_phone("pay")
    seen: CallResult = yield Call("get_details_by_id", {"id": bill["bill_id"]})
    if seen.error or seen.value["status"] != "Paid":
        yield Refuse("I'm sorry, the bill is still not paid, so I can't go on.", "3.3")
        return False
    yield Tell(f"Thank you, bill {bill['bill_id']} is paid.")
    return True


def pay_bill() -> Procedure:
    """Take the payment of every overdue bill."""
    found = yield from identified()
    if found is None:
        return
    bills = yield from unpaid_bills(found[0])
    if not bills:
        yield from _nothing_due()
    for bill in bills:
        yield from pay(found[0], bill)


def pay_early() -> Procedure:
    """Read, then refuse: only overdue bills are paid this way (clause 3.1). A careless agent sends a request."""
    found = yield from identified()
    if found is None:
        return
    customer = found[0]
    result: CallResult = yield Call("get_bills_for_customer", {"customer_id": customer["customer_id"]})
    yield from _nothing_due()
    bill = next((bill for bill in result.value if bill["status"] == "Issued"), None)
    if bill is None:
        return
    agreed: bool = yield Confirm(f"I would send a payment request for bill {bill['bill_id']} to your phone.")
    if agreed:
        yield Call("send_payment_request", {"customer_id": customer["customer_id"], "bill_id": bill["bill_id"]})
        yield Tell("The payment request is on your phone now.")


def bill_total() -> Procedure:
    """Tell what the newest bill comes to."""
    found = yield from identified()
    if found is None:
        return
    result: CallResult = yield Call("get_bills_for_customer", {"customer_id": found[0]["customer_id"]})
    bills = [bill for bill in result.value if bill["status"] != "Draft"]
    if bills:
        yield Tell(f"Your newest bill is {bills[0]['bill_id']}: {dollars(bills[0]['total_due'])} in total.")


def _nothing_due() -> Procedure:
    yield Refuse(
        "I'm sorry, I can take payments of overdue bills only, and none of your bills is overdue. The newest one is "
        "paid as usual when it is due.",
        "3.1",
    )
