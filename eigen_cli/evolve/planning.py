"""The first round's plans: without them there is no run, so a planner that failed is asked anew by the next one."""

from __future__ import annotations

from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_cli.api.inputs import CoverageGap
from eigen_cli.api.plans import Plan
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.planner import write_plans
from eigen_cli.roles.structured import UnusableReplyError
from eigen_cli.run.journal import Journal

FAILED = "planning failed"
"""Kind of the journal notes that count runs which ended here."""
_APART = 10
"""Attempt numbers between two runs; more than the answers one run asks for."""


async def first_plans(context: RoleContext, journal: Journal, *, slots: int) -> tuple[Plan, ...]:
    """Return the plans of round 1.

    Every reply is in the journal for good, the unusable ones too. A run that ends for want of a plan leaves a note
    under the context's label, and the next one asks for this domain's plans under new attempt numbers, of a model that
    may have been mended since. Raises what the planner raises.
    """
    failures = sum(label == context.run for label, _ in journal.notes(FAILED))
    try:
        return await write_plans(context, round_=1, slots=slots, gap=CoverageGap(), attempt=failures * _APART)
    except BackendUnreachableError:
        raise
    except (UnusableReplyError, BackendError):
        journal.note(FAILED, context.run, b"")
        raise
