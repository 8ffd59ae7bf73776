"""Questions that change nothing, and requests no tool here can serve."""

from __future__ import annotations

from eigen_airline.records import CABINS, FlightDay, day_id
from eigen_airline.templates import telling
from eigen_airline.templates.cancelling import refund
from eigen_airline.templates.drafting import (
    NOT_TRANSFERRED,
    Scene,
    amount,
    call,
    drafted,
    looked_up,
    looked_up_user,
    named,
    read_reservation,
    read_user,
    template,
)
from eigen_airline.templates.itineraries import CHEAPEST, EARLIEST, ON_SALE, choose
from eigen_airline.templates.requests import goal
from eigen_airline.timetable import DATES, TODAY_INDEX
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import CheckCall, Communicate, Fact, Goal

_OUT_OF_SCOPE = (
    ("a suitcase that did not arrive", "My suitcase never arrived and I want to file a claim for it."),
    ("flying with a cat in the cabin", "I need to register my cat to fly with me in the cabin."),
    ("wheelchair assistance at the airport", "I'd like to arrange wheelchair assistance for my mother."),
    ("an invoice with a company address", "I need an invoice with my company's address for my last trip."),
    ("a new e-mail address on the profile", "Please change the e-mail address on my profile."),
    ("a job application", "I'm calling about the cabin crew job I applied for with you."),
    ("an unaccompanied child", "My nephew will fly alone and I need to book the supervision service."),
)


@template(tools=("get_flight_status",), clauses=("1.3",), difficulty=1)
def ask_flight_status(scene: Scene) -> Draft | None:
    """The status of a flight around today."""
    user, flight = scene.user(), scene.flight()
    date = scene.pick(DATES[TODAY_INDEX - 2 : TODAY_INDEX + 2])
    day = scene.world.table(FlightDay).get(day_id(flight.flight_number, date))
    if user is None or day is None or day.status == "flying":  # that one people tell in other words
        return None
    look = call("get_flight_status", flight_number=flight.flight_number, date=date.isoformat())
    return drafted(
        user,
        goal(
            scene,
            "flight_status",
            Fact("flight_number", flight.flight_number),
            telling.day(scene, "departure_date", date),
        ),
        gold=[look],
        communicate=[named(day.status, "flight status")],
        checks=[CheckCall("read_made", {"tool": look.name, "arguments": look.arguments}), NOT_TRANSFERRED],
    )


@template(tools=("search_direct_flight",), clauses=("1.3", "3.3"), difficulty=1)
def ask_fare(scene: Scene) -> Draft | None:
    """The fare of the cheapest or earliest nonstop."""
    user, flight, date = scene.user(), scene.flight(), scene.pick(ON_SALE)
    cabin, wanted = scene.pick(CABINS), scene.pick((CHEAPEST, EARLIEST))
    found = choose(scene.world, date, wanted, route=(flight.origin, flight.destination), cabin=cabin, seats=1)
    if user is None or found is None:
        return None
    return drafted(
        user,
        goal(
            scene,
            "price_quote",
            telling.place(scene, "origin", flight.origin),
            telling.place(scene, "destination", flight.destination),
            telling.day(scene, "departure_date", date),
            telling.cabin(cabin),
            Fact("flights_wanted", wanted),
        ),
        gold=[found.search],
        communicate=[
            amount(found.fare, "fare"),
            Communicate("name", found.flights[0]["flight_number"], "flight number"),
        ],
        checks=[
            CheckCall("call_made", {"tool": found.search.name, "arguments": found.search.arguments}),
            CheckCall("no_writes"),
        ],
        instructions="You only want to know the fare for one person; you do not book today.",
    )


@template(tools=("get_user_details", "get_reservation_details", "calculate"), clauses=("1.3", "2.1"), difficulty=1)
def ask_paid_total(scene: Scene) -> Draft | None:
    """What a reservation cost altogether, where several payments have to be added up."""
    held = scene.held(lambda _, reservation: reservation.status is None and len(reservation.payment_history) > 1)
    if held is None:
        return None
    user, reservation = held
    expression = " + ".join(str(payment.amount) for payment in reservation.payment_history)
    return drafted(
        user,
        goal(scene, "paid_total", telling.which(reservation)),
        gold=[read_user(user), read_reservation(reservation), call("calculate", expression=expression)],
        communicate=[amount(refund(reservation), "total paid")],
        checks=[looked_up(reservation), CheckCall("no_writes"), NOT_TRANSFERRED],
    )


@template(tools=("get_user_details", "transfer_to_human_agents"), clauses=("2.1", "9.1"), difficulty=1)
def transfer_out_of_scope(scene: Scene) -> Draft | None:
    """Something no tool does: a human takes over."""
    user = scene.user()
    if user is None:
        return None
    topic, request = scene.pick(_OUT_OF_SCOPE)
    return drafted(
        user,
        Goal("out_of_scope", request, (Fact("topic", topic),)),
        gold=[read_user(user), call("transfer_to_human_agents", summary=f"The customer needs help with {topic}.")],
        checks=[looked_up_user(user), CheckCall("transferred"), CheckCall("no_writes")],
    )
