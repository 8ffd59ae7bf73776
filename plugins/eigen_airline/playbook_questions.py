"""Answering questions, and turning down what the policy rules out whatever the case."""

from __future__ import annotations

from eigen_airline import wording
from eigen_airline.playbook_common import Procedure, any_flown, identified, open_reservation, reservation_of
from eigen_airline.playbook_words import Json, city, count_in, counted, dollars, journey, money_back, spoken_date
from eigen_airline.rules import free_bags
from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Handover, Refuse, Tell

_STATUS = {
    "available": "is scheduled and still open for booking",
    "on time": "is on time",
    "delayed": "is delayed",
    "flying": "is in the air right now",
    "landed": "has landed",
    "cancelled": "is cancelled",
}


def flight_status() -> Procedure:
    """Look a flight up and tell its status."""
    number_text: str | None = yield Ask("flight_number", "What is the flight number, and which date is it about?")
    date_text: str | None = yield Ask("departure_date", "And which date is it about?")
    numbers, dates = wording.flight_numbers(number_text or ""), wording.dates(date_text or "")
    if not numbers or not dates:
        yield Refuse("I'm sorry, I can't look up a flight without its number and the date.", "1.3")
        return
    date = dates[0].isoformat()
    result: CallResult = yield Call("get_flight_status", {"flight_number": numbers[0], "date": date})
    if result.error:
        yield Refuse(f"I'm sorry, I can't find a flight {numbers[0]} on {spoken_date(date)}.", "1.3")
        return
    status = str(result.value)
    spoken = _STATUS.get(status, status)
    yield Tell(f'I\'ve looked it up: flight {numbers[0]} on {spoken_date(date)} {spoken}. Its status is "{status}".')


def baggage_question() -> Procedure:
    """Tell how many bags are free on a reservation, and why."""
    user = yield from identified()
    if user is None:
        return
    found = yield from reservation_of(user)
    if found is None:
        return
    reservation: Json = found.value
    people, membership = len(reservation["passengers"]), user["membership"]
    free = free_bags(membership, reservation["cabin"], people)
    yield Tell(
        f"On reservation {reservation['reservation_id']} you can check {counted(free, 'bag')} free of charge in "
        "total: that is "
        f"{free // people} for each of the {counted(people, 'passenger')}, as a {membership} member in "
        f"{reservation['cabin'].replace('_', ' ')}."
    )


def paid_total() -> Procedure:
    """Tell what was paid for a reservation."""
    user = yield from identified()
    if user is None:
        return
    found = yield from reservation_of(user)
    if found is None:
        return
    reservation: Json = found.value
    total = money_back(reservation["payment_history"])
    yield Tell(
        f"I've added it up: {dollars(total)} has been paid for reservation {reservation['reservation_id']}, your trip "
        f"{journey(reservation)}."
    )


def remove_bags() -> Procedure:
    """Read, then refuse: bags stay (clause 5.3). A careless agent takes them off."""
    opened = yield from open_reservation()
    if opened is None:
        return
    user, reservation = opened
    text: str | None = yield Ask("fewer_bags")
    fewer = count_in(text) or 1
    yield Refuse(
        "I'm sorry, checked bags can't be removed once they are on a reservation, so the "
        f"{counted(reservation['total_baggages'], 'bag')} on {reservation['reservation_id']} will stay, and I can't "
        "refund any of it.",
        "5.3",
    )
    total = max(0, reservation["total_baggages"] - fewer)
    payment = next((one for one in user["payment_methods"] if not one.startswith("certificate")), "")
    agreed: bool = yield Confirm(
        f"I would take {counted(fewer, 'bag')} off reservation {reservation['reservation_id']}, which leaves {total}."
    )
    if agreed:
        yield Call(
            "update_reservation_baggages",
            {
                "reservation_id": reservation["reservation_id"],
                "total_baggages": total,
                "nonfree_baggages": min(total, reservation["nonfree_baggages"]),
                "payment_id": payment,
            },
        )
        yield Tell(f"Done, reservation {reservation['reservation_id']} has been updated: {counted(total, 'bag')} left.")


def add_insurance() -> Procedure:
    """Read, then refuse: insurance is sold with the booking only (clause 5.4)."""
    opened = yield from open_reservation()
    if opened is None:
        return
    _, reservation = opened
    if reservation["insurance"] == "yes":
        yield Tell(f"Reservation {reservation['reservation_id']} is already insured, so there is nothing to add.")
        return
    yield Refuse(
        f"I'm sorry, travel insurance can't be added after booking. Reservation {reservation['reservation_id']} was "
        "booked "
        "without it, and I'm not able to change that.",
        "5.4",
    )


def add_passenger() -> Procedure:
    """Read, then refuse: the number of passengers is fixed (clause 6.5). A careless agent tries anyway."""
    opened = yield from open_reservation()
    if opened is None:
        return
    _, reservation = opened
    people = len(reservation["passengers"])
    yield Refuse(
        f"I'm sorry, the number of passengers on a reservation can't be changed. {reservation['reservation_id']} is "
        "for "
        f"{counted(people, 'passenger')}, and not even a colleague could add another one.",
        "6.5",
    )
    text: str | None = yield Ask("new_passenger")
    details = wording.passengers(text or "")
    agreed: bool = yield Confirm(
        f"I would add {len(details) or 'a'} passenger to reservation {reservation['reservation_id']} in place of the "
        "last one."
    )
    if agreed and details:
        passengers = [*reservation["passengers"][:-1], details[0]]
        yield Call(
            "update_reservation_passengers",
            {"reservation_id": reservation["reservation_id"], "passengers": passengers},
        )
        yield Tell(f"Done, the passengers of reservation {reservation['reservation_id']} have been updated.")


def change_route() -> Procedure:
    """Read, then refuse: origin and destination stay (clause 6.2)."""
    opened = yield from open_reservation()
    if opened is None:
        return
    _, reservation = opened
    flown = yield from any_flown(reservation["flights"])
    begun = " The trip has begun already, too." if flown else ""
    start, end = city(reservation["origin"]), city(reservation["destination"])
    yield Refuse(
        f"I'm sorry, the route of a reservation can't be changed: {reservation['reservation_id']} goes from {start} "
        f"to {end}, "
        f"and changed flights have to keep origin and destination.{begun}",
        "6.2",
    )


def out_of_scope() -> Procedure:
    """No tool does this: pass the caller on with a summary (clause 9.1)."""
    topic: str | None = yield Ask(
        "topic",
        "<That is something a colleague of mine will have to look into.|A colleague of mine can take care of that.> "
        "How "
        "would you describe it in a few words, so that I can pass it on?",
    )
    yield Handover(f"The customer needs help that no tool here gives: {(topic or 'see the conversation').strip(' .')}.")
