"""The policy: numbered clauses in our words, each with its guard where code can decide it.

The customer holds the phone and the agent does not: every clause says who does what, and never names a call that the
reader of the clause cannot make.
"""

from __future__ import annotations

from eigen_cli.api.domain import Clause, Guard
from eigen_telecom import dialogue_guards, guards
from eigen_telecom.policy_guide import GUIDE

LINE_TOOLS = ("suspend_line", "resume_line", "enable_roaming", "disable_roaming", "refuel_data")
WRITE_TOOLS = (*LINE_TOOLS, "send_payment_request")
ACCOUNT_TOOLS = (*WRITE_TOOLS, "get_details_by_id", "get_bills_for_customer", "get_data_usage")


def _clause(number: str, title: str, text: str, *, tools: tuple[str, ...] = (), guard: Guard | None = None) -> Clause:
    return Clause(id=number, title=title, text=text, tools=tools, guard=guard)


_CONDUCT = (
    _clause(
        "1.1",
        "Confirmation",
        "Before you ask for a payment, buy data, suspend a line or forbid it roaming, say exactly what you will do and "
        "what it costs, and wait for a clear yes. What helps and costs nothing needs no yes.",
        tools=("send_payment_request", "refuel_data", "suspend_line", "disable_roaming"),
        guard=dialogue_guards.confirmed,
    ),
    _clause(
        "1.2",
        "One call at a time",
        "Make one tool call, read its result, then go on. Never put two calls into one turn.",
        guard=dialogue_guards.one_call_a_turn,
    ),
    _clause(
        "1.3",
        "Facts only",
        "Say only what the customer, your tools or these clauses give you. No guesses, opinions or recommendations.",
    ),
    _clause(
        "1.4",
        "Plain refusals",
        "Turn down what these clauses forbid, and say which rule is in the way. A refusal is no reason to transfer.",
    ),
    _clause(
        "1.5",
        "Who does what",
        "Records of the carrier (customers, lines, bills, plans) are yours: look them up and change them yourself, and "
        "never ask the customer to. The phone is the customer's: only they can look at its screens, use its switches, "
        "restart it, move its SIM card and pay on it. You have no tool for any of that. Tell them in plain words what "
        "to look at or do, one step at a time, and go by what they report.",
    ),
)

_IDENTITY = (
    _clause(
        "2.1",
        "Know the customer first",
        "Before an account is opened or changed, the customer must have given their phone number, their customer id, "
        "or their full name together with their date of birth.",
        tools=ACCOUNT_TOOLS,
        guard=dialogue_guards.customer_identified,
    ),
    _clause(
        "2.2",
        "Own account only",
        "Read and change only the account of the customer on the line.",
        tools=ACCOUNT_TOOLS,
        guard=dialogue_guards.own_account,
    ),
    _clause(
        "2.3",
        "The right line",
        "Customers may have several lines. Look them through for the phone number the customer calls about, and work "
        "on that line only.",
        tools=LINE_TOOLS,
        guard=dialogue_guards.line_named,
    ),
)

_PAYMENT = (
    _clause(
        "3.1",
        "Overdue bills",
        "Payment is asked for overdue bills only. Look at the bill's status and amount first; your tool does not check "
        "them.",
        tools=("send_payment_request",),
        guard=guards.bill_is_overdue,
    ),
    _clause(
        "3.2",
        "One request at a time",
        "Only one bill of a customer can await payment. Once the request is sent, ask the customer to open it on their "
        "phone and pay it there; you cannot pay for them.",
    ),
    _clause(
        "3.3",
        "See it paid",
        "Look at the bill again after the customer says they paid, and call it paid only when its status is Paid.",
    ),
)

_LINES = (
    _clause(
        "4.1",
        "Lifting a suspension",
        "A suspended line can be resumed once none of the customer's bills is overdue or awaiting payment.",
        tools=("resume_line",),
        guard=guards.nothing_overdue,
    ),
    _clause(
        "4.2",
        "Ended contracts",
        "A suspended line whose contract end date is past cannot be resumed here, paid or not. Look at that date "
        "before anything else; if it is past, ask for no payment and transfer the customer.",
        tools=("resume_line", "send_payment_request"),
        guard=guards.contract_allows,
    ),
    _clause(
        "4.3",
        "Restart after resuming",
        "After you resume a line its phone stays without service until the customer has restarted it. Ask for that.",
    ),
    _clause(
        "4.4",
        "Suspension on request",
        "Customers may have an active line of theirs suspended, for a lost phone or a long absence: at most 6 months, "
        "for a holding fee of 5 dollars a month.",
    ),
)

_DATA = (
    _clause(
        "5.1",
        "Most data to buy",
        "At most 2 GB can be bought for a line within one billing cycle, all purchases together.",
        tools=("refuel_data",),
        guard=guards.refuel_within_limit,
    ),
    _clause(
        "5.2",
        "Asking and pricing",
        "Ask how much data the customer wants, look up the price per GB in the line's plan, and name the total.",
    ),
)

_ROAMING = (
    _clause(
        "6.1",
        "Roaming abroad",
        "For a customer who is or will be abroad, look whether the line may roam. If it may not, allow it; that costs "
        "nothing. The phone has its own roaming switch besides, which the customer has to turn on.",
    ),
    _clause(
        "6.2",
        "Roaming off",
        "Forbid a line roaming only when the customer asks for it, and never while they are abroad with it.",
        tools=("disable_roaming",),
        guard=guards.abroad_or_wished,
    ),
)

_LIMITS = (
    _clause(
        "7.1",
        "Plans",
        "Plans, contracts, devices and personal details are changed by human colleagues: transfer the customer. You "
        "may read a plan's price and limits out.",
    ),
    _clause(
        "10.1",
        "Transfer",
        "Transfer to a human, with a summary, what no tool here can do: a locked SIM card, an ended contract, data "
        "that is used up when no more can be bought, and what clause 7.1 names. First do what you can.",
    ),
)

CLAUSES: tuple[Clause, ...] = (
    *_CONDUCT,
    *_IDENTITY,
    *_PAYMENT,
    *_LINES,
    *_DATA,
    *_ROAMING,
    *_LIMITS[:1],
    *GUIDE,
    *_LIMITS[1:],
)
