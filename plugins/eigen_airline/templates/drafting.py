"""What every template is made of: a builder over a scene, and the drawing of real records."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeVar

from eigen_airline.records import Certificate, CreditCard, Flight, GiftCard, Reservation, User
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action, CheckCall, Communicate, Fact, Goal
from eigen_cli.api.world import WorldView

T = TypeVar("T")
Held = tuple[User, Reservation]
Fits = Callable[[User, Reservation], bool]

_USERS_TRIED = 80
"""How many customers a scene looks at before it gives up; keeps a draft under a millisecond."""


def anyone(_: User) -> bool:
    """Fit every customer."""
    return True


class Scene:
    """A world and a generator: everything a template may draw from."""

    def __init__(self, world: WorldView, rng: random.Random) -> None:
        self.world = world
        self.rng = rng

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[int(self.rng.random() * len(options))]

    def chance(self, probability: float) -> bool:
        """Return True with a probability."""
        return self.rng.random() < probability

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order."""
        return self.rng.sample(items, len(items))

    def users(self, *, tries: int = _USERS_TRIED) -> Iterator[User]:
        """Yield customers from a random place of the table on; neighbours have nothing in common."""
        table = self.world.table(User)
        start = int(self.rng.random() * len(table))
        for key in islice(chain(islice(table.keys(), start, None), table.keys()), tries):
            user = table.get(key)
            assert user is not None
            yield user

    def user(self, fits: Callable[[User], bool] = anyone) -> User | None:
        """Return a customer that fits."""
        return next((user for user in self.users() if fits(user)), None)

    def reservations(self, user: User) -> list[Reservation]:
        """Return a customer's reservations, in the order of the profile."""
        table = self.world.table(Reservation)
        return [found for key in user.reservations if (found := table.get(key)) is not None]

    def held(self, fits: Fits) -> Held | None:
        """Return a reservation that fits, with its holder."""
        for user in self.users():
            for reservation in self.shuffled(self.reservations(user)):
                if fits(user, reservation):
                    return user, reservation
        return None

    def flight(self) -> Flight:
        """Return a flight number's route and times."""
        table = self.world.table(Flight)
        key = next(islice(table.keys(), int(self.rng.random() * len(table)), None))
        flight = table.get(key)
        assert flight is not None
        return flight

    def payer(self, user: User, amount: int) -> str | None:
        """Return a stored card or gift card that can pay (or be paid back) an amount."""
        return self.pick(payers(user, amount) or [None])


_DRAWS = 4
Build = Callable[[Scene], Draft | None]


@dataclass(frozen=True)
class Template:
    """A scenario family; `build` draws the records, the clauses are the template's."""

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
                return dataclasses.replace(draft, clauses=self.clauses)
        return None


def template(
    *, tools: tuple[str, ...], clauses: tuple[str, ...], difficulty: int, family: str = ""
) -> Callable[[Build], Template]:
    """Make a template of a builder; its name is the builder's, its family too unless one is named."""

    def made(build: Build) -> Template:
        name = build.__name__
        return Template(name, family or name, tools, clauses, difficulty, build)

    return made


def payers(user: User, amount: int) -> list[str]:
    """Return the stored credit cards, and the gift cards that hold an amount."""
    methods = user.payment_methods.items()
    return [
        key
        for key, method in methods
        if isinstance(method, CreditCard) or (isinstance(method, GiftCard) and method.amount >= amount)
    ]


def stored(user: User, kind: type[CreditCard] | type[GiftCard] | type[Certificate]) -> list[Any]:
    """Return a customer's payment methods of one kind."""
    return [method for method in user.payment_methods.values() if isinstance(method, kind)]


def drafted(
    user: User,
    *goals: Goal,
    gold: Sequence[Action],
    communicate: Sequence[Communicate] = (),
    checks: Sequence[CheckCall] = (),
    unknown: tuple[str, ...] = (),
    instructions: str = "",
    breach: Sequence[Action] = (),
) -> Draft:
    """Return a draft for a customer who knows their user id and name."""
    known = (
        Fact("user_id", user.user_id),
        Fact("full_name", f"{user.name.first_name} {user.name.last_name}"),
    )
    return Draft(
        goals=goals,
        known=known,
        gold=tuple(gold),
        clauses=(),
        unknown=unknown,
        communicate=tuple(communicate),
        checks=tuple(checks),
        instructions=instructions,
        breach=tuple(breach),
    )


def call(name: str, **arguments: Any) -> Action:
    """Return an agent's gold action."""
    return Action(name, arguments)


def read_user(user: User) -> Action:
    """Return the reading of a profile."""
    return call("get_user_details", user_id=user.user_id)


def read_reservation(reservation: Reservation) -> Action:
    """Return the reading of a reservation."""
    return call("get_reservation_details", reservation_id=reservation.reservation_id)


def looked_up(reservation: Reservation) -> CheckCall:
    """Return the check that a reservation was read before anything was written."""
    return CheckCall(
        "read_made",
        {"tool": "get_reservation_details", "arguments": {"reservation_id": reservation.reservation_id}},
    )


def looked_up_user(user: User) -> CheckCall:
    """Return the check that a profile was read before anything was written."""
    return CheckCall("read_made", {"tool": "get_user_details", "arguments": {"user_id": user.user_id}})


def refused(*reservations: Reservation) -> tuple[CheckCall, ...]:
    """Return the checks of a refusal: the facts were looked up, nothing was written, nobody was transferred."""
    return (*(looked_up(reservation) for reservation in reservations), CheckCall("no_writes"), NOT_TRANSFERRED)


NOT_TRANSFERRED = CheckCall("not_transferred")


def amount(value: int, label: str) -> Communicate:
    """Return an amount the agent must tell."""
    return Communicate("number", str(abs(value)), label)


def named(value: str, label: str) -> Communicate:
    """Return a name or phrase the agent must tell."""
    return Communicate("name", value, label)
