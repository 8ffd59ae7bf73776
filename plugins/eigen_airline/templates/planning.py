"""Trips customers have in mind: drawn, searched and priced."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from eigen_airline.airports import CODES
from eigen_airline.customers import passenger
from eigen_airline.records import (
    CABINS,
    Cabin,
    Membership,
    Passenger,
    User,
)
from eigen_airline.rules import BAG_FEE, INSURANCE_FEE, free_bags, paid_bags
from eigen_airline.templates import telling
from eigen_airline.templates.drafting import (
    Scene,
    call,
    read_user,
)
from eigen_airline.templates.itineraries import CHEAPEST, CONNECTION, EARLIEST, ON_SALE, Chosen, choose
from eigen_airline.templates.requests import goal
from eigen_cli.api.record import to_json
from eigen_cli.api.tasks import Action, Fact, Goal

BOOKED = ("get_user_details", "search_direct_flight", "book_reservation")


@dataclass(frozen=True)
class Trip:
    """A trip a customer has in mind, priced."""

    user: User
    cabin: Cabin
    party: tuple[Passenger, ...]
    legs: tuple[Chosen, ...]
    route: tuple[str, str]
    dates: tuple[datetime.date, ...]
    insured: bool
    bags: int

    @property
    def membership(self) -> Membership:
        """The customer's membership."""
        return self.user.membership

    @property
    def paid_bags(self) -> int:
        """Bags beyond the free ones."""
        return paid_bags(self.membership, self.cabin, passengers=len(self.party), total=self.bags)

    @property
    def total(self) -> int:
        """The price in dollars."""
        people = len(self.party)
        fares = sum(leg.fare for leg in self.legs) * people
        return fares + INSURANCE_FEE * people * self.insured + BAG_FEE * self.paid_bags

    def booking(self, payments: Sequence[tuple[str, int]], *, paid: int | None = None) -> Action:
        """Return the booking call; `paid` overrides the number of paid bags, for careless authors."""
        return call(
            "book_reservation",
            user_id=self.user.user_id,
            origin=self.route[0],
            destination=self.route[1],
            flight_type="one_way" if len(self.legs) == 1 else "round_trip",
            cabin=self.cabin,
            flights=[flight for leg in self.legs for flight in leg.flights],
            passengers=to_json(self.party),
            payment_methods=[{"payment_id": key, "amount": value} for key, value in payments],
            total_baggages=self.bags,
            nonfree_baggages=self.paid_bags if paid is None else paid,
            insurance="yes" if self.insured else "no",
        )

    def reads(self) -> list[Action]:
        """Return the reads before the booking."""
        return [read_user(self.user), *(leg.search for leg in self.legs)]

    def facts(self, scene: Scene) -> list[Fact]:
        """Return what the customer knows of the trip, payment apart."""
        facts = [
            telling.place(scene, "origin", self.route[0]),
            telling.place(scene, "destination", self.route[1]),
            telling.trip_type("one_way" if len(self.legs) == 1 else "round_trip"),
            telling.day(scene, "departure_date", self.dates[0]),
        ]
        if len(self.legs) > 1:
            facts.append(telling.day(scene, "return_date", self.dates[1]))
        return [
            *facts,
            telling.cabin(self.cabin),
            Fact("flights_wanted", self.legs[0].wanted),
            telling.party(self.party),
            telling.bags(scene, self.bags),
            telling.insurance(scene, self.insured),
        ]


def plan_trip(
    scene: Scene,
    user: User,
    *,
    people: Sequence[int] = (1, 1, 2),
    round_trip: bool = False,
    wanted: Sequence[str] = (CHEAPEST, EARLIEST),
    cabins: Sequence[Cabin] = CABINS,
    bags: int | None = None,
) -> Trip | None:
    """Return a trip with exactly one best choice of flights each way; `bags` are those beyond the free ones."""
    for _ in range(6):
        cabin, phrase = scene.pick(cabins), scene.pick(wanted)
        party = travellers(scene, user, scene.pick(people))
        route = _route(scene, phrase)
        out = scene.pick(ON_SALE[:-2] if round_trip else ON_SALE)
        dates: tuple[datetime.date, ...] = (out,)
        if round_trip:
            dates = (out, scene.pick([date for date in ON_SALE if date > out][:7]))
        routes = (route, (route[1], route[0]))
        legs = [
            choose(scene.world, date, phrase, route=way, cabin=cabin, seats=len(party))
            for date, way in zip(dates, routes, strict=False)
        ]
        found = tuple(leg for leg in legs if leg is not None)
        if len(found) < len(dates):
            continue
        free = free_bags(user.membership, cabin, len(party))
        count = free + bags if bags is not None else min(free, int(scene.rng.random() * 3))
        return Trip(user, cabin, party, found, route, dates, scene.chance(0.4), count)
    return None


def travellers(scene: Scene, user: User, people: int) -> tuple[Passenger, ...]:
    """Return a party: the customer, saved companions, then strangers."""
    party = [Passenger(user.name.first_name, user.name.last_name, user.dob)]
    party += scene.shuffled(user.saved_passengers)[: people - 1]
    while len(party) < people:
        party.append(passenger(scene.rng))
    return tuple(party)


def _route(scene: Scene, wanted: str) -> tuple[str, str]:
    if wanted != CONNECTION:
        flight = scene.flight()
        return flight.origin, flight.destination
    origin = scene.pick(CODES)
    return origin, scene.pick([code for code in CODES if code != origin])


def booking_goal(scene: Scene, trip: Trip, *more: Fact) -> Goal:
    """Return the goal of booking a trip, paid as the extra facts say."""
    return goal(scene, "book_flight", *trip.facts(scene), *more)
