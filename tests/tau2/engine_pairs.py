"""The pairs of engines of the airline and the shop, each built once."""

from __future__ import annotations

import functools
from typing import Any

from engine_pair import EnginePair
from tau2.domains.airline.data_model import FlightDB
from tau2.domains.airline.environment import get_environment as airline_environment
from tau2.domains.retail.data_model import RetailDB
from tau2.domains.retail.environment import get_environment as retail_environment

from eigen_cli.world.world import World
from eigen_tau2 import airline_rows, airline_timetable, retail_rows
from eigen_tau2.airline import Tau2Airline
from eigen_tau2.retail import Tau2Retail
from eigen_tau2.rows import row_of


@functools.cache
def airline_pair() -> EnginePair:
    """Return the airline in both engines."""
    return EnginePair(Tau2Airline.opened({}), airline_environment(), _airline_row)


@functools.cache
def retail_pair() -> EnginePair:
    """Return the shop in both engines."""
    return EnginePair(Tau2Retail.opened({}), retail_environment(), _retail_row)


def airline_pair_of(database: dict[str, Any]) -> EnginePair:
    """Return the airline in both engines over a database of one's own."""
    domain = Tau2Airline.opened({})
    domain.databases.append({"agent": database})
    theirs = FlightDB.model_validate(database)
    return EnginePair(domain, airline_environment(db=theirs), _airline_row, seed=1)


def retail_pair_of(database: dict[str, Any]) -> EnginePair:
    """Return the shop in both engines over a database of one's own."""
    domain = Tau2Retail.opened({})
    domain.databases.append({"agent": database})
    theirs = RetailDB.model_validate(database)
    return EnginePair(domain, retail_environment(db=theirs), _retail_row, seed=1)


def _airline_row(world: World, table: str, key: str) -> Any:
    if table != "flights":
        return row_of(world, getattr(airline_rows, table.upper()), key)
    flight = row_of(world, airline_timetable.FLIGHTS, key)
    if flight is None:
        return None
    days = (f"{key} 2024-05-{day:02}" for day in range(1, 32))
    dates = {day.split()[1]: row_of(world, airline_timetable.DAYS, day) for day in days}
    return {**flight, "dates": {date: day for date, day in dates.items() if day is not None}}


def _retail_row(world: World, table: str, key: str) -> Any:
    return row_of(world, getattr(retail_rows, table.upper()), key)
