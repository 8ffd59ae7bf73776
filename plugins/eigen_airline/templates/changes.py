"""Changing flights: other dates, other flights of the day, one direction only, and gift cards that do not suffice."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass

from eigen_airline.records import CreditCard, GiftCard, Reservation, ReservationFlight, User
from eigen_airline.rules import NOW
from eigen_airline.templates import telling
from eigen_airline.templates.drafting import (
    Held,
    Scene,
    amount,
    anyone,
    call,
    drafted,
    read_reservation,
    read_user,
    stored,
    template,
)
from eigen_airline.templates.itineraries import (
    CHEAPEST,
    EARLIEST,
    ON_SALE,
    Chosen,
    another_day,
    choose,
    directions,
    kept,
    sold_for,
)
from eigen_airline.templates.requests import goal
from eigen_airline.templates.situations import upcoming
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action, Communicate, Fact

_CHANGED = ("get_user_details", "get_reservation_details", "search_direct_flight", "update_reservation_flights")
OUTBOUND, RETURN, BOTH = "the outbound", "the return", "both directions"
_SHORT, _TRIES = 200, 4
"""A gift card below this many dollars is likely too low; days tried for a change dear enough."""
_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Move:
    """A change of flights: the new list, what it costs, and what the customer says about it."""

    user: User
    reservation: Reservation
    flights: tuple[dict[str, str], ...]
    difference: int
    searches: tuple[Action, ...]
    facts: tuple[Fact, ...]

    def update(self, payment_id: str) -> Action:
        """Return the changing call."""
        return call(
            "update_reservation_flights",
            reservation_id=self.reservation.reservation_id,
            cabin=self.reservation.cabin,
            flights=list(self.flights),
            payment_id=payment_id,
        )

    def gold(self, payment_id: str) -> list[Action]:
        """Return reads, searches and the change."""
        return [read_user(self.user), read_reservation(self.reservation), *self.searches, self.update(payment_id)]

    def told(self) -> list[Communicate]:
        """Return the difference in price, if there is one."""
        return [amount(self.difference, "price difference")] if self.difference else []


def changeable(scene: Scene, *, trip: str = "", holder: Callable[[User], bool] = anyone) -> Held | None:
    """Return an upcoming reservation whose flights may change and are all nonstop; `trip` restricts its type."""
    fits = upcoming(scene)
    return scene.held(
        lambda user, reservation: (
            reservation.cabin != "basic_economy"
            and (not trip or reservation.flight_type == trip)
            and all(len(leg) < 2 for leg in directions(reservation))
            and holder(user)
            and fits(user, reservation)
        )
    )


def move(scene: Scene, held: Held, *, scope: str, wanted: str = CHEAPEST, same_day: bool = False) -> Move | None:
    """Return a change of `scope` to another day, or to another flight of the same day."""
    user, reservation = held
    out, back = directions(reservation)
    new_out = new_back = None
    if scope != RETURN:
        before = back[0].date if back else ON_SALE[-1] + _DAY
        new_out = _moved(scene, reservation, out[0], between=(NOW.date(), before), wanted=wanted, same_day=same_day)
        if new_out is None:
            return None
    if back and scope != OUTBOUND:
        after = out[0].date if new_out is None else new_out.date
        between = (after, ON_SALE[-1] + _DAY)
        new_back = _moved(scene, reservation, back[0], between=between, wanted=wanted, same_day=same_day)
        if new_back is None:
            return None
    legs = [(new_out, out), (new_back, back)]
    flights = tuple(flight for new, old in legs for flight in (new.flights if new else kept(old)))
    if flights == kept(reservation.flights):
        return None
    fares = sum(new.fare if new else sold_for(old) for new, old in legs)
    facts = [Fact("change_scope", scope)] if back else []
    for name, new in (("departure_date", new_out), ("return_date", new_back)):
        if new is not None and not same_day:
            facts.append(telling.day(scene, name, new.date))
    return Move(
        user,
        reservation,
        flights,
        difference=(fares - sold_for(reservation.flights)) * len(reservation.passengers),
        searches=tuple(new.search for new, _ in legs if new),
        facts=(*facts, Fact("flights_wanted", wanted)),
    )


def _moved(
    scene: Scene,
    reservation: Reservation,
    old: ReservationFlight,
    *,
    between: tuple[datetime.date, datetime.date],
    wanted: str,
    same_day: bool,
) -> Chosen | None:
    date = old.date if same_day else another_day(scene, after=between[0], before=between[1], but=old.date)
    if date is None:
        return None
    route = (old.origin, old.destination)
    return choose(scene.world, date, wanted, route=route, cabin=reservation.cabin, seats=len(reservation.passengers))


def _change(scene: Scene, found: Move | None, *, wording: str = "") -> Draft | None:
    payment = None if found is None else scene.payer(found.user, found.difference)
    if found is None or payment is None:
        return None
    facts = (telling.which(found.reservation), *found.facts, telling.pay_with(scene, found.user, payment))
    return drafted(
        found.user,
        goal(scene, "change_flights", *facts, wording=wording),
        gold=found.gold(payment),
        communicate=found.told(),
    )


@template(tools=_CHANGED, clauses=("1.1", "2.1", "4.3", "6.3"), difficulty=2)
def change_date_one_way(scene: Scene) -> Draft | None:
    """A one-way trip moves to another day."""
    held = changeable(scene, trip="one_way")
    found = None if held is None else move(scene, held, scope=BOTH, wanted=scene.pick((CHEAPEST, EARLIEST)))
    return _change(scene, found)


@template(tools=_CHANGED, clauses=("1.1", "2.1", "4.3", "6.2", "6.3"), difficulty=3)
def change_both_directions(scene: Scene) -> Draft | None:
    """A round trip moves altogether."""
    held = changeable(scene, trip="round_trip")
    return _change(scene, None if held is None else move(scene, held, scope=BOTH))


@template(tools=_CHANGED, clauses=("1.1", "2.1", "4.3", "6.3"), difficulty=3)
def change_return_only(scene: Scene) -> Draft | None:
    """Only the way back moves; the way out keeps the fare it was sold at."""
    held = changeable(scene, trip="round_trip")
    found = None if held is None else move(scene, held, scope=RETURN, wanted=scene.pick((CHEAPEST, EARLIEST)))
    return _change(scene, found)


@template(tools=_CHANGED, clauses=("1.1", "2.1", "4.3", "6.3"), difficulty=2)
def change_flight_same_day(scene: Scene) -> Draft | None:
    """Another flight on the same day, one direction."""
    held = changeable(scene)
    if held is None:
        return None
    scope = OUTBOUND if held[1].flight_type == "round_trip" else BOTH
    found = move(scene, held, scope=scope, wanted=scene.pick((CHEAPEST, EARLIEST)), same_day=True)
    return _change(scene, found, wording="change_flights_same_day")


@template(tools=_CHANGED, clauses=("1.1", "1.4", "2.1", "4.3"), difficulty=3)
def change_gift_card_short(scene: Scene) -> Draft | None:
    """The gift card the customer names does not cover the difference; a credit card does."""
    held = changeable(scene, holder=lambda user: any(gift.amount < _SHORT for gift in stored(user, GiftCard)))
    if held is None:
        return None
    user, reservation = held
    scope = OUTBOUND if reservation.flight_type == "round_trip" else BOTH
    tries = [found for _ in range(_TRIES) if (found := move(scene, held, scope=scope, wanted=EARLIEST)) is not None]
    found = max(tries, key=lambda found: found.difference, default=None)
    short = [gift.id for gift in stored(user, GiftCard) if found is not None and gift.amount < found.difference]
    if found is None or not short:
        return None
    card = scene.pick(stored(user, CreditCard)).id
    facts = (
        telling.which(reservation),
        *found.facts,
        telling.pay_with(scene, user, scene.pick(short)),
        telling.pay_with(scene, user, card, name="other_payment"),
    )
    return drafted(
        user,
        goal(scene, "change_flights", *facts),
        gold=found.gold(card),
        communicate=found.told(),
        instructions="If the gift card does not cover it, use your other payment method.",
    )
