"""In what state a reservation is, in the terms clauses use; templates draw by these."""

from __future__ import annotations

from eigen_airline.conditions import any_flown, may_cancel, statuses
from eigen_airline.records import Reservation, User
from eigen_airline.rules import FREE_CANCELLATION
from eigen_airline.templates.drafting import Fits, Scene


def upcoming(scene: Scene) -> Fits:
    """Open, and every flight still on sale."""

    def fits(_: User, reservation: Reservation) -> bool:
        return reservation.status is None and all(
            status == "available" for status in statuses(scene.world, reservation)
        )

    return fits


def begun(scene: Scene) -> Fits:
    """Open, with a flown segment."""

    def fits(_: User, reservation: Reservation) -> bool:
        return reservation.status is None and any_flown(scene.world, reservation)

    return fits


def called_off(scene: Scene) -> Fits:
    """Open, nothing flown, and we cancelled one of its flights."""

    def fits(_: User, reservation: Reservation) -> bool:
        found = statuses(scene.world, reservation)
        return reservation.status is None and "cancelled" in found and not any_flown(scene.world, reservation)

    return fits


def late(scene: Scene) -> Fits:
    """Open, nothing flown, one flight delayed and none cancelled."""

    def fits(_: User, reservation: Reservation) -> bool:
        found = statuses(scene.world, reservation)
        return (
            reservation.status is None
            and "delayed" in found
            and "cancelled" not in found
            and not any_flown(scene.world, reservation)
        )

    return fits


def just_booked(scene: Scene) -> Fits:
    """On sale, booked within the last 24 hours, and cancellable for no other reason."""
    on_sale = upcoming(scene)

    def fits(user: User, reservation: Reservation) -> bool:
        recent = scene.world.now - reservation.created_at <= FREE_CANCELLATION
        return recent and reservation.cabin != "business" and on_sale(user, reservation)

    return fits


def bound(scene: Scene) -> Fits:
    """On sale and not cancellable for whatever reason, insured reasons aside."""
    on_sale = upcoming(scene)
    return lambda user, reservation: on_sale(user, reservation) and not may_cancel(scene.world, reservation)
