"""A generated world, and a small one written by hand whose every number a test can state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from eigen_cli.api.messages import RecordChange
from eigen_cli.api.record import FrozenMap, Record, money
from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World
from eigen_retail.domain import Retail
from eigen_retail.records import (
    Address,
    CreditCard,
    Fulfillment,
    GiftCard,
    Name,
    Order,
    OrderItem,
    OrderPayment,
    OrderStatus,
    Paypal,
    Product,
    User,
    Variant,
)

HOME = Address("12 Elm Court", "Unit 4", "Boulder", "USA", "CO", "80333")
CARD, AMEX, PAYPAL = "credit_card_1111111", "credit_card_2222222", "paypal_3333333"
GIFT, POOR_GIFT = "gift_card_4444444", "gift_card_5555555"
_PRICES = {"navy": "94.10", "red": "89.95", "olive": "120"}


def _variant(product: str, item: str, options: dict[str, str], price: str, *, available: bool = True) -> Variant:
    return Variant(f"{product}{item}", FrozenMap(options), available, money(price))


def jacket(color: str, size: str) -> str:
    """Return the item id of a jacket: 10 for the product, then color and size."""
    return f"10000000{list(_PRICES).index(color)}{'ML'.index(size)}"


_JACKETS = Product(
    "Rain Jacket",
    "9000000001",
    FrozenMap(
        {
            jacket(color, size): Variant(
                jacket(color, size),
                FrozenMap({"color": color, "size": size}),
                (color, size) != ("red", "L"),
                money(_PRICES[color]),
            )
            for color in _PRICES
            for size in "ML"
        }
    ),
)
SMALL_POT, BIG_POT = "2000000000", "2000000001"
_POTS = Product(
    "Tea Pot",
    "9000000002",
    FrozenMap(
        {
            SMALL_POT: _variant("200000000", "0", {"capacity": "600 ml"}, "40.20"),
            BIG_POT: _variant("200000000", "1", {"capacity": "900 ml"}, "48.30"),
        }
    ),
)


def bought(product: Product, item_id: str, price: str = "") -> OrderItem:
    """Return an item as an order holds it."""
    item = product.variants[item_id]
    return OrderItem(product.name, product.product_id, item_id, money(price or item.price), item.options)


NAVY_M, RED_M, NAVY_L = (bought(_JACKETS, jacket(*which)) for which in (("navy", "M"), ("red", "M"), ("navy", "L")))
POT = bought(_POTS, SMALL_POT)


def _user(user_id: str, first: str, last: str, *methods: Any, orders: Iterable[str]) -> User:
    return User(
        user_id=user_id,
        name=Name(first, last),
        address=HOME,
        email=f"{first}.{last}@mail.example".lower(),
        payment_methods=FrozenMap({method.id: method for method in methods}),
        orders=tuple(orders),
    )


def _order(order_id: str, user_id: str, status: OrderStatus, *items: OrderItem, paid: str, **more: Any) -> Order:
    total = money(sum((item.price for item in items), money(0)))
    sent = () if status.startswith("pending") else (Fulfillment(("123456789012",), tuple(i.item_id for i in items)),)
    history = (OrderPayment("payment", total, paid),)
    return Order(order_id, user_id, HOME, items, status, sent, more.pop("history", history), **more)


def handmade_records() -> Iterable[Record]:
    """Yield two products, two customers and an order in every state."""
    yield _JACKETS
    yield _POTS
    yield _user(
        "ada_moss_1234",
        "Ada",
        "Moss",
        CreditCard(CARD, "visa", "4242"),
        CreditCard(AMEX, "amex", "7007"),
        Paypal(PAYPAL),
        GiftCard(GIFT, money("150.55")),
        orders=("#W0000001", "#W0000002", "#W0000003", "#W0000004", "#W0000005", "#W0000006", "#W0000007"),
    )
    yield _user(
        "bob_kerr_5678",
        "Bob",
        "Kerr",
        CreditCard("credit_card_7777777", "visa", "1000"),
        GiftCard(POOR_GIFT, money(5)),
        orders=("#W1000001", "#W1000002"),
    )
    yield _order("#W0000001", "ada_moss_1234", "pending", NAVY_M, POT, paid=CARD)
    yield _order("#W0000002", "ada_moss_1234", "delivered", NAVY_M, NAVY_M, POT, paid=PAYPAL)
    yield _order("#W0000003", "ada_moss_1234", "processed", POT, paid=CARD)
    changed = (OrderPayment("payment", money("40.20"), CARD), OrderPayment("payment", money("8.10"), CARD))
    yield _order(
        "#W0000004", "ada_moss_1234", "pending (item modified)", bought(_POTS, BIG_POT), paid=CARD, history=changed
    )
    yield _order("#W0000005", "ada_moss_1234", "pending", RED_M, paid=GIFT)
    yield _order("#W0000006", "ada_moss_1234", "return requested", POT, paid=CARD, return_items=(SMALL_POT,))
    both = (OrderPayment("payment", money("40.20"), CARD), OrderPayment("refund", money("40.20"), CARD))
    yield _order(
        "#W0000007", "ada_moss_1234", "cancelled", POT, paid=CARD, history=both, cancel_reason="no longer needed"
    )
    yield _order("#W1000001", "bob_kerr_5678", "pending", bought(_JACKETS, jacket("navy", "M"), "80"), paid=POOR_GIFT)
    yield _order("#W1000002", "bob_kerr_5678", "delivered", NAVY_L, paid="credit_card_7777777")


class HandmadeRetail(Retail):
    """The shop over the handmade world."""

    def generate(self, *, seed: int, size: int) -> Iterable[Record]:
        """Yield the handmade records, whatever the seed."""
        del seed, size
        return handmade_records()


@dataclass
class Desk:
    """A world being worked on: calls go in, JSON and the changed world come out."""

    world: World
    toolbox: Toolbox
    changes: tuple[RecordChange, ...] = ()

    def call(self, name: str, **arguments: Any) -> Any:
        """Run a call that must succeed and return its parsed result."""
        outcome = self.toolbox.call(self.world, name, arguments)
        assert not outcome.error, outcome.content
        self.world, self.changes = outcome.world, outcome.changes
        try:
            return msgspec.json.decode(outcome.content)
        except msgspec.DecodeError:
            return outcome.content

    def refused(self, name: str, **arguments: Any) -> str:
        """Run a call that must be refused, and change nothing; return its text."""
        outcome = self.toolbox.call(self.world, name, arguments)
        assert outcome.error and outcome.defect is None, outcome
        assert outcome.world is self.world
        return outcome.content


_RETAIL = Retail()
_TOOLBOX = Toolbox(_RETAIL)
_HANDMADE_BASE = build_base(HandmadeRetail(), WorldRef(0, 0), freeze=False)
_GENERATED: dict[int, World] = {}


@pytest.fixture
def retail() -> Retail:
    """The domain."""
    return _RETAIL


@pytest.fixture
def toolbox() -> Toolbox:
    """The domain's tools."""
    return _TOOLBOX


@pytest.fixture
def desk() -> Desk:
    """A fresh handmade world."""
    return Desk(World(_HANDMADE_BASE), _TOOLBOX)


@pytest.fixture
def generated() -> Any:
    """Return a generated default world by seed, each built once."""

    def world(seed: int) -> World:
        if seed not in _GENERATED:
            _GENERATED[seed] = World(build_base(_RETAIL, WorldRef(seed, 0), freeze=False))
        return _GENERATED[seed]

    return world
