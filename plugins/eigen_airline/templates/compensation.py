"""Compensation: for cancelled flights, for delays once the trip is changed or cancelled, and where it is refused."""

from __future__ import annotations

from eigen_airline.conditions import entitled, statuses
from eigen_airline.records import Reservation, User
from eigen_airline.rules import CANCELLED_FLIGHT_COMPENSATION, DELAYED_FLIGHT_COMPENSATION
from eigen_airline.templates import telling
from eigen_airline.templates.cancelling import cancel_goal, cancelled, refund
from eigen_airline.templates.changes import OUTBOUND
from eigen_airline.templates.drafting import (
    Held,
    Scene,
    amount,
    call,
    drafted,
    read_reservation,
    read_user,
    refused,
    template,
)
from eigen_airline.templates.itineraries import CHEAPEST, ON_SALE, another_day, choose, directions, kept, sold_for
from eigen_airline.templates.requests import goal
from eigen_airline.templates.situations import called_off, late
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action, Fact

_SENT = ("get_user_details", "get_reservation_details", "get_flight_status", "send_certificate")
_LOOKED = ("get_user_details", "get_reservation_details", "get_flight_status")


def certificate(user: User, value: int) -> Action:
    """Return the sending of a certificate."""
    return call("send_certificate", user_id=user.user_id, amount=value)


def status_of(scene: Scene, reservation: Reservation, status: str) -> Action:
    """Return the look at the first segment that has a status."""
    segment = reservation.flights[statuses(scene.world, reservation).index(status)]
    return call("get_flight_status", flight_number=segment.flight_number, date=segment.date.isoformat())


def only_trouble(scene: Scene, user: User, reservation: Reservation) -> bool:
    """Whether no other reservation of the customer has a cancelled or delayed flight."""
    return not any(
        {"cancelled", "delayed"} & set(statuses(scene.world, other))
        for other in scene.reservations(user)
        if other.reservation_id != reservation.reservation_id
    )


def complaint_goal_facts(scene: Scene, reservation: Reservation, what: str) -> tuple[Fact, ...]:
    """Return the facts of a complaint about a cancelled or delayed flight."""
    words = ("My flight was {}.", "The flight got {}.", "It was {}.")
    return telling.which(reservation), Fact("complaint", what, scene.pick(words).format(what))


@template(tools=_SENT, clauses=("1.1", "2.1", "8.1", "8.2", "8.3"), difficulty=2)
def compensate_cancelled(scene: Scene) -> Draft | None:
    """We cancelled a flight and the customer is entitled; the careless author pays a round sum."""
    fits = called_off(scene)
    held = scene.held(
        lambda user, reservation: (
            entitled(user, reservation) and fits(user, reservation) and only_trouble(scene, user, reservation)
        )
    )
    if held is None:
        return None
    user, reservation = held
    due = CANCELLED_FLIGHT_COMPENSATION * len(reservation.passengers)
    reads = [read_user(user), read_reservation(reservation), status_of(scene, reservation, "cancelled")]
    demand = Fact("demand", f"${due + 150}")
    return drafted(
        user,
        goal(
            scene,
            "compensation",
            *complaint_goal_facts(scene, reservation, "cancelled"),
            *([demand] if scene.chance(0.4) else []),
            wording="compensation_cancelled",
        ),
        gold=[*reads, certificate(user, due)],
        communicate=[amount(due, "certificate")],
        unknown=("flight_number",),
        breach=[*reads, certificate(user, due + 150)],
    )


@template(
    tools=(*_SENT, "search_direct_flight", "update_reservation_flights"),
    clauses=("1.1", "2.1", "6.3", "8.2", "8.4"),
    difficulty=3,
)
def compensate_delay_after_change(scene: Scene) -> Draft | None:
    """A delayed flight, moved to another day at the customer's wish, then compensated."""
    fits = late(scene)
    held = scene.held(
        lambda user, reservation: (
            reservation.cabin != "basic_economy"
            and entitled(user, reservation)
            and len(directions(reservation)[0]) == 1
            and reservation.flights[0].date == scene.world.now.date()
            and fits(user, reservation)
            and only_trouble(scene, user, reservation)
        )
    )
    return None if held is None else _moved_and_compensated(scene, held)


def _moved_and_compensated(scene: Scene, held: Held) -> Draft | None:
    user, reservation = held
    (old,), back = directions(reservation)
    end = back[0].date if back else ON_SALE[-1]
    date = another_day(scene, after=old.date, before=end, but=old.date)
    people = len(reservation.passengers)
    route = (old.origin, old.destination)
    new = (
        None
        if date is None
        else choose(scene.world, date, CHEAPEST, route=route, cabin=reservation.cabin, seats=people)
    )
    if new is None:
        return None
    difference = (new.fare - sold_for([old])) * people
    payment = scene.payer(user, difference)
    if payment is None or not difference:
        return None
    due = DELAYED_FLIGHT_COMPENSATION * people
    update = call(
        "update_reservation_flights",
        reservation_id=reservation.reservation_id,
        cabin=reservation.cabin,
        flights=[*new.flights, *kept(back)],
        payment_id=payment,
    )
    scope = [Fact("change_scope", OUTBOUND)] if back else []
    reads = [read_user(user), read_reservation(reservation), status_of(scene, reservation, "delayed")]
    return drafted(
        user,
        goal(
            scene,
            "change_flights",
            telling.which(reservation),
            *scope,
            telling.day(scene, "departure_date", new.date),
            Fact("flights_wanted", CHEAPEST),
            telling.pay_with(scene, user, payment),
            wording="change_delayed",
        ),
        goal(
            scene, "compensation", *complaint_goal_facts(scene, reservation, "delayed"), wording="compensation_delayed"
        ),
        gold=[*reads, new.search, update, certificate(user, due)],
        communicate=[amount(difference, "price difference"), amount(due, "certificate")],
        unknown=("flight_number",),
        breach=[*reads, new.search, certificate(user, due), update],
    )


@template(tools=(*_SENT, "cancel_reservation"), clauses=("1.1", "2.1", "7.3", "8.2", "8.4"), difficulty=3)
def compensate_delay_after_cancellation(scene: Scene) -> Draft | None:
    """A delayed business trip, cancelled at the customer's wish, then compensated."""
    fits = late(scene)
    held = scene.held(
        lambda user, reservation: (
            reservation.cabin == "business" and fits(user, reservation) and only_trouble(scene, user, reservation)
        )
    )
    if held is None:
        return None
    user, reservation = held
    due = DELAYED_FLIGHT_COMPENSATION * len(reservation.passengers)
    reads = [read_user(user), read_reservation(reservation), status_of(scene, reservation, "delayed")]
    return drafted(
        user,
        cancel_goal(scene, "the delay of the flight", telling.which(reservation)),
        goal(
            scene, "compensation", *complaint_goal_facts(scene, reservation, "delayed"), wording="compensation_delayed"
        ),
        gold=[*reads, cancelled(reservation), certificate(user, due)],
        communicate=[amount(refund(reservation), "refund"), amount(due, "certificate")],
        unknown=("flight_number",),
        breach=[*reads, certificate(user, due), cancelled(reservation)],
    )


@template(tools=_LOOKED, clauses=("1.4", "2.1", "8.2"), difficulty=2)
def compensation_not_entitled(scene: Scene) -> Draft | None:
    """A cancelled flight, but a regular member without insurance below business."""
    fits = called_off(scene)
    held = scene.held(
        lambda user, reservation: (
            not entitled(user, reservation)
            and fits(user, reservation)
            and not any(entitled(user, other) for other in scene.reservations(user))
        )
    )
    if held is None:
        return None
    user, reservation = held
    due = CANCELLED_FLIGHT_COMPENSATION * len(reservation.passengers)
    reads = [read_user(user), read_reservation(reservation)]
    return drafted(
        user,
        goal(
            scene,
            "compensation",
            *complaint_goal_facts(scene, reservation, "cancelled"),
            wording="compensation_cancelled",
        ),
        gold=reads,
        checks=refused(reservation),
        instructions="Ask once more when you are turned down, then accept it.",
        breach=[*reads, certificate(user, due)],
    )


@template(tools=_LOOKED, clauses=("1.4", "2.1", "8.4", "8.5"), difficulty=2)
def compensation_delay_unchanged(scene: Scene) -> Draft | None:
    """A delay, and the customer wants money but keeps the trip: nothing is due."""
    fits = late(scene)
    held = scene.held(
        lambda user, reservation: (
            entitled(user, reservation) and fits(user, reservation) and only_trouble(scene, user, reservation)
        )
    )
    if held is None:
        return None
    user, reservation = held
    due = DELAYED_FLIGHT_COMPENSATION * len(reservation.passengers)
    reads = [read_user(user), read_reservation(reservation), status_of(scene, reservation, "delayed")]
    return drafted(
        user,
        goal(
            scene, "compensation", *complaint_goal_facts(scene, reservation, "delayed"), wording="compensation_delayed"
        ),
        gold=reads,
        checks=refused(reservation),
        unknown=("flight_number",),
        instructions="You want to keep the trip as it is: neither change nor cancel it.",
        breach=[*reads, certificate(user, due)],
    )
