"""The airline's flights and their days as the benchmark writes them, and our records that stand for them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any, cast

from eigen_airline.records import CABINS, Flight, FlightDay, Prices, Seats
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.record import Record
from eigen_tau2.coercion import Reader, one_of, shaped, text, whole
from eigen_tau2.rows import Form, Row

NO_DATE = datetime.date.min
"""What a record says where a row holds no date that a calendar knows."""

_BY_CABIN: Mapping[str, Reader] = dict.fromkeys(CABINS, whole)
_TIMES: Mapping[str, tuple[str, ...]] = {
    "on time": ("estimated_departure_time_est", "estimated_arrival_time_est"),
    "delayed": ("estimated_departure_time_est", "estimated_arrival_time_est"),
    "flying": ("actual_departure_time_est", "estimated_arrival_time_est"),
    "landed": ("actual_departure_time_est", "actual_arrival_time_est"),
    "cancelled": (),
}
_DAYS: Mapping[str, Reader] = {
    "available": shaped({"status": text, "available_seats": shaped({}, _BY_CABIN), "prices": shaped({}, _BY_CABIN)}),
    **{status: shaped({"status": text, **dict.fromkeys(times, text)}) for status, times in _TIMES.items()},
}


def calendar_date(value: str) -> datetime.date:
    """Return the date a text says; `NO_DATE` where it says none."""
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        return NO_DATE


def _day_row(value: Any) -> Row:
    status = one_of(*_DAYS)(value.get("status") if isinstance(value, dict) else value)
    row = cast(Row, _DAYS[status](value))
    for counts in (row.get("available_seats", {}), row.get("prices", {})):
        for cabin in [cabin for cabin, count in counts.items() if count is None]:
            del counts[cabin]
    return row


def _day(key: str, row: Row) -> FlightDay:
    number, _, date = key.partition(" ")
    seats, prices = row.get("available_seats", {}), row.get("prices", {})
    return FlightDay(
        id=key,
        flight_number=number,
        date=calendar_date(date),
        status=row["status"],
        available_seats=Seats(*(seats.get(cabin, 0) for cabin in CABINS)),
        prices=Prices(*(prices.get(cabin, 0) for cabin in CABINS)),
    )


def _written_day(day: FlightDay) -> Row:
    if day.status != "available":
        return {"status": day.status}
    return {
        "status": "available",
        "available_seats": {cabin: day.available_seats.of(cabin) for cabin in CABINS},
        "prices": {cabin: day.prices.of(cabin) for cabin in CABINS},
    }


def _flight(_key: str, row: Row) -> Flight:
    return Flight(**row)


def _written_flight(flight: Flight) -> Row:
    return {name: getattr(flight, name) for name in flight.__struct_fields__}


FLIGHTS = Form(
    table="flights",
    kind=Flight,
    key="flight_number",
    checked=shaped(dict.fromkeys(Flight.__struct_fields__, text)),
    written=_written_flight,
    record=_flight,
)
DAYS = Form(
    table="flight_days",
    kind=FlightDay,
    key="id",
    checked=_day_row,
    written=_written_day,
    record=_day,
    row_has_key=False,
)


def timetable_records(flights: Mapping[str, Any]) -> Iterator[Record]:
    """Yield each flight and its days; raises `ConfigError` for another schema."""
    for number, raw in flights.items():
        yield from FLIGHTS.records(number, raw)
        dates = raw.get("dates")
        if not isinstance(dates, dict):
            raise ConfigError(f"database of another schema: flights {number} should have dates, an object by day")
        for date, day in dates.items():
            yield from DAYS.records(f"{number} {date}", day)
