"""tau2-bench's airline: the official database, policy and tasks behind our airline's records and tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NoReturn

from eigen_airline.domain import Airline
from eigen_airline.tools import AirlineTools
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import RecordPatch
from eigen_cli.api.world import WorldView
from eigen_tau2.airline_rows import RESERVATIONS, USERS, database_records
from eigen_tau2.airline_timetable import DAYS, FLIGHTS
from eigen_tau2.airline_tools import UpstreamAirlineTools
from eigen_tau2.bridged import Bridged, Sides
from eigen_tau2.initial_state import no_assertions, patched_rows, requested_data
from eigen_tau2.rows import REMAINDERS, Form, all_rows, touched_rows

_WHOLE: tuple[Form[Any], ...] = (USERS, RESERVATIONS)
"""Tables whose rows are the benchmark's; a flight's days are rows of their own."""


class Tau2Airline(Bridged, Airline):
    """The airline of tau2-bench, bug for bug."""

    name: ClassVar[str] = "tau2-airline"
    title: ClassVar[str] = "tau2-bench's airline"
    folder = "airline"
    tables = (*Airline.tables, REMAINDERS)  # type: ignore[assignment]
    agent_tools: ClassVar[type[AirlineTools]] = UpstreamAirlineTools

    def records(self, database: Sides) -> Iterable[Record]:
        """Yield flights with their days, users and reservations, each with what its record has no room for."""
        return database_records(database["agent"])

    def sides(self, world: WorldView) -> Sides:
        """Return the whole database."""
        flights = {number: {**row, "dates": {}} for number, row in all_rows(world, FLIGHTS)}
        for key, day in all_rows(world, DAYS):
            number, _, date = key.partition(" ")
            flights[number]["dates"][date] = day
        return {
            "agent": {
                "flights": flights,
                "users": dict(all_rows(world, USERS)),
                "reservations": dict(all_rows(world, RESERVATIONS)),
            }
        }

    def touched_sides(self, world: WorldView) -> Sides:
        """Return the rows that differ, days by flight and date; None stands for a removed row."""
        flights: dict[str, Any] = touched_rows(world, FLIGHTS)
        for key, day in touched_rows(world, DAYS).items():
            number, _, date = key.partition(" ")
            flight = flights.setdefault(number, {})
            if flight is not None:
                flight.setdefault("dates", {})[date] = day
        touched = {"flights": flights} | {form.table: touched_rows(world, form) for form in _WHOLE}
        return {"agent": {table: rows for table, rows in touched.items() if rows}}

    def corrected(self) -> CorrectedTau2Airline:
        """Return the same world served by our airline's own tools."""
        return self.over_same_data(CorrectedTau2Airline)

    def initial_patch(self, initial_state: Mapping[str, Any] | None, world: WorldView) -> tuple[RecordPatch, ...]:
        """Return the rows that a task's `agent_data` changes; raises `ValueError` for other kinds of initial state."""
        change = requested_data(initial_state, tables=("flights", "users", "reservations"))
        patches: list[RecordPatch] = []
        for number, flight in change.get("flights", {}).items():
            days = flight.get("dates", {})
            if set(flight) - {"dates"}:
                patches += patched_rows(world, FLIGHTS, {number: flight})
            patches += patched_rows(world, DAYS, {f"{number} {date}": day for date, day in days.items()})
        for form in _WHOLE:
            patches += patched_rows(world, form, change.get(form.table, {}))
        return tuple(patches)

    def check_of(self, assertion: Mapping[str, Any]) -> NoReturn:
        """Raise `ValueError`: the airline has no functions to assert by."""
        no_assertions(self.name, assertion)


class CorrectedTau2Airline(Tau2Airline):
    """The same database served by our airline's own tools."""

    version: ClassVar[str] = f"{Airline.version}-corrected"
    agent_tools = AirlineTools
