"""What every template is made of: a builder over a scene, and the drawing of real records."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeVar

from eigen_cli.api.domain import Draft
from eigen_cli.api.record import Money
from eigen_cli.api.tasks import Action, CheckCall, Communicate, Fact, Goal
from eigen_cli.api.world import WorldView
from eigen_retail.people import by_name_zip
from eigen_retail.policy import FIND_TOOLS, ORDER_WRITES, WRITE_TOOLS
from eigen_retail.records import CreditCard, GiftCard, Order, Paypal, Product, User
from eigen_retail.wording import say_name_zip

T = TypeVar("T")
Held = tuple[User, Order]
Fits = Callable[[User, Order], bool]

_USERS_TRIED = 120
"""How many customers a scene looks at before it gives up; keeps a draft under a millisecond or two."""
_DRAWS = 4


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

    def users(self) -> Iterator[User]:
        """Yield customers from a random place of the table on; neighbours have nothing in common."""
        table = self.world.table(User)
        start = int(self.rng.random() * len(table))
        for key in islice(chain(islice(table.keys(), start, None), table.keys()), _USERS_TRIED):
            user = table.get(key)
            assert user is not None
            yield user

    def user(self, fits: Callable[[User], bool] = lambda _: True) -> User | None:
        """Return a customer that fits."""
        return next((user for user in self.users() if fits(user)), None)

    def orders(self, user: User) -> list[Order]:
        """Return a customer's orders, in the order of the profile."""
        table = self.world.table(Order)
        return [found for key in user.orders if (found := table.get(key)) is not None]

    def held(self, fits: Fits) -> Held | None:
        """Return an order that fits, with its customer."""
        for user in self.users():
            for order in self.shuffled(self.orders(user)):
                if fits(user, order):
                    return user, order
        return None

    def product(self, product_id: str) -> Product:
        """Return a product."""
        product = self.world.table(Product).get(product_id)
        assert product is not None
        return product


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
    *, tools: tuple[str, ...] = (), clauses: tuple[str, ...], difficulty: int, family: str = ""
) -> Callable[[Build], Template]:
    """Make a template of a builder; its name is the builder's, its family too unless one is named.

    `tools` are those beside the look-up of the customer; clause 2.1 is every template's.
    """

    def made(build: Build) -> Template:
        name = build.__name__
        used = (*FIND_TOOLS, "get_user_details", *tools)
        return Template(name, family or name, used, tuple(sorted({*clauses, "2.1"})), difficulty, build)

    return made


# Who calls


@dataclass(frozen=True)
class Caller:
    """A customer and how they prove who they are."""

    user: User
    known: tuple[Fact, ...]
    look_up: Action
    unknown: tuple[str, ...] = ()


def by_name(user: User) -> Action:
    """Return the look-up by name and zip code."""
    name = user.name
    return call("find_user_id_by_name_zip", first_name=name.first_name, last_name=name.last_name, zip=user.address.zip)


def found_by_name(scene: Scene, user: User) -> bool:
    """Whether name and zip code find this customer and not a namesake next door."""
    name = user.name
    return by_name_zip(scene.world, name.first_name, name.last_name, zip=user.address.zip) == user


def name_zip_fact(scene: Scene, user: User, *, name: str = "identity") -> Fact:
    """Return name and zip code, as customers say them."""
    who, code = f"{user.name.first_name} {user.name.last_name}", user.address.zip
    words = ("I'm {who}, zip code {code}.", "My name is {who} and my zip code is {code}.", "{who}, zip {code}.")
    value = say_name_zip(user.name.first_name, user.name.last_name, code)
    return Fact(name, value, scene.pick(words).format(who=who, code=code))


def caller_of(scene: Scene, user: User) -> Caller:
    """Return a customer as they introduce themselves: by e-mail address, or by name and zip code."""
    full_name = Fact("full_name", f"{user.name.first_name} {user.name.last_name}")
    user_id = (Fact("user_id", user.user_id),) if scene.chance(0.25) else ()
    if scene.chance(0.6) or not found_by_name(scene, user):
        look_up = call("find_user_id_by_email", email=user.email)
        return Caller(user, (Fact("identity", user.email), full_name, *user_id), look_up)
    return Caller(user, (name_zip_fact(scene, user), full_name, *user_id), by_name(user))


# Drafts


def drafted(
    scene: Scene,
    caller: User | Caller,
    *goals: Goal,
    gold: Sequence[Action],
    communicate: Sequence[Communicate] = (),
    checks: Sequence[CheckCall] = (),
    unknown: tuple[str, ...] = (),
    instructions: str = "",
    breach: Sequence[Action] = (),
) -> Draft:
    """Return a draft whose gold looks the customer up first.

    `breach` follows the look-up too. Where it is empty, a careless author of a writing gold forgets to look the
    customer up (clause 2.1) or to look at the order (3.1).
    """
    caller = caller_of(scene, caller) if isinstance(caller, User) else caller
    known = (caller.look_up, call("get_user_details", user_id=caller.user.user_id))
    careless = (*known, *breach) if breach else _careless(scene, (*known, *gold))
    return Draft(
        goals=goals,
        known=caller.known,
        gold=(*known, *gold),
        clauses=(),
        unknown=caller.unknown + unknown,
        communicate=tuple(communicate),
        checks=(CheckCall("identified", {"user_id": caller.user.user_id}), *checks),
        instructions=instructions,
        breach=careless,
    )


def _careless(scene: Scene, gold: Sequence[Action]) -> tuple[Action, ...]:
    names = {action.name for action in gold}
    if not names & set(WRITE_TOOLS):
        return ()
    blind = names & set(ORDER_WRITES) and scene.chance(0.5)
    left_out = {"get_order_details"} if blind else set(FIND_TOOLS)
    return tuple(action for action in gold if action.name not in left_out)


def call(name: str, **arguments: Any) -> Action:
    """Return an agent's gold action."""
    return Action(name, arguments)


def read_order(order: Order) -> Action:
    """Return the reading of an order."""
    return call("get_order_details", order_id=order.order_id)


def read_product(product_id: str) -> Action:
    """Return the reading of a product."""
    return call("get_product_details", product_id=product_id)


def looked_up(order: Order) -> CheckCall:
    """Return the check that an order was read before anything was written."""
    return CheckCall("read_made", {"tool": "get_order_details", "arguments": {"order_id": order.order_id}})


NOT_TRANSFERRED = CheckCall("not_transferred")


def refused(*orders: Order) -> tuple[CheckCall, ...]:
    """Return the checks of a refusal: the facts were looked up, nothing was written, nobody was transferred."""
    return (*(looked_up(order) for order in orders), CheckCall("no_writes"), NOT_TRANSFERRED)


def amount(value: Money, label: str) -> Communicate:
    """Return an amount the agent must tell, whatever its sign."""
    return Communicate("number", f"{abs(value):f}", label)


def named(value: str, label: str) -> Communicate:
    """Return a name or phrase the agent must tell."""
    return Communicate("name", value, label)


# Paying


def stored(user: User, *kinds: type[CreditCard] | type[Paypal] | type[GiftCard]) -> list[str]:
    """Return a customer's payment ids of some kinds."""
    return [key for key, method in user.payment_methods.items() if isinstance(method, kinds)]


def gift_balance(user: User) -> Money | None:
    """Return what is left on the customer's gift card, or None where there is none."""
    cards = [method for method in user.payment_methods.values() if isinstance(method, GiftCard)]
    return cards[0].balance if cards else None


def payers(user: User, cost: Money) -> list[str]:
    """Return the stored methods that can pay (or be paid back) an amount."""
    balance = gift_balance(user)
    return [
        key
        for key in user.payment_methods
        if not isinstance(user.payment_methods[key], GiftCard) or (balance is not None and balance >= cost)
    ]
