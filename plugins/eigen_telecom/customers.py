"""Generating people: names, addresses and what they could pay with."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from eigen_telecom.records import Address, MethodType, PaymentMethod

T = TypeVar("T")

_FIRST = """
Abel Adela Anouk Aron Basma Benno Bianca Callum Celeste Dario Deniz Edith Emre Enzo Faye Felix Gemma Gideon
Halima Henrik Ida Ines Isaac Jonas Judith Kamal Karin Kofi Laszlo Lena Livia Magnus Malika Marek Mina Nils
Nora Oona Orla Oskar Pia Priya Ramon Renata Rufus Sadie Sanna Silas Sunita Talia Theo Tomas Ursula Vera Vikram
Wanda Xavier Yusuf Zara Zelda
"""
_LAST = """
Adeyemi Almeida Amberg Arden Balogh Barlow Brandt Cassidy Cho Cordero Dalton Draper Eklund Esposito Fairley
Ferreira Gill Grantham Haddad Hollis Horvat Iqbal Jansen Keller Kimura Kruger Lambert Lindgren Lowry Maddox
Mensah Moreau Nadler Nyberg Osei Pacheco Penrose Petrov Quist Ramsey Ridley Rossi Salazar Sheridan Singh Sokol
Tamm Tierney Tran Ulrich Valdez Vogel Walcott Weiss Yates Zamora Zimmer
"""
_STREETS = ("Alameda", "Birch Lane", "Canal Street", "Dover Road", "Elm Court", "Fountain Avenue", "Granary Row")
_CITIES = (
    ("Albany", "NY", "122"),
    ("Boise", "ID", "837"),
    ("Dayton", "OH", "454"),
    ("Fresno", "CA", "937"),
    ("Mobile", "AL", "366"),
    ("Omaha", "NE", "681"),
    ("Spokane", "WA", "992"),
    ("Tucson", "AZ", "857"),
)
_METHODS: tuple[MethodType, ...] = ("Credit Card", "Credit Card", "Debit Card", "PayPal")
FIRST_NAMES, LAST_NAMES = tuple(_FIRST.split()), tuple(_LAST.split())


def drawn(rng: random.Random, options: Sequence[T]) -> T:
    """Return one option; `rng.choice` at a third of the cost."""
    return options[int(rng.random() * len(options))]


def full_name(rng: random.Random) -> str:
    """Return a first and a last name."""
    return f"{drawn(rng, FIRST_NAMES)} {drawn(rng, LAST_NAMES)}"


def birth_date(rng: random.Random) -> str:
    """Return an adult's date of birth."""
    return f"{1945 + int(rng.random() * 60)}-{1 + int(rng.random() * 12):02}-{1 + int(rng.random() * 28):02}"


def address(rng: random.Random) -> Address:
    """Return an address."""
    city, state, prefix = drawn(rng, _CITIES)
    return Address(
        f"{1 + int(rng.random() * 890)} {drawn(rng, _STREETS)}", city, state, f"{prefix}{10 + int(rng.random() * 89)}"
    )


def payment_methods(rng: random.Random) -> tuple[PaymentMethod, ...]:
    """Return one or two payment methods."""
    return tuple(
        PaymentMethod(
            drawn(rng, _METHODS),
            f"{1000 + int(rng.random() * 9000)}",
            f"{1 + int(rng.random() * 12):02}/{2026 + int(rng.random() * 5)}",
        )
        for _ in range(1 if rng.random() < 0.6 else 2)
    )
