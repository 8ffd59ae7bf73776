"""Correcting and replacing passengers."""

from __future__ import annotations

from eigen_airline.customers import passenger
from eigen_airline.misspellings import misbooked
from eigen_airline.records import Passenger, Reservation
from eigen_airline.templates import telling
from eigen_airline.templates.drafting import (
    Held,
    Scene,
    call,
    drafted,
    named,
    read_reservation,
    read_user,
    template,
)
from eigen_airline.templates.requests import goal
from eigen_airline.templates.situations import upcoming
from eigen_cli.api.domain import Draft
from eigen_cli.api.record import to_json
from eigen_cli.api.tasks import Action, Fact

_UPDATED = ("get_user_details", "get_reservation_details", "update_reservation_passengers")


def with_passenger(reservation: Reservation, old: Passenger, new: Passenger) -> Action:
    """Return the call that puts one passenger in another's place."""
    party = [new if person == old else person for person in reservation.passengers]
    return call("update_reservation_passengers", reservation_id=reservation.reservation_id, passengers=to_json(party))


def _replacement(scene: Scene, held: Held | None, old: Passenger, new: Passenger, *, wording: str) -> Draft | None:
    if held is None or any(person.full_name == new.full_name for person in held[1].passengers if person != old):
        return None
    user, reservation = held
    facts = (
        telling.which(reservation),
        Fact("old_passenger", old.full_name),
        telling.person("new_passenger", new),
    )
    return drafted(
        user,
        goal(scene, "change_passengers", *facts, wording=wording),
        gold=[read_user(user), read_reservation(reservation), with_passenger(reservation, old, new)],
        communicate=[named(new.full_name, "the passenger's name as it now stands")],
    )


@template(tools=_UPDATED, clauses=("1.1", "2.1", "6.5"), difficulty=1)
def fix_passenger_name(scene: Scene) -> Draft | None:
    """A first name is misspelt on the booking and right in the profile; the birth date stays."""
    fits = upcoming(scene)
    held = scene.held(lambda user, reservation: bool(misbooked(user, reservation)) and fits(user, reservation))
    if held is None:
        return None
    booked, right = scene.pick(misbooked(*held))
    return _replacement(scene, held, booked, right, wording="fix_passenger")


@template(tools=_UPDATED, clauses=("1.1", "2.1", "6.5"), difficulty=2)
def swap_passenger(scene: Scene) -> Draft | None:
    """Someone else flies in a passenger's place."""
    fits = upcoming(scene)
    held = scene.held(lambda user, reservation: len(reservation.passengers) > 1 and fits(user, reservation))
    if held is None:
        return None
    old = scene.pick(held[1].passengers[1:])
    return _replacement(scene, held, old, passenger(scene.rng), wording="change_passengers")
