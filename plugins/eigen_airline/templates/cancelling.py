"""Cancelling: every reason that is allowed, started trips, misread and lost ids, several at once."""

from __future__ import annotations

from eigen_airline.conditions import may_cancel, statuses
from eigen_airline.identifiers import ALPHABET
from eigen_airline.records import Reservation, User
from eigen_airline.templates import telling
from eigen_airline.templates.drafting import (
    Held,
    Scene,
    amount,
    call,
    drafted,
    looked_up,
    read_reservation,
    read_user,
    template,
)
from eigen_airline.templates.requests import goal
from eigen_airline.templates.situations import begun, bound, called_off, just_booked, upcoming
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action, CheckCall, Fact, Goal

PLANS, CALLED_OFF, HEALTH = "a change of plans", "the airline cancelled the flight", "a health problem"
WEATHER, WORK = "bad weather", "a work conflict"
_CANCELLED = ("get_user_details", "get_reservation_details", "cancel_reservation")


def cancelled(reservation: Reservation) -> Action:
    """Return the cancelling call."""
    return call("cancel_reservation", reservation_id=reservation.reservation_id)


def refund(reservation: Reservation) -> int:
    """Return what the cancellation gives back."""
    return int(sum(payment.amount for payment in reservation.payment_history))


def cancel_goal(scene: Scene, reason: str, *facts: Fact) -> Goal:
    """Return the goal of cancelling."""
    return goal(scene, "cancel_reservation", *facts, Fact("cancel_reason", reason, _said(scene, reason)))


def _said(scene: Scene, reason: str) -> str:
    return (
        scene.pick((f"It's because of {reason}.", f"The reason is {reason}.", f"Because of {reason}."))
        .replace("because of the airline", "because the airline")
        .replace("Because of the airline", "Because the airline")
    )


def _cancellation(scene: Scene, held: Held | None, reason: str) -> Draft | None:
    if held is None:
        return None
    user, reservation = held
    return drafted(
        user,
        cancel_goal(scene, reason, telling.which(reservation)),
        gold=[
            read_user(user),
            read_reservation(reservation),
            cancelled(reservation),
        ],
        communicate=[amount(refund(reservation), "refund")],
    )


@template(tools=_CANCELLED, clauses=("1.1", "2.1", "7.1", "7.3", "7.4"), difficulty=1)
def cancel_within_a_day(scene: Scene) -> Draft | None:
    """Booked within the last 24 hours: any reason will do."""
    return _cancellation(scene, scene.held(just_booked(scene)), scene.pick((PLANS, WORK)))


@template(tools=_CANCELLED, clauses=("1.1", "2.1", "7.1", "7.3", "7.4"), difficulty=1)
def cancel_business(scene: Scene) -> Draft | None:
    """Business: any reason will do."""
    fits = upcoming(scene)
    held = scene.held(lambda user, reservation: reservation.cabin == "business" and fits(user, reservation))
    return _cancellation(scene, held, scene.pick((PLANS, WORK)))


@template(tools=_CANCELLED, clauses=("1.1", "2.1", "5.4", "7.1", "7.3"), difficulty=2)
def cancel_insured(scene: Scene) -> Draft | None:
    """Insured, for health or weather."""
    fits = bound(scene)
    held = scene.held(lambda user, reservation: reservation.insurance == "yes" and fits(user, reservation))
    return _cancellation(scene, held, scene.pick((HEALTH, WEATHER)))


@template(tools=(*_CANCELLED, "get_flight_status"), clauses=("1.1", "2.1", "7.1", "7.3"), difficulty=2)
def cancel_called_off(scene: Scene) -> Draft | None:
    """We cancelled a flight of it, which only the flight's status shows."""
    fits = called_off(scene)
    held = scene.held(lambda user, reservation: reservation.cabin != "business" and fits(user, reservation))
    if held is None:
        return None
    user, reservation = held
    segment = reservation.flights[statuses(scene.world, reservation).index("cancelled")]
    return drafted(
        user,
        cancel_goal(scene, CALLED_OFF, telling.which(reservation)),
        gold=[
            read_user(user),
            read_reservation(reservation),
            call("get_flight_status", flight_number=segment.flight_number, date=segment.date.isoformat()),
            cancelled(reservation),
        ],
        communicate=[amount(refund(reservation), "refund")],
        unknown=("flight_number",),
    )


@template(
    tools=("get_user_details", "get_reservation_details", "transfer_to_human_agents"),
    clauses=("2.1", "7.2", "9.1"),
    difficulty=2,
)
def cancel_started_trip(scene: Scene) -> Draft | None:
    """Part of the trip is flown: only a human can help."""
    fits = begun(scene)
    held = scene.held(
        lambda user, reservation: fits(user, reservation) and reservation.flights[-1].date > scene.world.now.date()
    )
    if held is None:
        return None
    user, reservation = held
    return drafted(
        user,
        cancel_goal(scene, scene.pick((PLANS, HEALTH, WORK)), telling.which(reservation)),
        gold=[
            read_user(user),
            read_reservation(reservation),
            call(
                "transfer_to_human_agents", summary="The customer wants to cancel a reservation that is partly flown."
            ),
        ],
        checks=[looked_up(reservation), CheckCall("no_writes"), CheckCall("transferred")],
        breach=[
            read_user(user),
            read_reservation(reservation),
            cancelled(reservation),
        ],
    )


@template(tools=_CANCELLED, clauses=("1.1", "2.1", "2.2", "7.3"), difficulty=2)
def cancel_misread_id(scene: Scene) -> Draft | None:
    """The customer misreads the id, is told that it does not exist, and reads it again."""
    fits = upcoming(scene)
    held = scene.held(lambda user, reservation: fits(user, reservation) and may_cancel(scene.world, reservation))
    if held is None:
        return None
    user, reservation = held
    wrong = _misread(scene, reservation.reservation_id)
    if wrong is None:
        return None
    right = Fact("corrected_reservation_id", reservation.reservation_id)
    return drafted(
        user,
        cancel_goal(scene, PLANS, Fact("reservation_id", wrong), right),
        gold=[
            read_user(user),
            read_reservation(reservation),
            cancelled(reservation),
        ],
        communicate=[amount(refund(reservation), "refund")],
        instructions="You first read out the wrong reservation id; when told it cannot be found, you read it right.",
    )


def _misread(scene: Scene, reservation_id: str) -> str | None:
    """Return the id with one character wrong, such that it is still shaped like an id and names nothing."""
    for _ in range(10):
        place = int(scene.rng.random() * 6)
        wrong = reservation_id[:place] + scene.pick(ALPHABET) + reservation_id[place + 1 :]
        shaped = not wrong.isalpha() and not wrong.isdigit() and not wrong.startswith("HRN")
        if wrong != reservation_id and shaped and wrong not in scene.world.table(Reservation):
            return wrong
    return None


@template(tools=_CANCELLED, clauses=("1.1", "2.1", "2.3", "7.3"), difficulty=3)
def cancel_lost_id(scene: Scene) -> Draft | None:
    """The customer knows the route, not the id; the agent looks through the profile."""
    fits = upcoming(scene)

    def found_by_route(user: User, reservation: Reservation) -> bool:
        if not fits(user, reservation) or not may_cancel(scene.world, reservation):
            return False
        routes = [(held.origin, held.destination) for held in scene.reservations(user)]
        return len(routes) > 1 and routes.count((reservation.origin, reservation.destination)) == 1

    held = scene.held(found_by_route)
    if held is None:
        return None
    user, reservation = held
    return drafted(
        user,
        cancel_goal(scene, scene.pick((PLANS, WORK)), *telling.trip_of(scene, reservation)),
        gold=[
            read_user(user),
            *(read_reservation(other) for other in scene.reservations(user)),
            cancelled(reservation),
        ],
        communicate=[amount(refund(reservation), "refund")],
        unknown=("reservation_id",),
        instructions="You do not have the reservation id at hand; you can only say where the trip goes.",
    )


@template(tools=_CANCELLED, clauses=("1.1", "1.4", "2.1", "7.3", "7.4"), difficulty=3)
def cancel_one_of_two(scene: Scene) -> Draft | None:
    """Two reservations to cancel, of which one cannot be."""
    on_sale, not_cancellable = upcoming(scene), bound(scene)
    for user in scene.users():
        held = scene.reservations(user)
        good = next((one for one in held if on_sale(user, one) and may_cancel(scene.world, one)), None)
        bad = next((one for one in held if one.insurance == "no" and not_cancellable(user, one)), None)
        if good is not None and bad is not None:
            return _one_of_two(scene, user, good, bad)
    return None


def _one_of_two(scene: Scene, user: User, good: Reservation, bad: Reservation) -> Draft:
    return drafted(
        user,
        cancel_goal(scene, PLANS, telling.which(good)),
        goal(
            scene,
            "cancel_reservation",
            telling.which(bad),
            Fact("cancel_reason", PLANS),
            wording="another_cancellation",
        ),
        gold=[
            read_user(user),
            read_reservation(good),
            cancelled(good),
            read_reservation(bad),
        ],
        communicate=[amount(refund(good), "refund")],
        checks=[
            CheckCall("reservations_read", {"reservation_ids": [good.reservation_id, bad.reservation_id]}),
            CheckCall("not_transferred"),
        ],
        breach=[
            read_user(user),
            *(read_reservation(one) for one in (good, bad)),
            *(cancelled(one) for one in (good, bad)),
        ],
    )
