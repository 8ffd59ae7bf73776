"""Named checks of retail tasks; the built-in `call_made`, `call_not_made` and `world_unchanged` stand beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eigen_cli.api.domain import Check, CheckContext
from eigen_cli.api.tasks import Action
from eigen_retail.people import by_email, by_name_zip
from eigen_retail.policy import WRITE_TOOLS


def transferred(context: CheckContext) -> bool:
    """Whether the customer was passed to a human."""
    return any(call.name == "transfer_to_human_agents" for call in _done(context))


def not_transferred(context: CheckContext) -> bool:
    """Whether the agent dealt with the call itself."""
    return not transferred(context)


def no_writes(context: CheckContext) -> bool:
    """Whether no writing call succeeded."""
    return not any(call.name in WRITE_TOOLS for call in _done(context))


def written_only(context: CheckContext, *, tools: list[str]) -> bool:
    """Whether the writing calls that succeeded were exactly these, in any order."""
    return sorted(call.name for call in _done(context) if call.name in WRITE_TOOLS) == sorted(tools)


def read_made(context: CheckContext, *, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a read succeeded with at least these arguments, before any writing call did."""
    for call in _done(context):
        if call.name in WRITE_TOOLS:
            return False
        if call.name == tool and arguments.items() <= call.arguments.items():
            return True
    return False


def orders_read(context: CheckContext, *, order_ids: list[str]) -> bool:
    """Whether every one of these orders was looked at."""
    return set(order_ids) <= {call.arguments["order_id"] for call in _done(context) if call.name == "get_order_details"}


def identified(context: CheckContext, *, user_id: str) -> bool:
    """Whether the customer was looked up by e-mail address, or by name and zip code, and is this one."""
    for call in _done(context):
        arguments, user = call.arguments, None
        if call.name == "find_user_id_by_email":
            user = by_email(context.initial, str(arguments["email"]))
        elif call.name == "find_user_id_by_name_zip":
            first, last = str(arguments["first_name"]), str(arguments["last_name"])
            user = by_name_zip(context.initial, first, last, zip=str(arguments["zip"]))
        if user is not None and user.user_id == user_id:
            return True
    return False


def item_looked_up(context: CheckContext, *, item_id: str, product_id: str) -> bool:
    """Whether today's price of an item was read, alone or among the items of its product."""
    return any(
        (call.name == "get_item_details" and call.arguments["item_id"] == item_id)
        or (call.name == "get_product_details" and call.arguments["product_id"] == product_id)
        for call in _done(context)
    )


def _done(context: CheckContext) -> Iterator[Action]:
    return (call for call, ok in context.calls if ok)


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        transferred,
        not_transferred,
        no_writes,
        written_only,
        read_made,
        orders_read,
        identified,
        item_looked_up,
    )
}
