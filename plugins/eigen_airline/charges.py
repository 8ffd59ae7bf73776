"""What a call is about to charge or pay back, worked out from the world before it as its tool works it out.

Amounts are dollars without a sign. Arguments that cannot be read, and calls that a tool refuses, come to nothing.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable

from eigen_airline.changes import bag_charge, fare_difference, refund_of
from eigen_airline.guard_arguments import amount_of, flights_of, listed, reservation_of
from eigen_airline.records import CABINS
from eigen_cli.api.domain import GuardContext
from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import Money, money


def charged_by(context: GuardContext) -> Money:
    """Return what a call charges or pays back in all; 0 where no money moves."""
    work_out = _WORKED_OUT.get(context.name)
    return money(0) if work_out is None else abs(work_out(context))


def shares_of(context: GuardContext) -> dict[str, Money]:
    """Return what each payment method is charged or given back, as far as the call names methods."""
    if "payment_id" in context.arguments:
        return {str(context.arguments["payment_id"]): charged_by(context)}
    shares: dict[str, Money] = {}
    for entry in listed(context.arguments, "payment_methods"):
        if isinstance(entry, dict):
            payment_id = str(entry.get("payment_id"))
            shares[payment_id] = shares.get(payment_id, money(0)) + _dollars(entry.get("amount"))
    return shares


def _booked(context: GuardContext) -> Money:
    # The tool takes payments only where they add up to the price.
    return sum(shares_of(context).values(), money(0))


def _rebooked(context: GuardContext) -> Money:
    reservation, cabin = reservation_of(context), context.arguments.get("cabin")
    named = next((one for one in CABINS if one == cabin), None)
    if reservation is None or named is None:
        return money(0)
    try:
        return money(fare_difference(context.world, reservation, cabin=named, flights=flights_of(context.arguments)))
    except ToolError:
        return money(0)


def _bags_added(context: GuardContext) -> Money:
    reservation, paid = reservation_of(context), str(context.arguments.get("nonfree_baggages"))
    return money(0) if reservation is None or not paid.isdigit() else money(bag_charge(reservation, int(paid)))


def _given_back(context: GuardContext) -> Money:
    reservation = reservation_of(context)
    return money(0) if reservation is None else refund_of(reservation)


def _compensated(context: GuardContext) -> Money:
    return money(amount_of(context))


def _dollars(value: object) -> Money:
    try:
        return money(str(value))
    except decimal.InvalidOperation:
        return money(0)


_WORKED_OUT: dict[str, Callable[[GuardContext], Money]] = {
    "book_reservation": _booked,
    "update_reservation_flights": _rebooked,
    "update_reservation_baggages": _bags_added,
    "cancel_reservation": _given_back,
    "send_certificate": _compensated,
}
