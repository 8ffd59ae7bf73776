"""Names that a booking has with a letter too few or too many, while the customer's profile has them right."""

from __future__ import annotations

import random

import msgspec

from eigen_airline.customers import FIRST_NAMES, drawn
from eigen_airline.records import Passenger, Reservation, User

MISBOOKED = 0.08
"""Share of the reservations on which the name of someone from the profile, if anyone is, was taken down wrong."""


def misspelt(name: str, rng: random.Random) -> str | None:
    """Return a first name with one letter after the first missing or doubled, or None if that is no misspelling."""
    place = 1 + int(rng.random() * (len(name) - 1))
    doubled = rng.random() < 0.5
    wrong = name[:place] + name[place] + name[place:] if doubled else name[:place] + name[place + 1 :]
    return wrong if len(wrong) > 1 and wrong not in FIRST_NAMES else None


def as_booked(user: User, party: tuple[Passenger, ...], rng: random.Random) -> tuple[Passenger, ...]:
    """Return a party as the booking has it: now and then with one name of the profile misspelt."""
    if rng.random() >= MISBOOKED:
        return party
    known = [person for person in party if person in _profile(user)]
    if not known:
        return party
    right = drawn(rng, known)
    wrong = misspelt(right.first_name, rng)
    if wrong is None:
        return party
    return tuple(msgspec.structs.replace(one, first_name=wrong) if one == right else one for one in party)


def misbooked(user: User, reservation: Reservation) -> list[tuple[Passenger, Passenger]]:
    """Return those whose first name a booking has otherwise than the profile: as booked, and as the profile has them.

    They are known by last name and date of birth.
    """
    profile = _profile(user)
    known = {(person.last_name, person.dob): person for person in profile}
    pairs = [(one, known.get((one.last_name, one.dob))) for one in reservation.passengers if one not in profile]
    return [(booked, right) for booked, right in pairs if right is not None]


def _profile(user: User) -> tuple[Passenger, ...]:
    return (Passenger(user.name.first_name, user.name.last_name, user.dob), *user.saved_passengers)
