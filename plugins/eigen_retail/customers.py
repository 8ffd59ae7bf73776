"""Generating customers: names, addresses, e-mail addresses and what they can pay with."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from eigen_cli.api.record import FrozenMap, money
from eigen_retail.records import Address, CreditCard, GiftCard, Name, PaymentMethod, Paypal

T = TypeVar("T")

_FIRST = """
Abel Agnes Alma Anton Aria Basil Bianca Bram Celia Clive Dario Della Dora Edgar Elin Emre Enid Fabio Flora Gwen Hal
Hedda Idris Ines Iris Jonas Joyce Kamal Katya Lena Leo Lorna Mabel Magnus Maya Miles Mina Nell Ned Olga Orson Pia
Priya Ralph Renata Rory Sana Saul Silas Sofie Tilda Tobias Ulla Vera Wanda Wilfred Yusuf Zelda
"""
_LAST = """
Aldous Amber Ashby Baines Barros Blythe Brandt Calloway Chaudhry Crane Dacosta Dreyer Eastman Ebner Fairley Fontaine
Frost Gallo Gibbon Hale Haddad Holt Hummel Ivers Jansky Keane Kimura Lang Lomax Lund Marchetti Maddox Nwosu Nyberg
Osman Pike Poole Quigley Radley Rask Reyes Salter Sayed Selby Stanhope Tamura Tate Thackeray Umar Vass Voss Waverly
Wick Yates Zeller Zuniga
"""
FIRST_NAMES, LAST_NAMES = tuple(_FIRST.split()), tuple(_LAST.split())
_CITIES = (
    ("Tucson", "AZ", "857"),
    ("Portland", "OR", "972"),
    ("Madison", "WI", "537"),
    ("Omaha", "NE", "681"),
    ("Tampa", "FL", "336"),
    ("Albany", "NY", "122"),
    ("Savannah", "GA", "314"),
    ("Boulder", "CO", "803"),
    ("Toledo", "OH", "436"),
    ("Fresno", "CA", "937"),
    ("Spokane", "WA", "992"),
    ("Richmond", "VA", "232"),
)
_STREETS = ("Acorn Lane", "Birch Street", "Canal Road", "Dover Avenue", "Elm Court", "Foundry Street", "Granite Way")
_UNITS = ("Unit", "Apt", "Suite")
_BRANDS = ("visa", "mastercard", "amex")
_STEP = 5_003_731  # prime to 8,000,000, so that payment ids never repeat within a world


def drawn(rng: random.Random, options: Sequence[T]) -> T:
    """Return one option; `rng.choice` at a third of the cost."""
    return options[int(rng.random() * len(options))]


class CustomerMaker:
    """Makes profiles whose ids and e-mail addresses never repeat within a world."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._taken: set[str] = set()
        self._payment = int(rng.random() * 8_000_000)

    def profile(self) -> tuple[str, Name]:
        """Return a new user id with the name in it."""
        name = Name(drawn(self._rng, FIRST_NAMES), drawn(self._rng, LAST_NAMES))
        return self._new(f"{name.first_name}_{name.last_name}_{{}}".lower()), name

    def email(self, name: Name) -> str:
        """Return a new e-mail address."""
        return self._new(f"{name.first_name}.{name.last_name}{{}}@mail.example".lower())

    def _new(self, pattern: str) -> str:
        while True:
            found = pattern.format(1000 + int(self._rng.random() * 9000))
            if found not in self._taken:
                self._taken.add(found)
                return found

    def address(self) -> Address:
        """Return an address."""
        rng = self._rng
        city, state, prefix = drawn(rng, _CITIES)
        street = f"{1 + int(rng.random() * 980)} {drawn(rng, _STREETS)}"
        unit = f"{drawn(rng, _UNITS)} {1 + int(rng.random() * 300)}" if rng.random() < 0.4 else ""
        return Address(street, unit, city, "USA", state, f"{prefix}{10 + int(rng.random() * 89)}")

    def payment_methods(self) -> FrozenMap[str, PaymentMethod]:
        """Return one to three stored methods: a credit card or PayPal, or both, and often a gift card."""
        rng = self._rng
        methods: list[PaymentMethod] = []
        share = rng.random()
        if share < 0.65:
            methods.append(self._card())
        if share < 0.1:
            methods.append(self._card())
        if share > 0.45:
            methods.append(Paypal(f"paypal_{self._number()}"))
        if rng.random() < 0.55:
            cents = 500 + int(rng.random() ** 2 * 60_000)
            methods.append(GiftCard(f"gift_card_{self._number()}", money(cents) / 100))
        return FrozenMap({method.id: method for method in methods})

    def _card(self) -> CreditCard:
        last_four = f"{1000 + int(self._rng.random() * 9000)}"
        return CreditCard(f"credit_card_{self._number()}", drawn(self._rng, _BRANDS), last_four)

    def _number(self) -> int:
        self._payment = (self._payment + _STEP) % 8_000_000
        return 1_000_000 + self._payment
