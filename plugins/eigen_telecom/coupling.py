"""The carrier's side as the phone feels it: pure functions of one world, so the two sides cannot drift apart.

A phone whose number is no line of ours is left alone: its line counts as active, without roaming and within its data.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from eigen_cli.api.record import Record
from eigen_cli.api.world import TableView
from eigen_telecom.handset import PHONE, SURROUNDINGS, Phone, Surroundings
from eigen_telecom.records import Bill, Customer, Line, Plan

R = TypeVar("R", bound=Record)


class Readable(Protocol):
    """What both a finished world and a running call offer."""

    def table(self, record: type[R]) -> TableView[R]:
        """Return the table that holds a record type."""


def phone_in(world: Readable) -> Phone:
    """Return the customer's phone."""
    return world.table(Phone).get(PHONE) or Phone()


def surroundings_in(world: Readable) -> Surroundings:
    """Return where the phone is."""
    return world.table(Surroundings).get(SURROUNDINGS) or Surroundings()


def line_of_phone(world: Readable) -> Line | None:
    """Return the line of the phone's number."""
    number = surroundings_in(world).phone_number
    return None if number is None else next(iter(world.table(Line).find(phone_number=number)), None)


def line_active(world: Readable) -> bool:
    """Whether the carrier lets the phone into its network."""
    line = line_of_phone(world)
    return line is None or line.status == "Active"


def roaming_allowed(world: Readable) -> bool:
    """Whether the carrier lets the phone use data abroad."""
    line = line_of_phone(world)
    return line is not None and line.roaming_enabled


def data_used_up(world: Readable) -> bool:
    """Whether the line has used all of its data, bought data included."""
    line = line_of_phone(world)
    if line is None:
        return False
    plan = world.table(Plan).get(line.plan_id)
    return plan is not None and line.data_used_gb >= plan.data_limit_gb + line.data_refueling_gb


def customer_with_number(world: Readable, number: str) -> Customer | None:
    """Return the customer whose contact number or line it is; of several, the first in the table."""
    owners = {line.customer_id for line in world.table(Line).find(phone_number=number)}
    customers = world.table(Customer)
    found = customers.find(phone_number=number)
    found += [owner for key in owners if (owner := customers.get(key)) is not None and owner not in found]
    if len(found) < 2:
        return found[0] if found else None
    order = {key: place for place, key in enumerate(customers.keys())}
    return min(found, key=lambda customer: order[customer.customer_id])


def bills_of(world: Readable, customer: Customer) -> list[Bill]:
    """Return a customer's bills, in the order of the profile."""
    table = world.table(Bill)
    return [bill for key in customer.bill_ids if (bill := table.get(key)) is not None]


def payment_request(world: Readable) -> Bill | None:
    """Return the bill that the phone shows a payment request for."""
    number = surroundings_in(world).phone_number
    customer = None if number is None else customer_with_number(world, number)
    if customer is None:
        return None
    return next((bill for bill in bills_of(world, customer) if bill.status == "Awaiting Payment"), None)
