"""The airline domain, put together."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any, ClassVar

from eigen_airline.checks import CHECKS
from eigen_airline.facts import FACT_KINDS
from eigen_airline.generator import generate
from eigen_airline.personas import PERSONAS
from eigen_airline.policy import CLAUSES
from eigen_airline.preamble import PREAMBLE
from eigen_airline.records import Certificate, CreditCard, Flight, FlightDay, GiftCard, Reservation, User
from eigen_airline.rules import NOW
from eigen_airline.templates import TEMPLATES
from eigen_airline.tools import AirlineTools
from eigen_cli.api.domain import Domain, TableSpec
from eigen_cli.api.playbook import Playbook
from eigen_cli.api.record import Record, money


class Airline(Domain):
    """The service desk of an airline, with the tools of tau2-bench's airline."""

    name: ClassVar[str] = "airline"
    title: ClassVar[str] = "Heron Air service desk"
    version: ClassVar[str] = "1"
    tables = (
        TableSpec("flights", Flight, "flight_number", indexes=("origin", "destination")),
        TableSpec("flight_days", FlightDay, "id"),
        TableSpec("users", User, "user_id"),
        TableSpec("reservations", Reservation, "reservation_id", indexes=("user_id",), created=True),
    )
    agent_tools = AirlineTools
    clauses = CLAUSES
    fact_kinds = FACT_KINDS
    checks = CHECKS
    templates = TEMPLATES
    personas = PERSONAS
    greeting = "Hello, this is Heron Air. What can I do for you?"
    handover_tool = "transfer_to_human_agents"

    def clock(self) -> datetime.datetime:
        """Return the fixed time, Eastern."""
        return NOW

    def generate(self, *, seed: int, size: int) -> Iterable[Record]:
        """Yield the records of a world; see `eigen_airline.generator`."""
        return generate(seed=seed, size=size)

    def preamble(self) -> str:
        """Return the policy's opening."""
        return PREAMBLE

    def canonical(self, record: Record) -> Any:
        """Return what counts of a record; see `canonical_user` and `canonical_reservation`."""
        if isinstance(record, Reservation):
            return canonical_reservation(record)
        return canonical_user(record) if isinstance(record, User) else record

    def playbook(self) -> Playbook:
        """Return the dialogue procedures of simulated actors."""
        from eigen_airline.playbook import PLAYBOOK

        return PLAYBOOK


def canonical_reservation(reservation: Reservation) -> Any:
    """Return a reservation as outcomes are compared.

    Payments count by what they come to: the net total, and the net of each credit card, whose statement the customer
    reads. Gift cards and certificates are one wallet, kept in `canonical_user`: how a payment is spread over several
    gift cards, or over several entries, is the same outcome; another credit card, or a card where a gift card was to
    pay, is not. The order of passengers and of entries, capitals in names and the time of booking do not count.
    """
    cards: dict[str, Any] = {}
    for payment in reservation.payment_history:
        if payment.payment_id.startswith("credit_card_"):
            cards[payment.payment_id] = cards.get(payment.payment_id, money(0)) + payment.amount
    return {
        "user": reservation.user_id,
        "trip": (reservation.origin, reservation.destination, reservation.flight_type, reservation.cabin),
        "flights": sorted((flight.date, flight.flight_number, flight.price) for flight in reservation.flights),
        "passengers": sorted(
            (person.first_name.casefold(), person.last_name.casefold(), person.dob) for person in reservation.passengers
        ),
        "paid": money(sum((payment.amount for payment in reservation.payment_history), money(0))),
        "cards": {card: money(amount) for card, amount in cards.items() if amount},
        "bags": (reservation.total_baggages, reservation.nonfree_baggages),
        "insurance": reservation.insurance,
        "status": reservation.status,
    }


def canonical_user(user: User) -> Any:
    """Return a user as outcomes are compared: gift cards by their sum, certificates by their amounts.

    Reservations are left out: each names its user.
    """
    methods = user.payment_methods.values()
    return {
        "user": (user.user_id, user.name, user.address, user.email, user.dob, user.membership),
        "saved_passengers": user.saved_passengers,
        "credit_cards": sorted(method.id for method in methods if isinstance(method, CreditCard)),
        "gift_cards": money(sum((method.amount for method in methods if isinstance(method, GiftCard)), money(0))),
        "certificates": sorted(method.amount for method in methods if isinstance(method, Certificate)),
    }
