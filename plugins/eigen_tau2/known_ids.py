"""The ids of a database, by the name a tool's parameter gives them: what gold can name, and whom a text names."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eigen_cli.api.domain import Domain
from eigen_cli.api.messages import Requestor
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import Action
from eigen_cli.api.tools import ToolKind

PERSONAL = frozenset({"user_id", "reservation_id", "order_id", "customer_id", "line_id", "bill_id"})
"""Keys of records that belong to somebody; catalogues (flights, products, plans) are shared by all tasks."""

_TOKEN = re.compile(r"[#\w](?:[\w-]*\w)?")


@dataclass(frozen=True)
class KnownIds:
    """The keys of one database."""

    by_parameter: Mapping[str, frozenset[str]]
    """Keys by the name of their table's key field, which is what tools call the parameter."""
    created: frozenset[str]
    """Parameters that may also name records which earlier calls make."""
    personal: frozenset[str]
    """Keys of records that belong to somebody, and their phone numbers."""

    @classmethod
    def of(cls, domain: Domain, records: Iterable[Record]) -> KnownIds:
        """Return the ids of a domain's records."""
        specs = {spec.record: spec for spec in domain.tables}
        keys: dict[str, set[str]] = {spec.key: set() for spec in domain.tables if spec.key != "id"}
        personal: set[str] = set()
        for record in records:
            key = specs[type(record)].key
            if key in keys:
                keys[key].add(getattr(record, key))
            if key in PERSONAL:
                personal.update((getattr(record, key), getattr(record, "phone_number", None) or getattr(record, key)))
        created = frozenset(spec.key for spec in domain.tables if spec.created)
        return cls({name: frozenset(found) for name, found in keys.items()}, created, frozenset(personal))

    def named_in(self, text: str) -> frozenset[str]:
        """Return the personal ids that occur in a text as whole words."""
        return self.personal.intersection(_TOKEN.findall(text))

    def unknown(
        self, action: Action, *, also: Container[Any] = (), after_a_write: bool = False
    ) -> tuple[str, Any] | None:
        """Return a parameter of a call and the id it gives, where no record has that id and no earlier call made it.

        `also` are ids of records that a task's initial state brings.
        """
        for name, value in action.arguments.items():
            keys = self.by_parameter.get(name)
            if keys is None or (isinstance(value, str) and (value in keys or value in also)):
                continue
            if not (after_a_write and name in self.created):
                return name, value
        return None


def tool_kinds(domain: Domain) -> Mapping[Requestor, Mapping[str, ToolKind]]:
    """Return what each side's tools do, by name."""
    sides: Sequence[tuple[Requestor, type | None]] = (("agent", domain.agent_tools), ("user", domain.user_tools))
    return {
        side: {
            name: kind
            for cls in reversed(tools.__mro__)
            for name, method in vars(cls).items()
            if (kind := getattr(method, "__eigen_tool__", None)) is not None
        }
        for side, tools in sides
        if tools is not None
    }
