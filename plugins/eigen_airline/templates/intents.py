"""The intents that scenario templates and the playbook share, with the facts each goal carries.

`Goal.intent` is one of these names. Facts listed as `always` are in every goal of that intent, facts listed as
`sometimes` in some. `user_id` is call-wide (`Draft.known`) and therefore in none of the lists. A goal whose customer
has lost the reservation id carries `origin` and `destination` instead, and the draft lists `reservation_id` under
`unknown`; the reservation is then found among those on the customer's profile.

How values are spelt (`eigen_airline.wording` says and reads each of them):

    reservation_id            6 characters, `K4TQ2Z`; corrected_reservation_id is the right one after a misread id
    origin, destination       airport code, `DEN`; some customers say the city instead
    departure_date            ISO date of the first (or only) direction; for changes, its new date
    return_date               ISO date of the way back; for changes, its new date
    trip_type                 `one way` or `round trip`
    cabin                     `basic economy`, `economy` or `business`
    flights_wanted            `the cheapest nonstop`, `the earliest nonstop`, `the cheapest connection` (each among
                              the flights with enough seats in the cabin, in each direction), or `HRN123`
    fallback                  what to take when the wanted flight is full: a `flights_wanted` phrase
    change_scope              `the outbound`, `the return` or `both directions`; only where the trip is a round trip
    passengers                `Ada Moss (1988-02-14), Ian Moss (1990-11-03)`; new_passenger holds exactly one such
    old_passenger             `Ada Moss`, the passenger to be corrected or replaced
    bags                      number of checked bags on the whole reservation; extra_bags is how many to add,
                              fewer_bags how many to take off
    insurance                 `yes` or `no`
    payment                   payment id, or ids in the order in which they are to be used up, the last one paying
                              the rest: `certificate_1234567, gift_card_2345678, credit_card_3456789`
    other_payment             payment id to use when the first choice cannot be
    cancel_reason             `a change of plans`, `the airline cancelled the flight`, `a health problem`,
                              `bad weather`, `a work conflict` or `the delay of the flight`
    complaint                 `cancelled` or `delayed`; demand is an amount the customer would like, `$450`
    flight_number             `HRN123`
    topic                     what an out-of-scope request is about
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class IntentFacts:
    """What a goal of one intent carries, and what a careful agent does about it."""

    always: tuple[str, ...]
    sometimes: tuple[str, ...]
    task: str


_FIND = ("reservation_id", "corrected_reservation_id", "origin", "destination")

INTENTS: dict[str, IntentFacts] = {
    "book_flight": IntentFacts(
        always=(
            "origin",
            "destination",
            "trip_type",
            "departure_date",
            "cabin",
            "flights_wanted",
            "passengers",
            "bags",
            "insurance",
            "payment",
        ),
        sometimes=("return_date", "fallback", "other_payment"),
        task="Search each direction, pick the wanted flights, price them, confirm, book. Refuse more than five "
        "passengers and more than one certificate; other_payment then says what to use instead. Tell the total.",
    ),
    "cancel_reservation": IntentFacts(
        always=("cancel_reason",),
        sometimes=_FIND,
        task="Read the reservation, look at the status of its flights where that can decide, cancel if clause 7.3 "
        "allows it, transfer if a part is flown, refuse otherwise. Tell the refund.",
    ),
    "change_flights": IntentFacts(
        always=("flights_wanted", "payment"),
        sometimes=(*_FIND, "change_scope", "departure_date", "return_date", "other_payment"),
        task="Search the new dates of the directions in scope (same date where no date is given), keep the other "
        "segments, pay or refund the difference. Refuse basic economy.",
    ),
    "change_cabin": IntentFacts(
        always=("cabin", "payment"),
        sometimes=(*_FIND, "other_payment"),
        task="Reprice every flight of the reservation in the new cabin on its own date and pay or refund the "
        "difference. Refuse when a part is flown.",
    ),
    "add_bags": IntentFacts(
        always=("extra_bags", "payment"),
        sometimes=_FIND,
        task="Work out free bags from membership, cabin and passengers; add the bags, paying 50 dollars for each "
        "one that is not free. Tell the charge.",
    ),
    "remove_bags": IntentFacts(always=("reservation_id", "fewer_bags"), sometimes=(), task="Read, then refuse."),
    "add_insurance": IntentFacts(always=("reservation_id",), sometimes=(), task="Read, then refuse."),
    "change_passengers": IntentFacts(
        always=("old_passenger", "new_passenger"),
        sometimes=_FIND,
        task="Replace that passenger's name and birth date, keep the others, send the whole list.",
    ),
    "add_passenger": IntentFacts(
        always=("reservation_id", "new_passenger"), sometimes=(), task="Read, then refuse: the number is fixed."
    ),
    "change_route": IntentFacts(
        always=("reservation_id", "destination"), sometimes=(), task="Read, then refuse: origin and destination stay."
    ),
    "compensation": IntentFacts(
        always=("complaint",),
        sometimes=(*_FIND, "demand"),
        task="Read profile and reservation, check the status of its flights, send a certificate where clauses 8.2 to "
        "8.4 allow it (for a delay only after the reservation was changed or cancelled), refuse otherwise.",
    ),
    "flight_status": IntentFacts(
        always=("flight_number", "departure_date"), sometimes=(), task="Look the flight up and tell its status."
    ),
    "price_quote": IntentFacts(
        always=("origin", "destination", "departure_date", "cabin", "flights_wanted"),
        sometimes=(),
        task="Search and tell flight number and price per passenger. No booking.",
    ),
    "baggage_question": IntentFacts(
        always=(),
        sometimes=_FIND,
        task="Tell how many bags are free in total on that reservation, from membership, cabin and passengers.",
    ),
    "paid_total": IntentFacts(
        always=(), sometimes=_FIND, task="Read the reservation and tell the sum of its payment history."
    ),
    "out_of_scope": IntentFacts(
        always=("topic",), sometimes=("reservation_id",), task="No tool does this: transfer to a human with a summary."
    ),
}
