"""Scenario templates of the shop; `intents` lists the intents and facts they share with the playbook."""

from __future__ import annotations

from types import ModuleType

from eigen_retail.templates import afterwards, cancelling, changes, combined, item_changes, questions, refusals
from eigen_retail.templates.drafting import Template
from eigen_retail.templates.intents import INTENTS, IntentFacts


def _of(*modules: ModuleType) -> tuple[Template, ...]:
    """Return the templates of modules, in the order of their text."""
    return tuple(found for module in modules for found in vars(module).values() if isinstance(found, Template))


TEMPLATES: tuple[Template, ...] = _of(cancelling, changes, item_changes, afterwards, refusals, questions, combined)

__all__ = ["INTENTS", "TEMPLATES", "IntentFacts", "Template"]
