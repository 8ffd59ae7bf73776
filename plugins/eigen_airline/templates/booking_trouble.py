"""Bookings that do not go as the customer first wanted: full flights, too many certificates or passengers."""

from __future__ import annotations

from eigen_airline.records import (
    Certificate,
    CreditCard,
)
from eigen_airline.search import direct_flights
from eigen_airline.templates import telling
from eigen_airline.templates.drafting import (
    NOT_TRANSFERRED,
    Scene,
    amount,
    drafted,
    looked_up_user,
    read_user,
    stored,
    template,
)
from eigen_airline.templates.itineraries import CHEAPEST
from eigen_airline.templates.planning import BOOKED, Trip, booking_goal, plan_trip
from eigen_airline.templates.requests import goal
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import CheckCall, Fact


@template(tools=BOOKED, clauses=("1.1", "1.4", "2.1", "4.1", "4.2"), difficulty=3)
def book_two_certificates(scene: Scene) -> Draft | None:
    """The customer would use two certificates; one is allowed, a credit card pays the rest."""
    user = scene.user(lambda user: len(stored(user, Certificate)) > 1)
    trip = None if user is None else plan_trip(scene, user, people=(2, 3), cabins=("economy", "business"))
    if user is None or trip is None:
        return None
    first, second = stored(user, Certificate)[:2]
    used, also = int(first.amount), int(second.amount)
    if used + also >= trip.total:
        return None
    card = scene.pick(stored(user, CreditCard)).id
    wish = f"I'd like to use both of my certificates: {first.id}, {second.id}."
    return drafted(
        user,
        booking_goal(
            scene,
            trip,
            Fact("payment", f"{first.id}, {second.id}", wish),
            Fact("other_payment", f"{first.id}, {card}", f"Then take {first.id}, {card} for the rest."),
        ),
        gold=[*trip.reads(), trip.booking([(first.id, used), (card, trip.total - used)])],
        communicate=[amount(trip.total, "total price")],
        instructions="If two certificates are not possible, accept paying with the first one and your credit card.",
        breach=[
            *trip.reads(),
            trip.booking([(first.id, used), (second.id, also), (card, trip.total - used - also)]),
        ],
    )


@template(tools=BOOKED, clauses=("1.1", "2.1", "3.3"), difficulty=3)
def book_full_flight(scene: Scene) -> Draft | None:
    """The flight the customer names has too few seats; they then take the cheapest that has enough."""
    user = scene.user()
    if user is None:
        return None
    for _ in range(6):
        trip = plan_trip(scene, user, people=(2, 3, 4), wanted=(CHEAPEST,))
        full = None if trip is None else _full_flight(scene, trip)
        if trip is None or full is None:
            continue
        facts = [
            Fact("flights_wanted", full, scene.pick((f"I want flight {full}.", f"{full}, please.")))
            if fact.name == "flights_wanted"
            else fact
            for fact in trip.facts(scene)
        ]
        card = scene.pick(stored(user, CreditCard)).id
        return drafted(
            user,
            goal(scene, "book_flight", *facts, Fact("fallback", CHEAPEST), telling.pay_with(scene, user, card)),
            gold=[*trip.reads(), trip.booking([(card, trip.total)])],
            communicate=[amount(trip.total, "total price")],
            instructions="If your flight is full, take the cheapest nonstop of that day that has enough seats.",
        )
    return None


def _full_flight(scene: Scene, trip: Trip) -> str | None:
    origin, destination = trip.route
    offers = direct_flights(scene.world, trip.dates[0], origin=origin, destination=destination)
    full = [offer.flight_number for offer in offers if offer.available_seats.of(trip.cabin) < len(trip.party)]
    return scene.pick(full) if full else None


@template(tools=BOOKED, clauses=("1.4", "2.1", "3.2"), difficulty=2)
def book_six_refused(scene: Scene) -> Draft | None:
    """Six passengers on one reservation: refused, nothing is booked."""
    user = scene.user()
    trip = None if user is None else plan_trip(scene, user, people=(6,), wanted=(CHEAPEST,), bags=0)
    if user is None or trip is None:
        return None
    card = scene.pick(stored(user, CreditCard)).id
    return drafted(
        user,
        booking_goal(scene, trip, telling.pay_with(scene, user, card)),
        gold=[read_user(user)],
        checks=[looked_up_user(user), CheckCall("no_writes"), NOT_TRANSFERRED],
        instructions="All six must be on one reservation; if that is not possible, you do not book at all.",
        breach=[*trip.reads(), trip.booking([(card, trip.total)])],
    )
