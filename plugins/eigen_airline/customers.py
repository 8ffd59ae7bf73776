"""Generating customers: names, addresses, memberships and what they can pay with."""

from __future__ import annotations

import datetime
import random
from collections.abc import Sequence
from typing import TypeVar

from eigen_airline.records import Address, Certificate, CreditCard, GiftCard, Membership, Name, Passenger, PaymentMethod
from eigen_cli.api.record import FrozenMap, money

T = TypeVar("T")

_FIRST = """
Ada Alba Amir Anika Arlo Beata Bruno Cal Carmen Chidi Clara Dalia Darius Delphine Edda Elias Esme Farid Fiona Gael
Greta Hana Hugo Ilse Imani Ivo Jada Joaquin Juno Kaito Kira Lars Leila Linus Lucia Mara Milo Nadia Nico Noor Odette
Omar Otis Paloma Petra Quinn Rafael Rhea Rosa Samir Selma Soren Tamsin Tariq Thea Uma Viktor Willa Yara Zane
"""
_LAST = """
Abara Achter Bellamy Birk Calder Castel Corvin Dahl Darrow Desai Dunmore Ekberg Ellery Farrow Fenn Galvan Garrick
Halden Harrow Ibarra Ingram Jarvi Joss Kassab Kerr Kovac Larkin Lindqvist Loomis Madaki Marlow Moss Nakata Norell
Okafor Oster Pell Pereira Quill Rahimi Rook Sandoval Sato Sorel Stroud Tanaka Thorne Ueda Unger Varga Vance Wexler
Whitlock Xiong Yardley Yilmaz Zabel Zhou Ziegler Zoric
"""
FIRST_NAMES, LAST_NAMES = tuple(_FIRST.split()), tuple(_LAST.split())
_CITIES = (
    ("Denver", "CO", "802"),
    ("Chicago", "IL", "606"),
    ("Atlanta", "GA", "303"),
    ("Seattle", "WA", "981"),
    ("Austin", "TX", "787"),
    ("Boston", "MA", "021"),
    ("Nashville", "TN", "372"),
    ("Phoenix", "AZ", "850"),
    ("Pittsburgh", "PA", "152"),
    ("Raleigh", "NC", "276"),
)
_STREETS = ("Alder Way", "Brook Street", "Cedar Court", "Ferry Road", "Harbor Lane", "Juniper Drive", "Mill Avenue")
_BRANDS = ("visa", "mastercard", "amex")
_MEMBERSHIPS: tuple[Membership, ...] = ("regular",) * 5 + ("silver",) * 3 + ("gold",) * 2
_CERTIFICATES = (100, 150, 200, 250, 300, 500)
_ID_STEP = 5_003_731  # prime to 8,000,000, so that payment ids never repeat within a world


def drawn(rng: random.Random, options: Sequence[T]) -> T:
    """Return one option; `rng.choice` at a third of the cost."""
    return options[int(rng.random() * len(options))]


def birth_date(rng: random.Random) -> datetime.date:
    """Return an adult's date of birth."""
    return datetime.date(1950 + int(rng.random() * 55), 1 + int(rng.random() * 12), 1 + int(rng.random() * 28))


def passenger(rng: random.Random) -> Passenger:
    """Return someone new."""
    return Passenger(drawn(rng, FIRST_NAMES), drawn(rng, LAST_NAMES), birth_date(rng))


class CustomerMaker:
    """Makes profiles whose ids never repeat within a world."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._user_ids: set[str] = set()
        self._payment_number = int(rng.random() * 8_000_000)

    def profile(self) -> tuple[str, Name]:
        """Return a new user id with the name in it."""
        rng = self._rng
        while True:
            name = Name(drawn(rng, FIRST_NAMES), drawn(rng, LAST_NAMES))
            number = 1000 + int(rng.random() * 9000)
            user_id = f"{name.first_name}_{name.last_name}_{number}".lower()
            if user_id not in self._user_ids:
                self._user_ids.add(user_id)
                return user_id, name

    def membership(self) -> Membership:
        """Return a membership; half of all customers have none to speak of."""
        return drawn(self._rng, _MEMBERSHIPS)

    def address(self) -> Address:
        """Return an address."""
        rng = self._rng
        city, state, prefix = drawn(rng, _CITIES)
        street = f"{1 + int(rng.random() * 980)} {drawn(rng, _STREETS)}"
        unit = f"Unit {1 + int(rng.random() * 60)}" if rng.random() < 0.3 else None
        return Address(street, city, "USA", state, f"{prefix}{10 + int(rng.random() * 89)}", unit)

    def payment_methods(self) -> FrozenMap[str, PaymentMethod]:
        """Return stored payment methods: one or two credit cards, and often gift cards and certificates."""
        rng = self._rng
        methods: dict[str, PaymentMethod] = {}
        for _ in range(1 if rng.random() < 0.6 else 2):
            card = CreditCard(
                f"credit_card_{self._number()}", drawn(rng, _BRANDS), f"{1000 + int(rng.random() * 9000)}"
            )
            methods[card.id] = card
        for _ in range(int(rng.random() * 2.4)):
            gift = GiftCard(f"gift_card_{self._number()}", money(15 + int(rng.random() ** 2 * 900)))
            methods[gift.id] = gift
        for _ in range(max(0, int(rng.random() * 4) - 1)):
            certificate = Certificate(f"certificate_{self._number()}", money(drawn(rng, _CERTIFICATES)))
            methods[certificate.id] = certificate
        return FrozenMap(methods)

    def saved_passengers(self) -> tuple[Passenger, ...]:
        """Return up to three companions."""
        return tuple(passenger(self._rng) for _ in range(int(self._rng.random() * 4)))

    def _number(self) -> int:
        self._payment_number = (self._payment_number + _ID_STEP) % 8_000_000
        return 1_000_000 + self._payment_number
