"""Reading a call's arguments as models write them: JSON text for lists, numbers as strings.

Every reader gives up quietly: the tool itself refuses what cannot be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from eigen_airline.records import FlightInfo, Reservation
from eigen_cli.api.domain import GuardContext


def amount_of(context: GuardContext) -> int:
    """Return the amount of a certificate; 0 where it is no number."""
    amount = str(context.arguments.get("amount", ""))
    return int(float(amount)) if amount.replace(".", "", 1).isdigit() else 0


def reservation_of(context: GuardContext) -> Reservation | None:
    """Return the reservation a call names."""
    return context.world.table(Reservation).get(str(context.arguments.get("reservation_id", "")))


def listed(arguments: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list argument."""
    value = arguments.get(name, [])
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            return []
    return value if isinstance(value, list) else [value]


def flights_of(arguments: Mapping[str, Any]) -> list[FlightInfo]:
    """Return the flights a call names, in order."""
    try:
        return msgspec.convert(listed(arguments, "flights"), list[FlightInfo])
    except msgspec.ValidationError:
        return []
