"""Scenario templates of the airline; `intents` lists the intents and facts they share with the playbook."""

from __future__ import annotations

from types import ModuleType

from eigen_airline.templates import (
    baggage,
    booking,
    booking_trouble,
    cabins,
    cancelling,
    changes,
    combined,
    compensation,
    people,
    questions,
    refusals,
)
from eigen_airline.templates.drafting import Template
from eigen_airline.templates.intents import INTENTS, IntentFacts


def _of(*modules: ModuleType) -> tuple[Template, ...]:
    """Return the templates of modules, in the order of their text."""
    return tuple(found for module in modules for found in vars(module).values() if isinstance(found, Template))


TEMPLATES: tuple[Template, ...] = _of(
    booking,
    booking_trouble,
    changes,
    cabins,
    cancelling,
    baggage,
    people,
    compensation,
    refusals,
    questions,
    combined,
)

__all__ = ["INTENTS", "TEMPLATES", "IntentFacts", "Template"]
