"""Scenario templates: every trouble alone, troubles put together, and requests about the account."""

from __future__ import annotations

from eigen_telecom.templates import account, refusals
from eigen_telecom.templates.composed import TEMPLATES as COMPOSED
from eigen_telecom.templates.drafting import Template
from eigen_telecom.templates.families import FAMILIES, single
from eigen_telecom.troubles import TROUBLES

_SINGLE = tuple(single(family, TROUBLES[name]) for family in FAMILIES for name in family.troubles)
_ACCOUNT = tuple(
    found for module in (account, refusals) for found in vars(module).values() if isinstance(found, Template)
)

TEMPLATES: tuple[Template, ...] = (*_SINGLE, *COMPOSED, *_ACCOUNT)

__all__ = ["TEMPLATES", "Template"]
