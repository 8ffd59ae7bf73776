"""Generated worlds, and a desk at which both sides of a call can be worked on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace as with_fields

from eigen_cli.api.messages import Requestor
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World
from eigen_telecom import coupling
from eigen_telecom.domain import Telecom
from eigen_telecom.handset import Phone, Surroundings
from eigen_telecom.network import searched
from eigen_telecom.records import Bill, Customer, Line, Plan

_TELECOM = Telecom()
_TOOLBOX = Toolbox(_TELECOM)
_GENERATED: dict[int, World] = {}


def _world(seed: int) -> World:
    if seed not in _GENERATED:
        _GENERATED[seed] = World(build_base(_TELECOM, WorldRef(seed, 0), freeze=False))
    return _GENERATED[seed]


@dataclass
class Desk:
    """A world being worked on: agent and customer call their tools, tests set records."""

    world: World
    toolbox: Toolbox

    def call(self, name: str, **arguments: Any) -> Any:
        """Run an agent's call that must succeed and return its parsed result."""
        content = self._run("agent", name, arguments)
        try:
            return msgspec.json.decode(content)
        except msgspec.DecodeError:
            return content

    def phone(self, name: str, **arguments: Any) -> str:
        """Run a customer's call that must succeed and return what the phone shows."""
        return self._run("user", name, arguments)

    def refused(self, name: str, *, requestor: Requestor = "agent", **arguments: Any) -> str:
        """Run a call that must be refused, and change nothing; return its text."""
        outcome = self.toolbox.call(self.world, name, arguments, requestor=requestor)
        assert outcome.error and outcome.defect is None, outcome
        assert outcome.world is self.world
        return outcome.content

    def put(self, *records: Record) -> None:
        """Put records into the world."""
        transaction = self.world.begin()
        for record in records:
            transaction.table(type(record)).put(record)
        self.world = transaction.commit()[0]

    def set_phone(self, **fields: Any) -> None:
        """Set fields of the phone, which then looks for its network."""
        phone = with_fields(coupling.phone_in(self.world), **fields)
        active = coupling.line_active(self.world)
        self.put(searched(phone, coupling.surroundings_in(self.world), line_active=active))

    def set_line(self, **fields: Any) -> None:
        """Set fields of the phone's line; the phone notices nothing until it looks for its network."""
        self.put(with_fields(self.line, **fields))

    def set_place(self, **fields: Any) -> None:
        """Set fields of where the phone is."""
        self.put(with_fields(coupling.surroundings_in(self.world), **fields))

    @property
    def state(self) -> Phone:
        """The phone as it is."""
        return coupling.phone_in(self.world)

    @property
    def line(self) -> Line:
        """The phone's line."""
        line = coupling.line_of_phone(self.world)
        assert line is not None
        return line

    @property
    def plan(self) -> Plan:
        """The line's plan."""
        plan = self.world.table(Plan).get(self.line.plan_id)
        assert plan is not None
        return plan

    @property
    def customer(self) -> Customer:
        """The line's customer."""
        customer = self.world.table(Customer).get(self.line.customer_id)
        assert customer is not None
        return customer

    def bill(self, bill_id: str) -> Bill:
        """Return a bill."""
        bill = self.world.table(Bill).get(bill_id)
        assert bill is not None
        return bill

    def own(self, **more: Any) -> dict[str, Any]:
        """Return the arguments that name the caller's line."""
        return {"customer_id": self.customer.customer_id, "line_id": self.line.line_id, **more}

    def copy(self) -> Desk:
        """Return a desk of its own over the same world."""
        return replace(self)

    def _run(self, requestor: Requestor, name: str, arguments: dict[str, Any]) -> str:
        outcome = self.toolbox.call(self.world, name, arguments, requestor=requestor)
        assert not outcome.error, outcome.content
        self.world = outcome.world
        return outcome.content


@pytest.fixture
def telecom() -> Telecom:
    """The domain."""
    return _TELECOM


@pytest.fixture
def toolbox() -> Toolbox:
    """The domain's tools."""
    return _TOOLBOX


@pytest.fixture
def desk() -> Desk:
    """A generated world whose caller has a working phone, an unused refuel, no roaming and no overdue bill."""
    made = Desk(_world(1), _TOOLBOX)
    made.set_line(data_used_gb=1.0, data_refueling_gb=0.0, roaming_enabled=False)
    for bill_id in made.customer.bill_ids:
        made.put(with_fields(made.bill(bill_id), status="Paid"))
    made.set_place(signal_strength=Surroundings().signal_strength)
    made.set_phone()
    return made


@pytest.fixture
def generated() -> Any:
    """Return a generated default world by seed, each built once."""
    return _world
