"""Numbers of the policy, stated once: tools charge by them, guards and templates decide by them."""

from __future__ import annotations

import datetime

from eigen_airline.records import Cabin, Membership

NOW = datetime.datetime(2024, 5, 15, 15, 0, 0)
"""The fixed time of every world, Eastern time."""

INSURANCE_FEE = 30
"""Dollars per passenger."""
BAG_FEE = 50
"""Dollars for each checked bag beyond the free ones."""
MAX_PASSENGERS = 5
MAX_CERTIFICATES, MAX_CREDIT_CARDS, MAX_GIFT_CARDS = 1, 1, 3
FREE_CANCELLATION = datetime.timedelta(hours=24)
CANCELLED_FLIGHT_COMPENSATION = 100
"""Dollars per passenger."""
DELAYED_FLIGHT_COMPENSATION = 50
"""Dollars per passenger."""

_CABIN_BAGS: dict[Cabin, int] = {"basic_economy": 0, "economy": 1, "business": 2}
_MEMBER_BAGS: dict[Membership, int] = {"regular": 0, "silver": 1, "gold": 2}


def free_bags(membership: Membership, cabin: Cabin, passengers: int) -> int:
    """Return how many checked bags are free on a reservation."""
    return (_CABIN_BAGS[cabin] + _MEMBER_BAGS[membership]) * passengers


def paid_bags(membership: Membership, cabin: Cabin, *, passengers: int, total: int) -> int:
    """Return how many of `total` checked bags must be paid for."""
    return max(0, total - free_bags(membership, cabin, passengers))
