"""Booking and paying as the benchmark's airline does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eigen_cli.api.errors import ToolError
from eigen_tau2.airline_rows import BOOKING, PASSENGER, PAYMENT, RESERVATIONS, USERS
from eigen_tau2.airline_timetable import DAYS, FLIGHTS
from eigen_tau2.coercion import objects, whole, within
from eigen_tau2.rows import Row, Rows

RESERVATION_IDS = ("HATHAT", "HATHAU", "HATHAV")
"""The ids of reservations made by tools; a world takes three."""
NOW = "2024-05-15T15:00:00"
_BAG_FEE, _INSURANCE_FEE = 50, 30


def book(rows: Rows, booking: Mapping[str, Any], flights: Sequence[Row]) -> Row:
    """Sell the seats, charge the payments and return the new reservation; raises `ToolError` and `ValueError`.

    Neither the mix of payments nor bags or insurance are checked against anything but the sum. Seats and balances are
    each compared alone, so a flight or a card named twice can be overdrawn.
    """
    user = rows.get(USERS, booking["user_id"])
    reservation = _reservation(rows, booking)
    passengers, cabin = len(reservation["passengers"]), reservation["cabin"]
    days: dict[str, Row] = {}
    for wanted in flights:
        segment, day = _sold(rows, wanted, cabin, passengers, days=days)
        days[f"{wanted['flight_number']} {wanted['date']}"] = day
        reservation["flights"].append(segment)
    total = sum(segment["price"] for segment in reservation["flights"]) * passengers
    total += _INSURANCE_FEE * passengers if reservation["insurance"] == "yes" else 0
    total += _BAG_FEE * _countable(booking["nonfree_baggages"])
    _pay(user, reservation["payment_history"], total)
    for segment in reservation["flights"]:
        days[f"{segment['flight_number']} {segment['date']}"]["available_seats"][cabin] -= passengers
    for key, day in days.items():
        rows.put(DAYS, key, day)
    user["reservations"].append(reservation["reservation_id"])
    rows.put(USERS, user["user_id"], user)
    rows.put(RESERVATIONS, reservation["reservation_id"], reservation)
    return reservation


def priced_segments(rows: Rows, reservation: Row, cabin: Any, flights: Sequence[Row]) -> list[Row]:
    """Return the segments of a changed reservation; those kept in the same cabin keep their fare."""
    segments = []
    for wanted in flights:
        kept = (
            old
            for old in reservation["flights"]
            if (old["flight_number"], old["date"]) == (wanted["flight_number"], wanted["date"])
        )
        segment = next(kept, None) if cabin == reservation["cabin"] else None
        segments.append(segment or _sold(rows, wanted, cabin, len(reservation["passengers"]), days={})[0])
    return segments


def paid_change(rows: Rows, reservation: Row, payment_id: Any, amount: float) -> None:
    """Take (or, negative, give back) what a change costs and note it in the reservation, which is not saved here."""
    user = rows.get(USERS, reservation["user_id"])
    method = user["payment_methods"].get(payment_id) if isinstance(payment_id, str) else None
    if method is None:
        raise ToolError(f"Payment method '{payment_id}' is not in the profile of {user['user_id']}")
    if method["source"] == "certificate":
        raise ToolError("A certificate cannot be used to change a reservation")
    if method["source"] == "gift_card":
        if method["amount"] < amount:
            raise ToolError(f"Gift card '{payment_id}' holds only {method['amount']}, not {amount}")
        method["amount"] -= amount
        rows.put(USERS, user["user_id"], user)
    if amount != 0:
        reservation["payment_history"].append({"payment_id": payment_id, "amount": within("amount", whole, amount)})


def _reservation(rows: Rows, booking: Mapping[str, Any]) -> Row:
    free = next((one for one in RESERVATION_IDS if not rows.has(RESERVATIONS, one)), None)
    if free is None:
        raise ToolError(f"{len(RESERVATION_IDS)} reservations were booked; there can be no more")
    given = {
        **booking,
        "reservation_id": free,
        "flights": [],
        "passengers": within("passengers", lambda value: objects(PASSENGER, value), booking["passengers"]),
        "payment_history": within("payment_methods", lambda value: objects(PAYMENT, value), booking["payment_history"]),
        "created_at": NOW,
    }
    return {name: within(name, reader, given[name]) for name, reader in BOOKING.items()} | {"status": None}


def _sold(rows: Rows, wanted: Row, cabin: Any, passengers: int, *, days: Mapping[str, Row]) -> tuple[Row, Row]:
    """Return the segment a flight sells as today, and its day; `days` are those this call has seen already."""
    number, date = wanted["flight_number"], wanted["date"]
    flight = rows.get(FLIGHTS, number)
    key = f"{number} {date}"
    day = days.get(key) or rows.get(DAYS, key)
    if day["status"] != "available":
        raise ToolError(f"Flight {number} cannot be booked on {date}: its status is {day['status']}")
    if not isinstance(cabin, str) or cabin not in day["available_seats"] or cabin not in day["prices"]:
        raise ToolError(f"Flight {number} has no cabin {cabin!r}")
    if day["available_seats"][cabin] < passengers:
        raise ToolError(f"Flight {number} has too few {cabin} seats on {date}")
    segment = {
        "flight_number": number,
        "origin": flight["origin"],
        "destination": flight["destination"],
        "date": date,
        "price": day["prices"][cabin],
    }
    return segment, day


def _pay(user: Row, payments: Sequence[Row], total: float) -> None:
    methods = user["payment_methods"]
    for payment in payments:
        method = methods.get(payment["payment_id"])
        if method is None:
            raise ToolError(f"Payment method '{payment['payment_id']}' is not in the profile of {user['user_id']}")
        if method["source"] != "credit_card" and method["amount"] < payment["amount"]:
            raise ToolError(f"Payment method '{payment['payment_id']}' holds only {method['amount']}")
    paid = sum(payment["amount"] for payment in payments)
    if paid != total:
        raise ToolError(f"The payments do not add up: the total price is {total}, the payments are {paid}")
    for payment in payments:
        method = methods.get(payment["payment_id"])
        if method is None:
            raise ToolError(f"Certificate '{payment['payment_id']}' was used up by an earlier payment")
        if method["source"] == "gift_card":
            method["amount"] -= payment["amount"]
        elif method["source"] == "certificate":
            del methods[payment["payment_id"]]


def _countable(value: Any) -> float:
    if not isinstance(value, int | float):
        raise ToolError(f"nonfree_baggages should be a number, not {value!r}")
    return value
