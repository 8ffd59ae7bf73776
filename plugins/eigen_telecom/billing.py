"""Bills: the draft that collects charges until the next cycle, and its dates."""

from __future__ import annotations

import datetime

from msgspec.structs import replace

from eigen_cli.api.record import Money, money
from eigen_cli.api.world import Transaction
from eigen_telecom.coupling import bills_of
from eigen_telecom.records import Bill, Customer, LineItem
from eigen_telecom.rules import BILL_TERM

NEW_BILL_BASE = 9_000_000
"""Bills made by tools are numbered from here; generated ids stay below."""


def month_end(day: datetime.date) -> datetime.date:
    """Return the last day of a month."""
    return next_month(day) - datetime.timedelta(days=1)


def next_month(day: datetime.date) -> datetime.date:
    """Return the first day of the month after."""
    return datetime.date(day.year + day.month // 12, day.month % 12 + 1, 1)


def charge(world: Transaction, customer: Customer, amount: Money, *, description: str) -> Bill:
    """Add a charge (or, negative, a credit) to the customer's draft bill, made for the next month if there is none."""
    today = world.now.date()
    draft = next((bill for bill in bills_of(world, customer) if bill.status == "Draft"), None)
    if draft is None:
        draft = _draft(world, customer, next_month(today))
        world.table(Customer).put(replace(customer, bill_ids=(*customer.bill_ids, draft.bill_id)))
    item = LineItem(description, amount, today, "Credit" if amount < 0 else "Charge")
    bill = replace(draft, line_items=(*draft.line_items, item), total_due=money(draft.total_due + amount))
    world.table(Bill).put(bill)
    return bill


def _draft(world: Transaction, customer: Customer, start: datetime.date) -> Bill:
    bills = world.table(Bill)
    while True:
        bill_id = f"B{NEW_BILL_BASE + world.sequence('bills')}"
        if bill_id not in bills:
            return Bill(bill_id, customer.customer_id, start, month_end(start), start, money(0), start + BILL_TERM)
