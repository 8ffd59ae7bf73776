"""Guards about who is calling: known from the look-ups that succeeded and, in a dialogue, from what was said."""

from __future__ import annotations

from eigen_cli.api.domain import GuardContext
from eigen_cli.api.tasks import Action
from eigen_cli.api.world import WorldView
from eigen_retail.guard_arguments import order_of, text_of
from eigen_retail.people import by_email, by_name_zip, namesakes

_BY_EMAIL, _BY_NAME = "find_user_id_by_email", "find_user_id_by_name_zip"


def looked_up_by_own_words(context: GuardContext) -> str | None:
    """Clause 2.1: look-ups use what the customer said; everything else on an account comes after one."""
    if context.name not in (_BY_EMAIL, _BY_NAME):
        return None if _first_look_up(context) is not None else "the customer was not looked up first"
    if context.dialogue is None:
        return None
    said = " ".join(message.text for message in context.dialogue if message.speaker == "user").lower()
    names = ("email",) if context.name == _BY_EMAIL else ("first_name", "last_name", "zip")
    unsaid = [name for name in names if text_of(context, name).lower() not in said]
    return f"the customer never said the {unsaid[0].replace('_', ' ')}" if unsaid else None


def own_account(context: GuardContext) -> str | None:
    """Clause 2.2: the profile, or the customer of the order, is the one looked up first."""
    owner = context.arguments.get("user_id")
    if owner is None:
        order = order_of(context)
        owner = None if order is None else order.user_id
    look_up = _first_look_up(context)
    if owner is None or look_up is None:
        return None
    found = _customers(context.world, look_up)
    return f"it belongs to {owner}, not to the customer who is calling" if found and owner not in found else None


def _first_look_up(context: GuardContext) -> Action | None:
    return next((call for call in context.earlier if call.name in (_BY_EMAIL, _BY_NAME)), None)


def _customers(world: WorldView, look_up: Action) -> set[str]:
    """Return whom a look-up found. After a move the zip code is another one: then everyone of the name is meant."""
    arguments = look_up.arguments
    if look_up.name == _BY_EMAIL:
        user = by_email(world, str(arguments["email"]))
        return set() if user is None else {user.user_id}
    first, last = str(arguments["first_name"]), str(arguments["last_name"])
    user = by_name_zip(world, first, last, zip=str(arguments["zip"]))
    return {user.user_id} if user is not None else {found.user_id for found in namesakes(world, first, last)}
