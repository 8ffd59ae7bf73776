"""Guards of certificates: who gets one, how much, and when."""

from __future__ import annotations

from collections.abc import Iterator

from eigen_airline.conditions import entitled, statuses
from eigen_airline.guard_arguments import amount_of
from eigen_airline.records import Reservation, User
from eigen_airline.rules import CANCELLED_FLIGHT_COMPENSATION, DELAYED_FLIGHT_COMPENSATION
from eigen_cli.api.domain import GuardContext


def compensation_deserved(context: GuardContext) -> str | None:
    """Clause 8.2: some reservation with trouble on it entitles the customer."""
    user = context.world.table(User).get(str(context.arguments.get("user_id")))
    if user is None or any(entitled(user, reservation) for reservation, _, _ in _troubled(context, user)):
        return None
    return "a regular member, and no troubled reservation is insured or in business"


def compensation_amount_right(context: GuardContext) -> str | None:
    """Clause 8.3: the amount is that of one of the customer's troubled reservations."""
    user, amount = context.world.table(User).get(str(context.arguments.get("user_id"))), amount_of(context)
    if user is None:
        return None
    right = {due for _, due, _ in _troubled(context, user)}
    return None if amount in right else f"{amount} dollars; right would be {sorted(right) or 'none'}"


def delay_settled_first(context: GuardContext) -> str | None:
    """Clause 8.4: an amount due for a delay is sent only after that reservation was changed or cancelled."""
    user, amount = context.world.table(User).get(str(context.arguments.get("user_id"))), amount_of(context)
    if user is None:
        return None
    settled = [settled for _, due, settled in _troubled(context, user) if due == amount]
    return "the delayed reservation was neither changed nor cancelled" if settled and not any(settled) else None


def compensated_once(context: GuardContext) -> str | None:
    """Clause 8.5: no reservation is compensated twice in one call."""
    user, amount = context.world.table(User).get(str(context.arguments.get("user_id"))), amount_of(context)
    if user is None:
        return None
    sent = sum(
        action.name == "send_certificate" and action.arguments.get("amount") == amount for action in context.earlier
    )
    due = sum(due == amount for _, due, _ in _troubled(context, user))
    return f"{sent} certificates over {amount} dollars were sent before" if sent and sent >= due else None


def _troubled(context: GuardContext, user: User) -> Iterator[tuple[Reservation, int, bool]]:
    """Yield reservations with a cancelled or delayed flight, the amount due, and whether it may be sent now.

    A delayed flight may be gone after the change, so a reservation changed or cancelled earlier in the call counts.
    """
    handled = {
        action.arguments.get("reservation_id")
        for action in context.earlier
        if action.name in ("update_reservation_flights", "cancel_reservation")
    }
    for reservation_id in user.reservations:
        reservation = context.world.table(Reservation).get(reservation_id)
        if reservation is None:
            continue
        found, people = statuses(context.world, reservation), len(reservation.passengers)
        if "cancelled" in found:
            yield reservation, CANCELLED_FLIGHT_COMPENSATION * people, True
        if "delayed" in found or reservation_id in handled:
            yield reservation, DELAYED_FLIGHT_COMPENSATION * people, reservation_id in handled
