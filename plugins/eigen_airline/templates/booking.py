"""Booking: one way and round trips, connections, bags and mixed payments."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from eigen_airline.records import (
    Certificate,
    CreditCard,
    GiftCard,
    User,
)
from eigen_airline.rules import BAG_FEE
from eigen_airline.templates import telling
from eigen_airline.templates.drafting import (
    Scene,
    amount,
    call,
    drafted,
    stored,
    template,
)
from eigen_airline.templates.itineraries import CONNECTION
from eigen_airline.templates.planning import BOOKED, Trip, booking_goal, plan_trip
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action


def _paid_by_card(scene: Scene, user: User, trip: Trip | None, *, reads: Sequence[Action] = ()) -> Draft | None:
    if trip is None:
        return None
    card = scene.pick(stored(user, CreditCard)).id
    return drafted(
        user,
        booking_goal(scene, trip, telling.pay_with(scene, user, card)),
        gold=[*reads, *trip.reads(), trip.booking([(card, trip.total)])],
        communicate=[amount(trip.total, "total price")],
    )


@template(tools=BOOKED, clauses=("1.1", "2.1", "3.1", "3.3"), difficulty=1)
def book_one_way(scene: Scene) -> Draft | None:
    """One way, nonstop, paid by credit card."""
    user = scene.user()
    return None if user is None else _paid_by_card(scene, user, plan_trip(scene, user))


@template(tools=(*BOOKED, "list_all_airports"), clauses=("1.1", "2.1", "3.1", "5.4"), difficulty=2)
def book_round_trip(scene: Scene) -> Draft | None:
    """There and back for two or three; a careful agent looks up the airport codes of the cities."""
    user = scene.user()
    if user is None:
        return None
    trip = plan_trip(scene, user, people=(2, 2, 3), round_trip=True)
    return _paid_by_card(scene, user, trip, reads=[call("list_all_airports")])


@template(
    tools=("get_user_details", "search_onestop_flight", "book_reservation"),
    clauses=("1.1", "2.1", "3.1"),
    difficulty=2,
)
def book_connection(scene: Scene) -> Draft | None:
    """One way with a change of planes."""
    user = scene.user()
    return None if user is None else _paid_by_card(scene, user, plan_trip(scene, user, wanted=(CONNECTION,)))


@template(tools=BOOKED, clauses=("1.1", "2.1", "3.2", "5.1", "5.2"), difficulty=2)
def book_with_paid_bags(scene: Scene) -> Draft | None:
    """A family with more bags than are free; the careless author charges none or all of them."""
    user = scene.user()
    trip = None if user is None else plan_trip(scene, user, people=(2, 3, 4), bags=scene.pick((1, 2)))
    draft = None if user is None else _paid_by_card(scene, user, trip)
    if draft is None or trip is None:
        return None
    booked = draft.gold[-1]
    card = booked.arguments["payment_methods"][0]["payment_id"]
    careless = trip.booking([(card, trip.total - BAG_FEE * trip.paid_bags)], paid=0)
    return dataclasses.replace(draft, breach=(*draft.gold[:-1], careless))


@template(tools=BOOKED, clauses=("1.1", "2.1", "4.1", "4.2"), difficulty=3)
def book_mixed_payment(scene: Scene) -> Draft | None:
    """A certificate first, then gift cards, the rest on a credit card."""
    user = scene.user(lambda user: bool(stored(user, Certificate)) and bool(stored(user, GiftCard)))
    trip = None if user is None else plan_trip(scene, user, people=(2, 3))
    if user is None or trip is None:
        return None
    gifts = stored(user, GiftCard)[:2]
    order = [scene.pick(stored(user, Certificate)), *gifts]
    payments, left = [], trip.total
    for method in order:
        used = min(left, int(method.amount))
        if used:
            payments.append((method.id, used))
        left -= used
    if left <= 0 or len(payments) < 2:
        return None
    card = scene.pick(stored(user, CreditCard)).id
    payments.append((card, left))
    return drafted(
        user,
        booking_goal(scene, trip, telling.pay_in_turn([key for key, _ in payments])),
        gold=[*trip.reads(), trip.booking(payments)],
        communicate=[amount(trip.total, "total price")],
    )
