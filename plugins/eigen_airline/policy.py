"""The policy: numbered clauses in our words, each with its guard where code can decide it."""

from __future__ import annotations

from eigen_airline import compensation_guards, dialogue_guards, world_guards
from eigen_cli.api.domain import Clause, Guard

ACCOUNT_TOOLS = (
    "get_user_details",
    "get_reservation_details",
    "book_reservation",
    "cancel_reservation",
    "update_reservation_flights",
    "update_reservation_baggages",
    "update_reservation_passengers",
    "send_certificate",
)
CHANGE_TOOLS = ("update_reservation_flights", "update_reservation_baggages", "update_reservation_passengers")
WRITE_TOOLS = ("book_reservation", "cancel_reservation", *CHANGE_TOOLS, "send_certificate")


def _clause(number: str, title: str, text: str, *, tools: tuple[str, ...] = (), guard: Guard | None = None) -> Clause:
    return Clause(id=number, title=title, text=text, tools=tools, guard=guard)


_CONDUCT = (
    _clause(
        "1.1",
        "Confirmation",
        "Before any call that changes something, tell the customer in one message exactly what it will do and how many "
        "dollars it costs or pays back, and wait for a clear yes. A yes covers only what was laid out.",
        tools=WRITE_TOOLS,
        guard=dialogue_guards.confirmed,
    ),
    _clause(
        "1.2",
        "One call at a time",
        "Make one tool call, read its result, then go on. Never put two calls into one turn.",
        guard=dialogue_guards.one_call_a_turn,
    ),
    _clause(
        "1.3",
        "Facts only",
        "Say only what the customer, the tools or these clauses give you. No guesses, opinions or recommendations.",
    ),
    _clause(
        "1.4",
        "Plain refusals",
        "Turn down what these clauses forbid, and say which rule is in the way. A refusal is no reason to transfer.",
    ),
)

_IDENTITY = (
    _clause(
        "2.1",
        "User id first",
        "Before anything on an account is read or changed, the customer must have given their user id. A name or an "
        "e-mail address does not replace it.",
        tools=ACCOUNT_TOOLS,
        guard=dialogue_guards.user_id_given,
    ),
    _clause(
        "2.2",
        "Own account only",
        "Touch only the profile with that user id and the reservations it holds, whatever else is asked.",
        tools=ACCOUNT_TOOLS,
        guard=dialogue_guards.own_account,
    ),
    _clause(
        "2.3",
        "Lost reservation ids",
        "Customers who do not know their reservation id are helped: look through the reservations on their profile for "
        "the trip they describe.",
    ),
)

_BOOKING = (
    _clause(
        "3.1",
        "Trip",
        "Ask for trip type, origin, destination and dates before searching. The booked flights must lead from origin "
        "to destination without a gap, and for a round trip back again.",
        tools=("book_reservation",),
        guard=world_guards.booked_route_fits,
    ),
    _clause(
        "3.2",
        "Passengers",
        "A reservation holds at most five passengers. Collect first name, last name and date of birth of each.",
        tools=("book_reservation",),
        guard=world_guards.passengers_within_limit,
    ),
    _clause(
        "3.3",
        "Seats and cabin",
        "Everyone on a reservation takes the same flights in the same cabin. Only available flights with a seat for "
        "each passenger can be sold; when the wanted flight is full, say so and ask for another choice.",
    ),
)

_PAYMENT = (
    _clause(
        "4.1",
        "Mix of payments",
        "A booking takes at most one travel certificate, one credit card and three gift cards, all already stored in "
        "the customer's profile.",
        tools=("book_reservation",),
        guard=world_guards.payment_mix_allowed,
    ),
    _clause(
        "4.2",
        "Certificates",
        "A travel certificate pays only for new bookings, and whatever is left of it is lost.",
    ),
    _clause(
        "4.3",
        "Paying for changes",
        "Changes of flights, cabin or bags are paid, or paid back, with exactly one stored credit card or gift card of "
        "the customer's choice. A gift card must cover the whole amount.",
        tools=("update_reservation_flights", "update_reservation_baggages"),
        guard=world_guards.change_paid_by_card,
    ),
)

_BAGS = (
    _clause(
        "5.1",
        "Free bags",
        "Checked bags free per passenger: basic economy 0, economy 1, business 2; silver members get 1 more, gold "
        "members 2 more. What counts is the membership of the customer who holds the reservation.",
        tools=("book_reservation", "update_reservation_baggages"),
        guard=world_guards.paid_bags_right,
    ),
    _clause(
        "5.2",
        "Paid bags",
        "Every bag beyond the free ones costs 50 dollars. Add only bags that the customer asks for.",
    ),
    _clause(
        "5.3",
        "Bags stay",
        "Checked bags can be added to a reservation, never taken off.",
        tools=("update_reservation_baggages",),
        guard=world_guards.bags_not_removed,
    ),
    _clause(
        "5.4",
        "Insurance",
        "Offer travel insurance with every booking: 30 dollars per passenger. It gives the full price back when a trip "
        "is cancelled for health or weather. It cannot be added after booking.",
    ),
)

_CHANGES = (
    _clause(
        "6.1",
        "Basic economy",
        "The flights of a basic economy reservation cannot be changed.",
        tools=("update_reservation_flights",),
        guard=world_guards.basic_economy_flights_stay,
    ),
    _clause(
        "6.2",
        "Route",
        "Changed flights keep the reservation's origin, destination and trip type.",
        tools=("update_reservation_flights",),
        guard=world_guards.changed_route_fits,
    ),
    _clause(
        "6.3",
        "Price of a change",
        "Segments that stay keep the fare they were sold at; new ones cost today's fare. The customer pays, or gets "
        "back, the difference for all passengers.",
    ),
    _clause(
        "6.4",
        "Cabin",
        "Any reservation, basic economy included, can move to another cabin, but only with all of its flights and "
        "passengers, and only while no segment is flown.",
        tools=("update_reservation_flights",),
        guard=world_guards.cabin_change_allowed,
    ),
    _clause(
        "6.5",
        "Passengers of a reservation",
        "Names and birth dates on a reservation can be corrected or replaced. The number of passengers cannot change, "
        "not even by a human colleague.",
        tools=("update_reservation_passengers",),
        guard=world_guards.passenger_count_stays,
    ),
    _clause(
        "6.6",
        "Flown segments",
        "Flown segments cannot be replaced; only later ones can.",
        tools=("update_reservation_flights",),
        guard=world_guards.flown_segments_stay,
    ),
    _clause(
        "6.7",
        "Closed reservations",
        "A cancelled reservation is closed: it is neither changed nor cancelled again.",
        tools=(*CHANGE_TOOLS, "cancel_reservation"),
        guard=world_guards.reservation_open,
    ),
)

_CANCELLING = (
    _clause(
        "7.1",
        "Reason",
        "Ask why the customer wants to cancel before deciding: a change of plans, a flight cancelled by us, health, "
        "weather or something else.",
    ),
    _clause(
        "7.2",
        "Started trips",
        "Once any segment is flown, a reservation cannot be cancelled here: transfer the customer.",
        tools=("cancel_reservation",),
        guard=world_guards.nothing_flown,
    ),
    _clause(
        "7.3",
        "When cancelling is allowed",
        "Otherwise a reservation can be cancelled if it was booked within the last 24 hours, or we cancelled one of "
        "its flights, or it is in business, or it is insured and the reason is health or weather. Nothing else counts, "
        "membership neither.",
        tools=("cancel_reservation",),
        guard=world_guards.cancellation_allowed,
    ),
    _clause(
        "7.4",
        "Whole reservations, full refunds",
        "A cancellation covers the whole reservation. Its payments go back to the methods they came from within 5 to 7 "
        "business days.",
    ),
)

_COMPENSATION = (
    _clause(
        "8.1",
        "Only when asked",
        "Never offer compensation that the customer has not asked for. Look the facts up before promising any.",
        tools=("send_certificate",),
        guard=dialogue_guards.compensation_asked_for,
    ),
    _clause(
        "8.2",
        "Who gets it",
        "Silver and gold members, customers with travel insurance on the reservation, and business passengers. Regular "
        "members without insurance in economy or basic economy get none.",
        tools=("send_certificate",),
        guard=compensation_guards.compensation_deserved,
    ),
    _clause(
        "8.3",
        "Cancelled flights",
        "When we cancelled a flight of the reservation: a certificate of 100 dollars for each of its passengers.",
        tools=("send_certificate",),
        guard=compensation_guards.compensation_amount_right,
    ),
    _clause(
        "8.4",
        "Delayed flights",
        "When a flight of the reservation is delayed and the customer has therefore had it changed or cancelled: a "
        "certificate of 50 dollars for each passenger, after that change or cancellation.",
        tools=("send_certificate",),
        guard=compensation_guards.delay_settled_first,
    ),
    _clause(
        "8.5",
        "Nothing else",
        "No other mishap is compensated, no amount is negotiable, and no reservation is compensated twice.",
        tools=("send_certificate",),
        guard=compensation_guards.compensated_once,
    ),
)

_LIMITS = (
    _clause(
        "9.1",
        "Transfer",
        "Transfer to a human, with a summary, only what no tool here can do, and started trips to be cancelled. "
        "Do not transfer because a customer is unhappy with a rule.",
    ),
)

CLAUSES: tuple[Clause, ...] = (
    _CONDUCT + _IDENTITY + _BOOKING + _PAYMENT + _BAGS + _CHANGES + _CANCELLING + _COMPENSATION + _LIMITS
)
