"""Named checks of airline tasks; the built-in `call_made`, `call_not_made` and `world_unchanged` stand beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigen_airline.policy import WRITE_TOOLS
from eigen_cli.api.domain import Check, CheckContext


def transferred(context: CheckContext) -> bool:
    """Whether the customer was passed to a human."""
    return any(ok and call.name == "transfer_to_human_agents" for call, ok in context.calls)


def not_transferred(context: CheckContext) -> bool:
    """Whether the agent dealt with the call itself."""
    return not transferred(context)


def no_writes(context: CheckContext) -> bool:
    """Whether no writing call succeeded."""
    return not any(ok and call.name in WRITE_TOOLS for call, ok in context.calls)


def read_made(context: CheckContext, *, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a read succeeded with at least these arguments, before any writing call did."""
    for call, ok in context.calls:
        if not ok:
            continue
        if call.name in WRITE_TOOLS:
            return False
        if call.name == tool and all(call.arguments.get(name) == value for name, value in arguments.items()):
            return True
    return False


def reservations_read(context: CheckContext, *, reservation_ids: list[str]) -> bool:
    """Whether every one of these reservations was looked at."""
    seen = {call.arguments.get("reservation_id") for call, ok in context.calls if ok}
    return set(reservation_ids) <= seen


def written_only(context: CheckContext, *, tools: list[str]) -> bool:
    """Whether the writing calls that succeeded were exactly these, in any order."""
    made = sorted(call.name for call, ok in context.calls if ok and call.name in WRITE_TOOLS)
    return made == sorted(tools)


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (transferred, not_transferred, no_writes, read_made, reservations_read, written_only)
}
