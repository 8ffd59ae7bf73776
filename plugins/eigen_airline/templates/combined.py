"""Several wishes in one call, some granted, some not."""

from __future__ import annotations

from eigen_airline.conditions import may_cancel
from eigen_airline.customers import passenger
from eigen_airline.records import CreditCard
from eigen_airline.rules import BAG_FEE
from eigen_airline.templates import telling
from eigen_airline.templates.baggage import extra, paid_with, set_bags
from eigen_airline.templates.cabins import cabin_move
from eigen_airline.templates.cancelling import PLANS, WORK, cancel_goal, cancelled, refund
from eigen_airline.templates.drafting import (
    NOT_TRANSFERRED,
    Scene,
    amount,
    drafted,
    looked_up,
    named,
    read_reservation,
    read_user,
    stored,
    template,
)
from eigen_airline.templates.people import with_passenger
from eigen_airline.templates.planning import booking_goal, plan_trip
from eigen_airline.templates.requests import goal
from eigen_airline.templates.situations import bound, upcoming
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import CheckCall, Fact

_READ = ("get_user_details", "get_reservation_details")


@template(
    tools=(*_READ, "search_direct_flight", "cancel_reservation", "book_reservation"),
    clauses=("1.1", "1.2", "2.1", "3.1", "7.3", "7.4"),
    difficulty=3,
)
def cancel_then_book(scene: Scene) -> Draft | None:
    """One trip is called off, another one booked."""
    fits = upcoming(scene)
    held = scene.held(lambda user, reservation: fits(user, reservation) and may_cancel(scene.world, reservation))
    trip = None if held is None else plan_trip(scene, held[0], people=(1, 2))
    if held is None or trip is None:
        return None
    user, reservation = held
    card = scene.pick(stored(user, CreditCard)).id
    return drafted(
        user,
        cancel_goal(scene, PLANS, telling.which(reservation)),
        booking_goal(scene, trip, telling.pay_with(scene, user, card)),
        gold=[
            read_user(user),
            read_reservation(reservation),
            cancelled(reservation),
            *trip.reads()[1:],
            trip.booking([(card, trip.total)]),
        ],
        communicate=[amount(refund(reservation), "refund"), amount(trip.total, "total price")],
    )


@template(
    tools=(*_READ, "update_reservation_baggages", "update_reservation_passengers"),
    clauses=("1.1", "1.2", "2.1", "5.1", "5.2", "6.5"),
    difficulty=3,
)
def bags_and_passenger(scene: Scene) -> Draft | None:
    """More bags and another passenger on one reservation."""
    fits, count = upcoming(scene), scene.pick((1, 2))
    held = scene.held(lambda user, reservation: len(reservation.passengers) > 1 and fits(user, reservation))
    if held is None:
        return None
    user, reservation = held
    total = reservation.total_baggages + count
    paid = paid_with(user, reservation, total=total)
    charge = BAG_FEE * (paid - reservation.nonfree_baggages)
    payment = scene.payer(user, charge)
    old, new = scene.pick(reservation.passengers[1:]), passenger(scene.rng)
    if payment is None or any(person.full_name == new.full_name for person in reservation.passengers):
        return None
    return drafted(
        user,
        goal(
            scene, "add_bags", telling.which(reservation), extra(scene, count), telling.pay_with(scene, user, payment)
        ),
        goal(
            scene,
            "change_passengers",
            telling.which(reservation),
            Fact("old_passenger", old.full_name),
            telling.person("new_passenger", new),
        ),
        gold=[
            read_user(user),
            read_reservation(reservation),
            set_bags(reservation, payment, total=total, paid=paid),
            with_passenger(reservation, old, new),
        ],
        communicate=[
            *([amount(charge, "charge for the bags")] if charge else []),
            named(new.full_name, "new passenger"),
        ],
    )


@template(
    tools=(*_READ, "search_direct_flight", "update_reservation_flights", "update_reservation_baggages"),
    clauses=("1.1", "1.2", "2.1", "4.3", "5.1", "6.4"),
    difficulty=3,
)
def upgrade_and_bags(scene: Scene) -> Draft | None:
    """First the cabin, then bags that the new cabin makes free."""
    fits = upcoming(scene)
    held = scene.held(
        lambda user, reservation: (
            reservation.cabin != "business" and reservation.nonfree_baggages == 0 and fits(user, reservation)
        )
    )
    found = None if held is None else cabin_move(scene, held, "business")
    if held is None or found is None or found.difference <= 0:
        return None
    user, reservation = held
    card = scene.pick(stored(user, CreditCard)).id
    total = reservation.total_baggages + 1
    return drafted(
        user,
        goal(
            scene,
            "change_cabin",
            telling.which(reservation),
            telling.cabin("business"),
            telling.pay_with(scene, user, card),
            wording="upgrade",
        ),
        goal(scene, "add_bags", telling.which(reservation), extra(scene, 1), telling.pay_with(scene, user, card)),
        gold=[*found.gold(card), set_bags(reservation, card, total=total, paid=0)],
        communicate=[amount(found.difference, "price difference")],
        instructions="The upgrade comes first: you hope that it makes your bag free.",
    )


@template(
    tools=(*_READ, "search_direct_flight", "update_reservation_flights"),
    clauses=("1.1", "1.4", "2.1", "6.4", "7.1", "7.3"),
    difficulty=3,
)
def cancellation_refused_then_downgrade(scene: Scene) -> Draft | None:
    """The trip cannot be cancelled, but it can be made cheaper."""
    fits = bound(scene)
    held = scene.held(
        lambda user, reservation: (
            reservation.cabin == "economy" and reservation.insurance == "no" and fits(user, reservation)
        )
    )
    found = None if held is None else cabin_move(scene, held, "basic_economy")
    payment = None if held is None or found is None else scene.payer(held[0], found.difference)
    if held is None or found is None or payment is None:
        return None
    user, reservation = held
    gold = found.gold(payment)
    return drafted(
        user,
        cancel_goal(scene, scene.pick((PLANS, WORK)), telling.which(reservation)),
        goal(
            scene,
            "change_cabin",
            telling.which(reservation),
            telling.cabin("basic_economy"),
            telling.pay_with(scene, user, payment),
            wording="downgrade",
        ),
        gold=gold,
        communicate=[amount(found.difference, "price difference")],
        checks=[looked_up(reservation), NOT_TRANSFERRED],
        instructions="If the trip cannot be cancelled, you accept that and ask for the cheaper cabin.",
        breach=[read_user(user), read_reservation(reservation), cancelled(reservation)],
    )


@template(
    tools=(*_READ, "search_direct_flight", "book_reservation"),
    clauses=("1.1", "1.4", "2.1", "3.1", "5.3"),
    difficulty=3,
)
def bag_removal_refused_then_book(scene: Scene) -> Draft | None:
    """Bags stay on the old trip; a new trip is booked all the same."""
    fits = upcoming(scene)
    held = scene.held(lambda user, reservation: reservation.total_baggages > 0 and fits(user, reservation))
    trip = None if held is None else plan_trip(scene, held[0], people=(1, 2))
    if held is None or trip is None:
        return None
    user, reservation = held
    card = scene.pick(stored(user, CreditCard)).id
    booked = [*trip.reads()[1:], trip.booking([(card, trip.total)])]
    reads = [read_user(user), read_reservation(reservation)]
    total = reservation.total_baggages - 1
    careless = set_bags(reservation, card, total=total, paid=paid_with(user, reservation, total=total))
    return drafted(
        user,
        goal(scene, "remove_bags", telling.which(reservation), Fact("fewer_bags", 1, "Take off 1.")),
        booking_goal(scene, trip, telling.pay_with(scene, user, card)),
        gold=[*reads, *booked],
        communicate=[amount(trip.total, "total price")],
        checks=[looked_up(reservation), CheckCall("written_only", {"tools": ["book_reservation"]})],
        breach=[*reads, careless, *booked],
    )
