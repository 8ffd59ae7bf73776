"""The telecom domain, put together."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any, ClassVar

from eigen_cli.api.domain import Domain, TableSpec
from eigen_cli.api.playbook import Playbook
from eigen_cli.api.record import Record
from eigen_telecom.checks import CHECKS
from eigen_telecom.facts import FACT_KINDS
from eigen_telecom.generator import generate
from eigen_telecom.handset import Phone, Surroundings
from eigen_telecom.personas import PERSONAS
from eigen_telecom.phone_tools import PhoneTools
from eigen_telecom.policy import CLAUSES
from eigen_telecom.preamble import PREAMBLE
from eigen_telecom.records import Bill, Customer, Device, Line, Plan
from eigen_telecom.rules import NOW
from eigen_telecom.templates import TEMPLATES
from eigen_telecom.tools import TelecomTools


class Telecom(Domain):
    """The help line of a mobile carrier, with the tools of tau2-bench's telecom on both sides."""

    name: ClassVar[str] = "telecom"
    title: ClassVar[str] = "Merlin Mobile help line"
    version: ClassVar[str] = "1"
    tables = (
        TableSpec("plans", Plan, "plan_id"),
        TableSpec("customers", Customer, "customer_id", indexes=("phone_number", "date_of_birth")),
        TableSpec("lines", Line, "line_id", indexes=("phone_number", "customer_id")),
        TableSpec("bills", Bill, "bill_id", created=True),
        TableSpec("devices", Device, "device_id"),
        TableSpec("surroundings", Surroundings, "id"),
        TableSpec("phones", Phone, "id"),
    )
    agent_tools = TelecomTools
    user_tools = PhoneTools
    clauses = CLAUSES
    fact_kinds = FACT_KINDS
    checks = CHECKS
    templates = TEMPLATES
    personas = PERSONAS
    greeting = "Hello, this is Merlin Mobile. How can I help you?"
    handover_tool = "transfer_to_human_agents"

    def clock(self) -> datetime.datetime:
        """Return the fixed time, Eastern."""
        return NOW

    def generate(self, *, seed: int, size: int) -> Iterable[Record]:
        """Yield the records of a world; see `eigen_telecom.generator`."""
        return generate(seed=seed, size=size)

    def preamble(self) -> str:
        """Return the policy's opening."""
        return PREAMBLE

    def canonical(self, record: Record) -> Any:
        """Return what counts of a record: see `canonical_bill`, `canonical_customer`, `canonical_phone`."""
        if isinstance(record, Phone):
            return canonical_phone(record)
        if isinstance(record, Bill):
            return canonical_bill(record)
        return canonical_customer(record) if isinstance(record, Customer) else record

    def playbook(self) -> Playbook:
        """Return the dialogue procedures of simulated actors."""
        from eigen_telecom.playbook import PLAYBOOK

        return PLAYBOOK


def canonical_phone(phone: Phone) -> Any:
    """Return nothing of a phone but that it is one.

    A phone counts by what it can do, and that is a task's checks: which switches were tried on the way there is no
    part of the outcome.
    """
    return {"phone": phone.id}


def canonical_bill(bill: Bill) -> Any:
    """Return a bill as outcomes are compared: charges by their sum, however they were bought."""
    return {
        "customer": bill.customer_id,
        "period": (bill.period_start, bill.period_end),
        "due": bill.due_date,
        "total": bill.total_due,
        "status": bill.status,
    }


def canonical_customer(customer: Customer) -> Any:
    """Return a customer without bills: each names its customer."""
    return {
        "customer": (customer.customer_id, customer.full_name, customer.date_of_birth, customer.email),
        "reached": (customer.phone_number, customer.address),
        "account": (customer.account_status, customer.created_at, customer.last_extension_date),
        "payment_methods": customer.payment_methods,
        "lines": sorted(customer.line_ids),
        "goodwill": customer.goodwill_credit_used_this_year,
    }
