"""Named checks every domain has; a domain's own checks of the same name win.

A check is `check(context, **arguments) -> bool`, pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigen_cli.api.domain import Check, CheckContext, Domain


def call_made(context: CheckContext, *, tool: str, arguments: Mapping[str, Any] | None = None) -> bool:
    """Whether a tool was called successfully with at least the given arguments."""
    wanted = (arguments or {}).items()
    return any(
        ok and call.name == tool and all(call.arguments.get(name) == value for name, value in wanted)
        for call, ok in context.calls
    )


def call_not_made(context: CheckContext, *, tool: str) -> bool:
    """Whether a tool was never called successfully."""
    return not any(ok and call.name == tool for call, ok in context.calls)


def world_unchanged(context: CheckContext) -> bool:
    """Whether the outcome equals the initial world's."""
    return context.final.outcome_hash() == context.initial.outcome_hash()


BUILT_IN: Mapping[str, Check] = {
    "call_made": call_made,
    "call_not_made": call_not_made,
    "world_unchanged": world_unchanged,
}


def checks_of(domain: Domain) -> Mapping[str, Check]:
    """Return a domain's checks over the built-in ones."""
    return {**BUILT_IN, **domain.checks}
