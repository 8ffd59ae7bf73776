"""Changing the cabin of a whole reservation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eigen_airline.records import Cabin, Reservation, User
from eigen_airline.templates import telling
from eigen_airline.templates.drafting import (
    Held,
    Scene,
    amount,
    call,
    drafted,
    read_reservation,
    read_user,
    template,
)
from eigen_airline.templates.itineraries import kept, repriced, searches, sold_for
from eigen_airline.templates.requests import goal
from eigen_airline.templates.situations import upcoming
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action

_CHANGED = ("get_user_details", "get_reservation_details", "search_direct_flight", "update_reservation_flights")


@dataclass(frozen=True)
class CabinMove:
    """A change of cabin at today's fares."""

    user: User
    reservation: Reservation
    cabin: Cabin
    difference: int

    def update(self, payment_id: str) -> Action:
        """Return the changing call: same flights, other cabin."""
        return call(
            "update_reservation_flights",
            reservation_id=self.reservation.reservation_id,
            cabin=self.cabin,
            flights=list(kept(self.reservation.flights)),
            payment_id=payment_id,
        )

    def gold(self, payment_id: str) -> list[Action]:
        """Return reads, a search a segment, and the change."""
        reads = [read_user(self.user), read_reservation(self.reservation)]
        return [*reads, *searches(self.reservation), self.update(payment_id)]


def cabin_move(scene: Scene, held: Held, cabin: Cabin) -> CabinMove | None:
    """Return the change of a reservation to a cabin, where seats are left and the price moves."""
    user, reservation = held
    fares = repriced(scene.world, reservation, cabin)
    difference = 0 if fares is None else (fares - sold_for(reservation.flights)) * len(reservation.passengers)
    return CabinMove(user, reservation, cabin, difference) if difference else None


def cabin_change(scene: Scene, *, start: Sequence[Cabin], to: Sequence[Cabin], wording: str) -> Draft | None:
    """Return a draft in which an upcoming reservation moves between cabins."""
    fits = upcoming(scene)
    held = scene.held(lambda user, reservation: reservation.cabin in start and fits(user, reservation))
    if held is None:
        return None
    found = cabin_move(scene, held, scene.pick([cabin for cabin in to if cabin != held[1].cabin]))
    payment = None if found is None else scene.payer(found.user, found.difference)
    if found is None or payment is None:
        return None
    facts = (telling.which(found.reservation), telling.cabin(found.cabin))
    return drafted(
        found.user,
        goal(scene, "change_cabin", *facts, telling.pay_with(scene, found.user, payment), wording=wording),
        gold=found.gold(payment),
        communicate=[amount(found.difference, "price difference")],
    )


@template(tools=_CHANGED, clauses=("1.1", "2.1", "4.3", "6.4"), difficulty=2)
def upgrade_cabin(scene: Scene) -> Draft | None:
    """Up to business."""
    return cabin_change(scene, start=("economy", "basic_economy"), to=("business",), wording="upgrade")


@template(tools=_CHANGED, clauses=("1.1", "2.1", "6.1", "6.4"), difficulty=2)
def upgrade_basic_economy(scene: Scene) -> Draft | None:
    """Basic economy may not change flights, but it may change cabin."""
    return cabin_change(scene, start=("basic_economy",), to=("economy",), wording="upgrade")


@template(tools=_CHANGED, clauses=("1.1", "2.1", "6.3", "6.4"), difficulty=2)
def downgrade_cabin(scene: Scene) -> Draft | None:
    """Down, with the difference paid back."""
    return cabin_change(scene, start=("business",), to=("economy", "basic_economy"), wording="downgrade")
