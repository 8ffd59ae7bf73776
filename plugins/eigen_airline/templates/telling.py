"""Facts as customers put them: the value a tool needs, and words a person would use for it."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from eigen_airline.airports import CITY
from eigen_airline.records import Cabin, CreditCard, Passenger, Reservation, TripType, User
from eigen_airline.templates.drafting import Scene
from eigen_airline.wording import say_cabin, say_date, say_passengers, say_payments
from eigen_cli.api.tasks import Fact

_LEAVING = ("I'm leaving from {}.", "From {}.", "We'd start in {}.", "Out of {}, please.", "I'd be flying from {}.")
_GOING = ("I'm going to {}.", "To {}.", "I need to get to {}.", "{} is where I'm headed.", "We want to fly to {}.")
_ON = ("On {}.", "{}, please.", "I'd like to fly on {}.", "It should be {}.", "{} would be the day.")
_BACK = ("Back on {}.", "Coming back on {}.", "The return would be {}.", "We come back on {}.", "Returning {}.")
_CARD = (
    "Use my {brand} ending in {digits}, please.",
    "Put it on the {brand} ending in {digits}.",
    "I'll use the {brand} that ends in {digits}.",
)
_INSURED = ("Yes, add the insurance.", "Yes please, with insurance.", "I'll take the insurance, yes.")
_UNINSURED = ("No insurance, thanks.", "No, I don't need the insurance.", "No, leave the insurance out.")
_BAGS = ("{} checked bags in total.", "We'd check {} bags in all.", "{} bags in total.")
_ONE_BAG = ("1 checked bag in total.", "Just 1 bag to check.")
_NO_BAGS = ("0 bags, only hand luggage.", "None, so 0 checked bags.", "0 checked bags.")


def place(scene: Scene, name: str, code: str) -> Fact:
    """Return origin or destination, said as a city or as a code."""
    words = _LEAVING if name == "origin" else _GOING
    return Fact(name, code, scene.pick(words).format(CITY[code] if scene.chance(0.6) else code))


def day(scene: Scene, name: str, date: datetime.date) -> Fact:
    """Return a date, said as month and day."""
    words = _BACK if name == "return_date" else _ON
    return Fact(name, date.isoformat(), scene.pick(words).format(say_date(date)))


def cabin(value: Cabin) -> Fact:
    """Return a cabin."""
    return Fact("cabin", say_cabin(value))


def trip_type(value: TripType) -> Fact:
    """Return a trip type."""
    return Fact("trip_type", "one way" if value == "one_way" else "round trip")


def party(passengers: Sequence[Passenger]) -> Fact:
    """Return everyone who flies."""
    return Fact("passengers", say_passengers(passengers))


def person(name: str, passenger: Passenger) -> Fact:
    """Return one new passenger."""
    return Fact(name, say_passengers([passenger]))


def insurance(scene: Scene, wanted: bool) -> Fact:
    """Return whether insurance is wanted."""
    return Fact("insurance", "yes" if wanted else "no", scene.pick(_INSURED if wanted else _UNINSURED))


def bags(scene: Scene, count: int) -> Fact:
    """Return how many checked bags there are in all."""
    words = _NO_BAGS if count == 0 else _ONE_BAG if count == 1 else _BAGS
    return Fact("bags", count, scene.pick(words).format(count))


def pay_with(scene: Scene, user: User, payment_id: str, *, name: str = "payment") -> Fact:
    """Return a payment method: credit cards often by their last digits, others by their id."""
    method = user.payment_methods[payment_id]
    if isinstance(method, CreditCard) and name == "payment" and scene.chance(0.5):
        return Fact(name, payment_id, scene.pick(_CARD).format(brand=method.brand, digits=method.last_four))
    return Fact(name, payment_id)


def pay_in_turn(payment_ids: Sequence[str]) -> Fact:
    """Return payment methods to be used up one after the other, the last paying the rest."""
    listed = say_payments(payment_ids)
    return Fact("payment", listed, f"Use them in this order, the last one for the rest: {listed}.")


def which(reservation: Reservation) -> Fact:
    """Return the reservation id."""
    return Fact("reservation_id", reservation.reservation_id)


def trip_of(scene: Scene, reservation: Reservation) -> tuple[Fact, Fact]:
    """Return origin and destination, for customers who have lost the reservation id."""
    return place(scene, "origin", reservation.origin), place(scene, "destination", reservation.destination)
