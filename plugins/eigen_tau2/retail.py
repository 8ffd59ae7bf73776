"""tau2-bench's retail: the official database, policy and tasks behind our shop's records and tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NoReturn

from eigen_cli.api.record import Record
from eigen_cli.api.tasks import RecordPatch
from eigen_cli.api.world import WorldView
from eigen_retail.domain import Retail
from eigen_retail.tools import RetailTools
from eigen_tau2.bridged import Bridged, Sides
from eigen_tau2.initial_state import no_assertions, patched_rows, requested_data
from eigen_tau2.retail_rows import ORDERS, PRODUCTS, USERS, database_records
from eigen_tau2.retail_tools import UpstreamRetailTools
from eigen_tau2.rows import REMAINDERS, Form, all_rows, touched_rows

_FORMS: tuple[Form[Any], ...] = (PRODUCTS, USERS, ORDERS)


class Tau2Retail(Bridged, Retail):
    """The shop of tau2-bench, bug for bug."""

    name: ClassVar[str] = "tau2-retail"
    title: ClassVar[str] = "tau2-bench's retail"
    folder = "retail"
    tables = (*Retail.tables, REMAINDERS)  # type: ignore[assignment]
    agent_tools: ClassVar[type[RetailTools]] = UpstreamRetailTools

    def records(self, database: Sides) -> Iterable[Record]:
        """Yield products, users and orders, each with what its record has no room for."""
        return database_records(database["agent"])

    def sides(self, world: WorldView) -> Sides:
        """Return the whole database."""
        return {"agent": {form.table: dict(all_rows(world, form)) for form in _FORMS}}

    def touched_sides(self, world: WorldView) -> Sides:
        """Return the rows that differ; None stands for a removed row."""
        touched = {form.table: touched_rows(world, form) for form in _FORMS}
        return {"agent": {table: rows for table, rows in touched.items() if rows}}

    def corrected(self) -> CorrectedTau2Retail:
        """Return the same world served by our shop's own tools."""
        return self.over_same_data(CorrectedTau2Retail)

    def initial_patch(self, initial_state: Mapping[str, Any] | None, world: WorldView) -> tuple[RecordPatch, ...]:
        """Return the rows that a task's `agent_data` changes; raises `ValueError` for other kinds of initial state."""
        change = requested_data(initial_state, tables=tuple(form.table for form in _FORMS))
        return tuple(patch for form in _FORMS for patch in patched_rows(world, form, change.get(form.table, {})))

    def check_of(self, assertion: Mapping[str, Any]) -> NoReturn:
        """Raise `ValueError`: the shop has no functions to assert by."""
        no_assertions(self.name, assertion)


class CorrectedTau2Retail(Tau2Retail):
    """The same database served by our shop's own tools."""

    version: ClassVar[str] = f"{Retail.version}-corrected"
    agent_tools = RetailTools
