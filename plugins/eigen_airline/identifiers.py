"""Ids that tools make up. The generator never uses these ranges, so a new id cannot meet an old one.

Where in its range a world begins is told by its salt: the same booking gets another id in another world, so that none
can be learnt by heart.
"""

from __future__ import annotations

import hashlib

from eigen_airline.records import Reservation
from eigen_cli.api.world import Transaction

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NEW_RESERVATION_LETTER = "Q"
"""First letter of reservations made by tools; generated ones never start with it."""
NEW_CERTIFICATE_BASE = 9_000_000
"""Certificates sent by tools are numbered from here; generated payment ids stay below."""

_CERTIFICATE_STEP = 618_033  # prime to a million
_STEP = 7_368_787  # prime to 36, so that consecutive numbers spread over all of 36^4


def spelled(number: int, length: int) -> str:
    """Return a number in base 36 with leading zeros."""
    letters = []
    for _ in range(length):
        number, digit = divmod(number, 36)
        letters.append(ALPHABET[digit])
    return "".join(reversed(letters))


def new_reservation_id(world: Transaction) -> str:
    """Return an id no reservation has; six characters, a letter first and a digit last."""
    reservations = world.table(Reservation)
    while True:
        number = _start(world, "reservations") + world.sequence("reservations")
        middle = spelled(number * _STEP % 36**4, 4)
        candidate = f"{NEW_RESERVATION_LETTER}{middle}{number % 10}"
        if candidate not in reservations:
            return candidate


def new_certificate_id(world: Transaction) -> str:
    """Return the id of a new certificate; seven digits, the first million in a world differ."""
    number = _start(world, "certificates") + world.sequence("certificates")
    return f"certificate_{NEW_CERTIFICATE_BASE + number * _CERTIFICATE_STEP % 1_000_000}"


def _start(world: Transaction, name: str) -> int:
    """Return where a world begins to number: a number that its salt decides, differently for each name."""
    return int.from_bytes(hashlib.sha256(f"{name} {world.salt}".encode()).digest()[:8], "big")
