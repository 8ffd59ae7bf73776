"""Fact kinds: what customers know, how they say it, how agents ask for it, and what its values look like.

Where several kinds share a shape, the task verifier takes the first that fits: a flight number read off a reservation
is a `flight_number`, and a customer who does not know it says so.
"""

from __future__ import annotations

from eigen_airline.facts_terms import EXTRAS, MONEY, PEOPLE, REASONS
from eigen_airline.facts_trip import IDENTITY, TRIP
from eigen_cli.api.domain import FactKind

FACT_KINDS: tuple[FactKind, ...] = IDENTITY + TRIP + PEOPLE + EXTRAS + MONEY + REASONS
