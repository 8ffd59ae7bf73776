"""What every template is made of: a builder over a scene, and the drawing of a caller from real records."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeVar

from msgspec.structs import replace

from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action, CheckCall, Communicate, Fact, Goal
from eigen_cli.api.world import WorldView
from eigen_telecom.cases import Case, agent
from eigen_telecom.coupling import bills_of
from eigen_telecom.generator import AROUND
from eigen_telecom.handset import Phone, Surroundings
from eigen_telecom.records import Customer, Device, Line, Plan

T = TypeVar("T")
Fits = Callable[[Customer, Line], bool]

_CUSTOMERS_TRIED = 80
_DRAWS = 4
HANDS = (
    "The phone in your hand is yours alone: look at its screens and use its functions when the agent asks you to, one "
    "step at a time, and report what they show; never make up what a screen says. You cannot change anything on the "
    "carrier's side."
)
"""What every customer is told about tool ownership."""


def anyone(_customer: Customer, _line: Line) -> bool:
    """Fit every customer and line."""
    return True


class Scene:
    """A world and a generator: everything a template may draw from."""

    def __init__(self, world: WorldView, rng: random.Random) -> None:
        self.world = world
        self.rng = rng

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[int(self.rng.random() * len(options))]

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """Return that many different options in random order."""
        return self.rng.sample(options, min(count, len(options)))

    def customers(self) -> Iterator[Customer]:
        """Yield customers from a random place of the table on; neighbours have nothing in common."""
        table = self.world.table(Customer)
        start = int(self.rng.random() * len(table))
        for key in islice(chain(islice(table.keys(), start, None), table.keys()), _CUSTOMERS_TRIED):
            customer = table.get(key)
            assert customer is not None
            yield customer

    def case(self, fits: Fits = anyone, *, owing: bool = False) -> Case | None:
        """Return a caller whose phone works, with an active line; `owing` says whether a bill is overdue."""
        for customer in self.customers():
            if any(bill.status == "Overdue" for bill in bills_of(self.world, customer)) != owing:
                continue
            for line in self._phone_lines(customer):
                plan = self.world.table(Plan).get(line.plan_id)
                if plan is not None and line.status == "Active" and fits(customer, line):
                    around = Surroundings(
                        name=customer.full_name, phone_number=line.phone_number, signal_strength=self.pick(AROUND)
                    )
                    phone = Phone(battery_level=20 + int(self.rng.random() * 80))
                    return Case(customer, line, plan, phone, around, refuel_gb=self.pick((1.0, 2.0))).settled()
        return None

    def _phone_lines(self, customer: Customer) -> Iterator[Line]:
        for key in customer.line_ids:
            line = self.world.table(Line).get(key)
            device = None if line is None or line.device_id is None else self.world.table(Device).get(line.device_id)
            if line is not None and device is not None and device.device_type == "phone":
                yield line


Build = Callable[[Scene], Draft | None]


@dataclass(frozen=True)
class Template:
    """A scenario family; `build` draws the records. A draft that names no clauses touches all of the template's."""

    name: str
    family: str
    tools: tuple[str, ...]
    clauses: tuple[str, ...]
    difficulty: int
    build: Build

    def draft(self, world: WorldView, rng: random.Random) -> Draft | None:
        """Return a grounded draft drawn with `rng` alone, or None when a few draws found nothing that fits."""
        scene = Scene(world, rng)
        for _ in range(_DRAWS):
            draft = self.build(scene)
            if draft is not None:
                return draft if draft.clauses else dataclasses.replace(draft, clauses=self.clauses)
        return None


def template(
    *, tools: tuple[str, ...], clauses: tuple[str, ...], difficulty: int, family: str = ""
) -> Callable[[Build], Template]:
    """Make a template of a builder; its name is the builder's, its family too unless one is named."""

    def made(build: Build) -> Template:
        name = getattr(build, "__name__", "")
        return Template(name, family or name, tools, clauses, difficulty, build)

    return made


def drafted(
    case: Case,
    *goals: Goal,
    gold: Sequence[Action],
    checks: Sequence[CheckCall] = (),
    communicate: Sequence[Communicate] = (),
    clauses: tuple[str, ...] = (),
    breach: Sequence[Action] = (),
    instructions: str = "",
) -> Draft:
    """Return a draft for a caller who knows their number and name, with the phone in their hand."""
    customer = case.customer
    return Draft(
        goals=goals,
        known=(
            Fact("phone_number", case.line.phone_number),
            Fact("full_name", customer.full_name),
            Fact("date_of_birth", customer.date_of_birth),
        ),
        gold=tuple(gold),
        clauses=clauses,
        communicate=tuple(communicate),
        checks=tuple(checks),
        patch=case.patches(),
        instructions=f"{instructions} {HANDS}".strip(),
        breach=tuple(breach),
    )


def opened(case: Case) -> tuple[Action, ...]:
    """Return the readings every call begins with: the customer, and the line with that number."""
    return (agent("get_customer_by_phone", phone_number=case.line.phone_number), read(case.line.line_id))


def read(key: str) -> Action:
    """Return the reading of a record."""
    return agent("get_details_by_id", id=key)


def on_account(case: Case, name: str, **arguments: Any) -> Action:
    """Return a call of the agent's on the caller's account."""
    return agent(name, customer_id=case.customer.customer_id, **arguments)


def line_read(case: Case) -> CheckCall:
    """Return the check that the line was read before anything was written."""
    return CheckCall("read_made", {"tool": "get_details_by_id", "arguments": {"id": case.line.line_id}})


def with_line(case: Case, **changes: Any) -> Case:
    """Return the case with another state of the line, and a phone that has noticed."""
    return dataclasses.replace(case, line=replace(case.line, **changes)).settled()


NO_WRITES, NOT_TRANSFERRED, TRANSFERRED = CheckCall("no_writes"), CheckCall("not_transferred"), CheckCall("transferred")
