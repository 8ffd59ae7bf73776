"""Ids that tools make up. The generator never uses these ranges, so a new id cannot meet an old one."""

from __future__ import annotations

from eigen_airline.records import Reservation
from eigen_cli.api.world import Transaction

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NEW_RESERVATION_LETTER = "Q"
"""First letter of reservations made by tools; generated ones never start with it."""
NEW_CERTIFICATE_BASE = 9_000_000
"""Certificates sent by tools are numbered from here; generated payment ids stay below."""

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
        number = world.sequence("reservations")
        middle = spelled(number * _STEP % 36**4, 4)
        candidate = f"{NEW_RESERVATION_LETTER}{middle}{number % 10}"
        if candidate not in reservations:
            return candidate


def new_certificate_id(world: Transaction) -> str:
    """Return the id of a new certificate."""
    return f"certificate_{NEW_CERTIFICATE_BASE + world.sequence('certificates')}"
