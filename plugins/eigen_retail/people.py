"""Finding a customer by what they know of themselves."""

from __future__ import annotations

from collections.abc import Callable

from eigen_cli.api.world import WorldView
from eigen_retail.items import Readable
from eigen_retail.records import Name, User


def by_email(world: Readable, email: str) -> User | None:
    """Return the customer with an e-mail address, in whatever capitals it is given."""
    wanted = email.strip().lower()
    found = world.table(User).find(email=wanted)
    return found[0] if found else _search(world, lambda user: user.email.lower() == wanted)


def by_name_zip(world: Readable, first_name: str, last_name: str, *, zip: str) -> User | None:
    """Return the customer with a name, in whatever capitals, who lives at a zip code."""
    wanted = (first_name.lower(), last_name.lower())
    spellings = dict.fromkeys(((first_name, last_name), (first_name.title(), last_name.title())))
    for first, last in spellings:
        found = [user for user in world.table(User).find(name=Name(first, last)) if user.address.zip == zip]
        if found:
            return found[0]
    return _search(
        world,
        lambda user: user.address.zip == zip and (user.name.first_name.lower(), user.name.last_name.lower()) == wanted,
    )


def namesakes(world: WorldView, first_name: str, last_name: str) -> list[User]:
    """Return everyone of a name as it is usually written."""
    return world.table(User).find(name=Name(first_name.title(), last_name.title()))


def _search(world: Readable, fits: Callable[[User], bool]) -> User | None:
    # Indexes know one spelling only; what they miss is looked for in full, so that capitals never decide.
    users = world.table(User)
    return next((user for key in users.keys() if (user := users.get(key)) is not None and fits(user)), None)  # noqa: SIM118
