"""Guards that look at the world: what the records say about a call, whatever was said.

A guard passes where a call names what does not exist; the tool refuses such calls itself.
"""

from __future__ import annotations

from eigen_cli.api.domain import GuardContext
from eigen_telecom.coupling import bills_of, line_of_phone, surroundings_in
from eigen_telecom.records import Bill, Customer, Line
from eigen_telecom.rules import MOST_REFUEL_GB


def line_of(context: GuardContext) -> Line | None:
    """Return the line a call names."""
    return context.world.table(Line).get(str(context.arguments.get("line_id", "")))


def customer_of(context: GuardContext) -> Customer | None:
    """Return the customer a call names."""
    return context.world.table(Customer).get(str(context.arguments.get("customer_id", "")))


def gigabytes_of(context: GuardContext) -> float:
    """Return the amount of data a call buys; 0 where it is no number."""
    try:
        return float(context.arguments.get("gb_amount", 0))
    except (TypeError, ValueError):
        return 0.0


def bill_is_overdue(context: GuardContext) -> str | None:
    """Clause 3.1."""
    bill = context.world.table(Bill).get(str(context.arguments.get("bill_id", "")))
    if bill is None or bill.status == "Overdue":
        return None
    return f"bill {bill.bill_id} is not overdue: {bill.status}"


def nothing_overdue(context: GuardContext) -> str | None:
    """Clause 4.1."""
    customer = customer_of(context)
    unpaid = [
        bill.bill_id
        for bill in (bills_of(context.world, customer) if customer is not None else [])
        if bill.status in ("Overdue", "Awaiting Payment")
    ]
    return f"bill {unpaid[0]} is not paid" if unpaid else None


def contract_runs(context: GuardContext) -> str | None:
    """Clause 4.2, for resuming a line."""
    line = line_of(context)
    return None if line is None else _ended(line, context)


def payment_helps(context: GuardContext) -> str | None:
    """Clause 4.2, for asking for a payment: no line waits for it whose contract has ended."""
    customer = customer_of(context)
    lines = [context.world.table(Line).get(key) for key in (customer.line_ids if customer is not None else ())]
    ended = [_ended(line, context) for line in lines if line is not None and line.status == "Suspended"]
    return next((problem for problem in ended if problem is not None), None)


def contract_allows(context: GuardContext) -> str | None:
    """Clause 4.2, asked of both calls it governs."""
    return contract_runs(context) if context.name == "resume_line" else payment_helps(context)


def refuel_within_limit(context: GuardContext) -> str | None:
    """Clause 5.1."""
    line, wanted = line_of(context), gigabytes_of(context)
    if line is None or line.data_refueling_gb + wanted <= MOST_REFUEL_GB:
        return None
    return f"{line.data_refueling_gb:g} GB bought already and {wanted:g} more, at most {MOST_REFUEL_GB:g} a cycle"


def abroad_or_wished(context: GuardContext) -> str | None:
    """Clause 6.2: a customer who is abroad and calls with that line would be cut off."""
    line = line_of(context)
    if line is None or not surroundings_in(context.world).is_abroad or line_of_phone(context.world) != line:
        return None
    return f"the customer is abroad with line {line.line_id}"


def _ended(line: Line, context: GuardContext) -> str | None:
    if line.contract_end_date is None or line.contract_end_date >= context.world.now.date():
        return None
    return f"the contract of line {line.line_id} ended on {line.contract_end_date}"
