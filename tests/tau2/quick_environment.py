"""tau2's airline and retail environments, opened in a millisecond: one parsed database, rows copied when read.

tau2 parses its database for every environment and dumps all of it for every hash, half a second a time. Here a table
lends copies, and a state is hashed by the rows that differ; `test_quick_environment` holds that against the real thing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from typing import Any

import pytest

pytest.importorskip("tau2")

from loguru import logger
from tau2.domains.airline.data_model import FlightDB
from tau2.domains.airline.tools import AirlineTools
from tau2.domains.airline.utils import AIRLINE_DB_PATH
from tau2.domains.retail.data_model import RetailDB
from tau2.domains.retail.tools import RetailTools
from tau2.domains.retail.utils import RETAIL_DB_PATH
from tau2.environment.environment import Environment

logger.remove()

_KINDS = {"airline": (FlightDB, AirlineTools, AIRLINE_DB_PATH), "retail": (RetailDB, RetailTools, RETAIL_DB_PATH)}


class Lent(dict[str, Any]):
    """A table over shared rows; whoever asks for a row gets a copy, and the same copy from then on."""

    def __init__(self, rows: dict[str, Any]) -> None:
        super().__init__(rows)
        self.shared = rows

    def __getitem__(self, key: str) -> Any:
        row = super().__getitem__(key)
        if row is self.shared.get(key):
            row = row.model_copy(deep=True)
            super().__setitem__(key, row)
        return row

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401 - this is `get`

    def differing(self) -> Iterator[tuple[str, Any]]:
        for key, row in self.items():
            shared = self.shared.get(key)
            if row is not shared and (shared is None or row != shared):
                yield key, row.model_dump()
        yield from ((key, None) for key in self.shared if key not in self)


@cache
def _parsed(folder: str) -> Any:
    database, _, path = _KINDS[folder]
    return database.load(path)


def quick_environment(folder: str) -> Callable[..., Environment]:
    """Return a constructor of environments, as tau2's evaluator wants one."""
    database, tools, _ = _KINDS[folder]

    def construct(solo_mode: bool = False) -> Environment:
        assert not solo_mode
        tables = {name: Lent(getattr(_parsed(folder), name)) for name in database.model_fields}
        environment = Environment(folder, "", tools(database.model_construct(**tables)))
        environment.tools.get_db_hash = lambda: _hash(tables)  # type: ignore[union-attr,method-assign]
        return environment

    return construct


def _hash(tables: dict[str, Lent]) -> str:
    state = {name: dict(table.differing()) for name, table in tables.items()}
    return sha256(json.dumps(state, sort_keys=True, default=str).encode()).hexdigest()
