"""Cases and troubles: sub-problems that can be put together, and the caller they are put on.

A trouble changes the initial world and knows the calls that undo it. A case is a customer with a working phone.
Troubles are injected one after the other, then the phone looks for its network once; those of one group exclude each
other. Groups and effects are those of tau2-bench's telecom tasks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from eigen_cli.api.record import to_json
from eigen_cli.api.tasks import Action, CheckCall, RecordPatch
from eigen_telecom.handset import PHONE, SURROUNDINGS, Phone, Surroundings
from eigen_telecom.network import searched
from eigen_telecom.records import Bill, Customer, Line, Plan
from eigen_telecom.rules import MOST_REFUEL_GB


@dataclass(frozen=True)
class Case:
    """A caller: the customer, the line of the phone, and the phone where it is. `bills` come on top of the world's."""

    customer: Customer
    line: Line
    plan: Plan
    phone: Phone
    surroundings: Surroundings
    bills: tuple[Bill, ...] = ()
    refuel_gb: float = MOST_REFUEL_GB
    """What the caller is ready to buy."""

    def settled(self) -> Case:
        """Return the case after the phone has looked for its network."""
        phone = searched(self.phone, self.surroundings, line_active=self.line.status == "Active")
        return dataclasses.replace(self, phone=phone)

    def patches(self) -> tuple[RecordPatch, ...]:
        """Return the records as a task's initial patch."""
        return (
            RecordPatch("customers", self.customer.customer_id, to_json(self.customer)),
            RecordPatch("lines", self.line.line_id, to_json(self.line)),
            *(RecordPatch("bills", bill.bill_id, to_json(bill)) for bill in self.bills),
            RecordPatch("surroundings", SURROUNDINGS, to_json(self.surroundings)),
            RecordPatch("phones", PHONE, to_json(self.phone)),
        )


Inject = Callable[[Case], Case]
Fix = Callable[[Case], tuple[Action, ...]]


def no_checks(_case: Case) -> tuple[CheckCall, ...]:
    """Return no check of a trouble's own."""
    return ()


@dataclass(frozen=True)
class Trouble:
    """One sub-problem. `group` excludes others of its group; `restart` says that a restart of the phone completes it.

    `fix` is empty where nobody on the line can help; `signs` are then the calls of which one shows it (the customer's
    or the agent's), and the customer is transferred. `carrier` says that the agent's tools are part of the cure.
    """

    name: str
    group: str
    inject: Inject
    fix: Fix
    clauses: tuple[str, ...]
    restart: bool = False
    solvable: bool = True
    carrier: bool = False
    signs: tuple[Action, ...] = ()
    checks: Callable[[Case], tuple[CheckCall, ...]] = no_checks


def user(name: str, **arguments: object) -> Action:
    """Return a call of the customer's."""
    return Action(name, dict(arguments), "user")


def agent(name: str, **arguments: object) -> Action:
    """Return a call of the agent's."""
    return Action(name, dict(arguments))


def on_line(case: Case, name: str, **arguments: object) -> Action:
    """Return a call of the agent's on the caller's line."""
    return agent(name, customer_id=case.customer.customer_id, line_id=case.line.line_id, **arguments)


def phone_with(**changes: object) -> Inject:
    """Return the injection that sets fields of the phone."""
    return lambda case: dataclasses.replace(case, phone=replace(case.phone, **changes))


def switched(*names: str) -> Fix:
    """Return the cure of using switches of the phone."""
    calls = tuple(user(name) for name in names)
    return lambda _: calls


def unsolved(_case: Case) -> tuple[Action, ...]:
    """Return no cure."""
    return ()
