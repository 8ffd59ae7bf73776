"""Adding checked bags, free and paid, and asking how many are free."""

from __future__ import annotations

from eigen_airline.records import Reservation, User
from eigen_airline.rules import BAG_FEE, free_bags, paid_bags
from eigen_airline.templates import telling
from eigen_airline.templates.drafting import (
    Held,
    Scene,
    amount,
    call,
    drafted,
    looked_up,
    looked_up_user,
    read_reservation,
    read_user,
    template,
)
from eigen_airline.templates.requests import goal
from eigen_airline.templates.situations import upcoming
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action, CheckCall, Fact

_ADDED = ("get_user_details", "get_reservation_details", "update_reservation_baggages")


def free_on(user: User, reservation: Reservation) -> int:
    """Return how many bags are free on a reservation."""
    return free_bags(user.membership, reservation.cabin, len(reservation.passengers))


def paid_with(user: User, reservation: Reservation, *, total: int) -> int:
    """Return how many of `total` bags are paid on a reservation."""
    return paid_bags(user.membership, reservation.cabin, passengers=len(reservation.passengers), total=total)


def set_bags(reservation: Reservation, payment_id: str, *, total: int, paid: int) -> Action:
    """Return the call that sets the bags of a reservation."""
    return call(
        "update_reservation_baggages",
        reservation_id=reservation.reservation_id,
        total_baggages=total,
        nonfree_baggages=paid,
        payment_id=payment_id,
    )


def extra(scene: Scene, count: int) -> Fact:
    """Return how many bags are to be added."""
    words = ("{} more, please.", "Add {}.", "{} more on top of what we have.")
    return Fact("extra_bags", count, scene.pick(words).format(count))


def _addition(scene: Scene, held: Held | None, count: int) -> Draft | None:
    if held is None:
        return None
    user, reservation = held
    total = reservation.total_baggages + count
    paid = paid_with(user, reservation, total=total)
    charge = BAG_FEE * (paid - reservation.nonfree_baggages)
    payment = scene.payer(user, charge)
    if payment is None:
        return None
    reads = [read_user(user), read_reservation(reservation)]
    careless = set_bags(reservation, payment, total=total, paid=reservation.nonfree_baggages)
    return drafted(
        user,
        goal(
            scene, "add_bags", telling.which(reservation), extra(scene, count), telling.pay_with(scene, user, payment)
        ),
        gold=[*reads, set_bags(reservation, payment, total=total, paid=paid)],
        communicate=[amount(charge, "charge for the bags")] if charge else [],
        breach=[*reads, careless] if charge else [],
    )


@template(tools=_ADDED, clauses=("1.1", "2.1", "5.1"), difficulty=1)
def add_free_bags(scene: Scene) -> Draft | None:
    """Bags that membership and cabin leave free."""
    fits, count = upcoming(scene), scene.pick((1, 1, 2))
    held = scene.held(
        lambda user, reservation: (
            free_on(user, reservation) >= reservation.total_baggages + count and fits(user, reservation)
        )
    )
    return _addition(scene, held, count)


@template(tools=_ADDED, clauses=("1.1", "2.1", "4.3", "5.1", "5.2"), difficulty=2)
def add_paid_bags(scene: Scene) -> Draft | None:
    """All of them, or some, beyond the free ones; the careless author charges none."""
    fits, count = upcoming(scene), scene.pick((1, 2, 2, 3))
    held = scene.held(
        lambda user, reservation: (
            free_on(user, reservation) < reservation.total_baggages + count
            and reservation.nonfree_baggages < paid_with(user, reservation, total=reservation.total_baggages + count)
            and fits(user, reservation)
        )
    )
    return _addition(scene, held, count)


@template(
    tools=("get_user_details", "get_reservation_details", "calculate"), clauses=("1.3", "2.1", "5.1"), difficulty=1
)
def ask_free_bags(scene: Scene) -> Draft | None:
    """How many bags are free on a reservation: membership, cabin and passengers decide."""
    fits = upcoming(scene)
    held = scene.held(
        lambda user, reservation: (
            len(reservation.passengers) > 1 and free_on(user, reservation) > 0 and fits(user, reservation)
        )
    )
    if held is None:
        return None
    user, reservation = held
    free, people = free_on(user, reservation), len(reservation.passengers)
    return drafted(
        user,
        goal(scene, "baggage_question", telling.which(reservation)),
        gold=[
            read_user(user),
            read_reservation(reservation),
            call("calculate", expression=f"{free // people} * {people}"),
        ],
        communicate=[amount(free, "free checked bags")],
        checks=[looked_up_user(user), looked_up(reservation), CheckCall("no_writes")],
    )
