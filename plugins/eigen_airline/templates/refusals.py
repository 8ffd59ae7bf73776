"""What the policy forbids: the agent looks the facts up, says no, changes nothing and transfers nobody."""

from __future__ import annotations

from collections.abc import Sequence

from eigen_airline.airports import CITY, CODES
from eigen_airline.customers import passenger
from eigen_airline.records import CreditCard
from eigen_airline.search import direct_flights
from eigen_airline.templates import telling
from eigen_airline.templates.baggage import paid_with, set_bags
from eigen_airline.templates.cancelling import HEALTH, PLANS, WORK, cancel_goal, cancelled
from eigen_airline.templates.changes import BOTH, OUTBOUND, move
from eigen_airline.templates.drafting import (
    NOT_TRANSFERRED,
    Held,
    Scene,
    call,
    drafted,
    looked_up_user,
    read_reservation,
    read_user,
    refused,
    stored,
    template,
)
from eigen_airline.templates.requests import goal
from eigen_airline.templates.situations import begun, bound, upcoming
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action, CheckCall, Fact, Goal

_READ = ("get_user_details", "get_reservation_details")
_INSIST = (
    "Ask once more when you are turned down, then accept it.",
    "When refused, ask whether an exception is possible; after the second no you let it go.",
    "You accept a clear no.",
)


def _refusal(scene: Scene, held: Held, wish: Goal, *, breach: Sequence[Action] = (), say: str = "") -> Draft:
    user, reservation = held
    reads = [read_user(user), read_reservation(reservation)]
    return drafted(
        user,
        wish,
        gold=reads,
        checks=refused(reservation),
        instructions=say or scene.pick(_INSIST),
        breach=[*reads, *breach] if breach else [],
    )


@template(tools=_READ, clauses=("1.4", "2.1", "6.1"), difficulty=2)
def basic_economy_change_refused(scene: Scene) -> Draft | None:
    """Another date for a basic economy trip."""
    fits = upcoming(scene)
    held = scene.held(
        lambda user, reservation: (
            reservation.cabin == "basic_economy"
            and len(reservation.flights) <= 2
            and (reservation.flight_type == "round_trip") == (len(reservation.flights) == 2)
            and fits(user, reservation)
        )
    )
    if held is None:
        return None
    user, reservation = held
    found = move(scene, held, scope=OUTBOUND if reservation.flight_type == "round_trip" else BOTH)
    payment = None if found is None else scene.payer(user, found.difference)
    if found is None or payment is None:
        return None
    facts = (telling.which(reservation), *found.facts, telling.pay_with(scene, user, payment))
    wish = goal(scene, "change_flights", *facts)
    return _refusal(scene, held, wish, breach=[*found.searches, found.update(payment)])


@template(tools=_READ, clauses=("1.4", "2.1", "6.2"), difficulty=2)
def route_change_refused(scene: Scene) -> Draft | None:
    """Another destination for a one-way trip."""
    fits = upcoming(scene)
    held = scene.held(
        lambda user, reservation: (
            reservation.cabin != "basic_economy" and reservation.flight_type == "one_way" and fits(user, reservation)
        )
    )
    if held is None:
        return None
    user, reservation = held
    date, people = reservation.flights[0].date, len(reservation.passengers)
    for code in scene.shuffled(CODES):
        offers = [
            offer
            for offer in direct_flights(scene.world, date, origin=reservation.origin, destination=code)
            if code != reservation.destination and offer.available_seats.of(reservation.cabin) >= people
        ]
        if offers:
            break
    else:
        return None
    update = call(
        "update_reservation_flights",
        reservation_id=reservation.reservation_id,
        cabin=reservation.cabin,
        flights=[{"flight_number": offers[0].flight_number, "date": date.isoformat()}],
        payment_id=scene.pick(stored(user, CreditCard)).id,
    )
    wanted = Fact("destination", code, f"I want to go to {CITY[code]} instead.")
    wish = goal(scene, "change_route", telling.which(reservation), wanted)
    return _refusal(scene, held, wish, breach=[update])


@template(tools=_READ, clauses=("1.4", "2.1", "6.4"), difficulty=2)
def cabin_change_flown_refused(scene: Scene) -> Draft | None:
    """An upgrade of a trip that has begun."""
    fits = begun(scene)
    held = scene.held(
        lambda user, reservation: (
            reservation.cabin != "business"
            and reservation.flights[-1].date > scene.world.now.date()
            and fits(user, reservation)
        )
    )
    if held is None:
        return None
    user, reservation = held
    card = scene.pick(stored(user, CreditCard)).id
    facts = (telling.which(reservation), telling.cabin("business"), telling.pay_with(scene, user, card))
    return _refusal(scene, held, goal(scene, "change_cabin", *facts, wording="upgrade"))


@template(tools=_READ, clauses=("1.4", "2.1", "6.6"), difficulty=3)
def flown_segment_change_refused(scene: Scene) -> Draft | None:
    """Another date for the outbound that was flown days ago."""
    fits = begun(scene)
    held = scene.held(
        lambda user, reservation: (
            reservation.cabin != "basic_economy"
            and len(reservation.flights) == 2
            and reservation.flight_type == "round_trip"
            and reservation.flights[1].date > scene.world.now.date()
            and fits(user, reservation)
        )
    )
    found = None if held is None else move(scene, held, scope=OUTBOUND)
    payment = None if held is None or found is None else scene.payer(held[0], found.difference)
    if held is None or found is None or payment is None:
        return None
    facts = (telling.which(held[1]), *found.facts, telling.pay_with(scene, held[0], payment))
    wish = goal(scene, "change_flights", *facts)
    return _refusal(scene, held, wish, breach=[*found.searches, found.update(payment)])


@template(tools=_READ, clauses=("1.4", "2.1", "5.3"), difficulty=1)
def bag_removal_refused(scene: Scene) -> Draft | None:
    """A bag less, money back."""
    fits = upcoming(scene)
    held = scene.held(lambda user, reservation: reservation.total_baggages > 0 and fits(user, reservation))
    if held is None:
        return None
    user, reservation = held
    fewer = 1 + int(scene.rng.random() * min(2, reservation.total_baggages))
    total = reservation.total_baggages - fewer
    careless = set_bags(
        reservation,
        scene.pick(stored(user, CreditCard)).id,
        total=total,
        paid=paid_with(user, reservation, total=total),
    )
    words = scene.pick((f"{fewer} fewer.", f"Take off {fewer}.", f"I no longer need {fewer} of them."))
    wish = goal(scene, "remove_bags", telling.which(reservation), Fact("fewer_bags", fewer, words))
    return _refusal(scene, held, wish, breach=[careless])


@template(tools=_READ, clauses=("1.4", "2.1", "5.4"), difficulty=1)
def insurance_later_refused(scene: Scene) -> Draft | None:
    """Insurance for a trip booked without it."""
    fits = upcoming(scene)
    held = scene.held(lambda user, reservation: reservation.insurance == "no" and fits(user, reservation))
    return None if held is None else _refusal(scene, held, goal(scene, "add_insurance", telling.which(held[1])))


@template(tools=_READ, clauses=("1.4", "2.1", "6.5", "9.1"), difficulty=2)
def extra_passenger_refused(scene: Scene) -> Draft | None:
    """One more passenger: not possible, not even by a human."""
    held = scene.held(upcoming(scene))
    if held is None:
        return None
    new = passenger(scene.rng)
    wish = goal(scene, "add_passenger", telling.which(held[1]), telling.person("new_passenger", new))
    return _refusal(scene, held, wish, say="When refused, ask to speak to a human about it; then accept the no.")


@template(tools=_READ, clauses=("1.4", "2.1", "7.1", "7.3"), difficulty=2)
def cancellation_refused(scene: Scene) -> Draft | None:
    """Not recent, not business, not called off, not insured."""
    fits = bound(scene)
    held = scene.held(lambda user, reservation: reservation.insurance == "no" and fits(user, reservation))
    if held is None:
        return None
    wish = cancel_goal(scene, scene.pick((PLANS, HEALTH, WORK)), telling.which(held[1]))
    return _refusal(scene, held, wish, breach=[cancelled(held[1])])


@template(tools=_READ, clauses=("1.4", "2.1", "5.4", "7.3"), difficulty=3)
def insured_reason_refused(scene: Scene) -> Draft | None:
    """Insured, but for a reason the insurance does not cover."""
    fits = bound(scene)
    held = scene.held(lambda user, reservation: reservation.insurance == "yes" and fits(user, reservation))
    if held is None:
        return None
    return _refusal(scene, held, cancel_goal(scene, scene.pick((PLANS, WORK)), telling.which(held[1])))


@template(tools=_READ, clauses=("1.4", "2.1", "6.7"), difficulty=2)
def closed_reservation_refused(scene: Scene) -> Draft | None:
    """Bags for a reservation that was cancelled earlier."""
    held = scene.held(
        lambda _, reservation: (
            reservation.status == "cancelled" and reservation.flights[0].date > scene.world.now.date()
        )
    )
    if held is None:
        return None
    user, reservation = held
    card = scene.pick(stored(user, CreditCard)).id
    total = reservation.total_baggages + 1
    careless = set_bags(reservation, card, total=total, paid=paid_with(user, reservation, total=total))
    facts = (
        telling.which(reservation),
        Fact("extra_bags", 1, "Just 1 more."),
        telling.pay_with(scene, user, card),
    )
    return _refusal(scene, held, goal(scene, "add_bags", *facts), breach=[careless])


@template(tools=("get_user_details",), clauses=("1.4", "2.1", "2.2"), difficulty=2)
def stranger_reservation_refused(scene: Scene) -> Draft | None:
    """A reservation that is not on the caller's profile."""
    fits = upcoming(scene)
    held = scene.held(lambda user, reservation: reservation.cabin == "business" and fits(user, reservation))
    caller = scene.user(lambda user: held is not None and user.user_id != held[0].user_id)
    if held is None or caller is None:
        return None
    return drafted(
        caller,
        cancel_goal(scene, PLANS, telling.which(held[1])),
        gold=[read_user(caller)],
        checks=[looked_up_user(caller), CheckCall("no_writes"), NOT_TRANSFERRED],
        instructions="It is your sister's booking and she asked you to call; you do not know her user id.",
    )
