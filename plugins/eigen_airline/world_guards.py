"""Guards that look at the world: what the records say about a call, whatever was said.

A guard passes where a call names what does not exist; the tool refuses such calls itself.
"""

from __future__ import annotations

from itertools import pairwise
from typing import cast

from eigen_airline.conditions import any_flown, may_cancel, segment_status
from eigen_airline.guard_arguments import flights_of, listed, reservation_of
from eigen_airline.records import (
    CABINS,
    FLOWN,
    Cabin,
    Certificate,
    CreditCard,
    Flight,
    FlightInfo,
    GiftCard,
    User,
)
from eigen_airline.rules import MAX_CERTIFICATES, MAX_CREDIT_CARDS, MAX_GIFT_CARDS, MAX_PASSENGERS, paid_bags
from eigen_airline.search import Readable
from eigen_cli.api.domain import GuardContext


def booked_route_fits(context: GuardContext) -> str | None:
    """Clause 3.1."""
    arguments = context.arguments
    return _route_problem(
        context.world,
        flights_of(arguments),
        origin=str(arguments.get("origin")),
        destination=str(arguments.get("destination")),
        flight_type=str(arguments.get("flight_type")),
    )


def passengers_within_limit(context: GuardContext) -> str | None:
    """Clause 3.2."""
    count = len(listed(context.arguments, "passengers"))
    return f"{count} passengers, at most {MAX_PASSENGERS} are allowed" if count > MAX_PASSENGERS else None


def payment_mix_allowed(context: GuardContext) -> str | None:
    """Clause 4.1."""
    user = context.world.table(User).get(str(context.arguments.get("user_id")))
    payments = listed(context.arguments, "payment_methods")
    ids = {str(payment.get("payment_id")) for payment in payments if isinstance(payment, dict)}
    methods = [] if user is None else [user.payment_methods[key] for key in ids if key in user.payment_methods]
    for kind, most, name in (
        (Certificate, MAX_CERTIFICATES, "certificates"),
        (CreditCard, MAX_CREDIT_CARDS, "credit cards"),
        (GiftCard, MAX_GIFT_CARDS, "gift cards"),
    ):
        count = sum(isinstance(method, kind) for method in methods)
        if count > most:
            return f"{count} {name}, at most {most} allowed"
    return None


def paid_bags_right(context: GuardContext) -> str | None:
    """Clause 5.1."""
    arguments = context.arguments
    reservation = reservation_of(context) if "reservation_id" in arguments else None
    user_id = arguments.get("user_id") if reservation is None else reservation.user_id
    user = context.world.table(User).get(str(user_id))
    total, paid = arguments.get("total_baggages"), arguments.get("nonfree_baggages")
    cabin = arguments.get("cabin") if reservation is None else reservation.cabin
    if user is None or cabin not in CABINS or not str(total).isdigit() or not str(paid).isdigit():
        return None
    people = len(listed(arguments, "passengers") if reservation is None else reservation.passengers)
    right = paid_bags(user.membership, cast(Cabin, cabin), passengers=people, total=int(str(total)))
    # Bags paid before a cabin with more free ones stay paid.
    kept = right if reservation is None else max(right, reservation.nonfree_baggages)
    return None if int(str(paid)) in (right, kept) else f"{paid} paid bags of {total}, it should be {right}"


def change_paid_by_card(context: GuardContext) -> str | None:
    """Clause 4.3."""
    reservation = reservation_of(context)
    user = None if reservation is None else context.world.table(User).get(reservation.user_id)
    payment_id = str(context.arguments.get("payment_id"))
    if user is None or isinstance(user.payment_methods.get(payment_id), CreditCard | GiftCard):
        return None
    return f"{payment_id} is no stored credit card or gift card of {user.user_id}"


def bags_not_removed(context: GuardContext) -> str | None:
    """Clause 5.3."""
    reservation, total = reservation_of(context), context.arguments.get("total_baggages")
    if reservation is None or not str(total).isdigit() or int(str(total)) >= reservation.total_baggages:
        return None
    return f"{reservation.total_baggages} bags would become {total}"


def basic_economy_flights_stay(context: GuardContext) -> str | None:
    """Clause 6.1."""
    reservation = reservation_of(context)
    if reservation is None or reservation.cabin != "basic_economy":
        return None
    before = [(segment.flight_number, segment.date) for segment in reservation.flights]
    after = [(wanted.flight_number, wanted.date) for wanted in flights_of(context.arguments)]
    return None if sorted(before) == sorted(after) else "the reservation is in basic economy"


def changed_route_fits(context: GuardContext) -> str | None:
    """Clause 6.2."""
    reservation = reservation_of(context)
    if reservation is None:
        return None
    return _route_problem(
        context.world,
        flights_of(context.arguments),
        origin=reservation.origin,
        destination=reservation.destination,
        flight_type=reservation.flight_type,
    )


def cabin_change_allowed(context: GuardContext) -> str | None:
    """Clause 6.4."""
    reservation = reservation_of(context)
    if reservation is None or context.arguments.get("cabin") == reservation.cabin:
        return None
    return "a segment is flown already" if any_flown(context.world, reservation) else None


def passenger_count_stays(context: GuardContext) -> str | None:
    """Clause 6.5."""
    reservation, count = reservation_of(context), len(listed(context.arguments, "passengers"))
    if reservation is None or count == len(reservation.passengers):
        return None
    return f"{len(reservation.passengers)} passengers would become {count}"


def flown_segments_stay(context: GuardContext) -> str | None:
    """Clause 6.6."""
    reservation = reservation_of(context)
    if reservation is None:
        return None
    after = {(wanted.flight_number, wanted.date) for wanted in flights_of(context.arguments)}
    for segment in reservation.flights:
        if segment_status(context.world, segment) in FLOWN and (segment.flight_number, segment.date) not in after:
            return f"{segment.flight_number} of {segment.date} is flown already"
    return None


def reservation_open(context: GuardContext) -> str | None:
    """Clause 6.7."""
    reservation = reservation_of(context)
    return "the reservation is cancelled" if reservation is not None and reservation.status == "cancelled" else None


def nothing_flown(context: GuardContext) -> str | None:
    """Clause 7.2."""
    reservation = reservation_of(context)
    return "a segment is flown already" if reservation is not None and any_flown(context.world, reservation) else None


def cancellation_allowed(context: GuardContext) -> str | None:
    """Clause 7.3, as far as records decide: what the customer's reason is, they do not know."""
    reservation = reservation_of(context)
    if reservation is None or may_cancel(context.world, reservation) or reservation.insurance == "yes":
        return None
    return "booked more than 24 hours ago, no flight cancelled by us, not in business, not insured"


def _route_problem(
    world: Readable, wanted: list[FlightInfo], *, origin: str, destination: str, flight_type: str
) -> str | None:
    """Return what is wrong with a sequence of flights as a trip from origin to destination, and back if round."""
    flights = [world.table(Flight).get(flight.flight_number) for flight in wanted]
    if not flights or None in flights:
        return None
    known = [flight for flight in flights if flight is not None]
    places = [known[0].origin, *(flight.destination for flight in known)]
    if any(one.destination != two.origin for one, two in pairwise(known)):
        return "the flights do not connect"
    if any(one.date > two.date for one, two in pairwise(wanted)):
        return "the flights are out of order"
    end = origin if flight_type == "round_trip" else destination
    if places[0] != origin or places[-1] != end or destination not in places:
        return f"the flights lead {'-'.join(places)}, not {origin} to {destination} as a {flight_type}"
    return None
