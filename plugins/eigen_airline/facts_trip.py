"""Fact kinds about the customer, the reservation and the trip."""

from __future__ import annotations

from eigen_airline import wording
from eigen_airline.asking import fact_kind
from eigen_cli.api.domain import FactKind

IDENTITY: tuple[FactKind, ...] = (
    fact_kind(
        "user_id",
        "user id",
        r"user\s?(?:id|name|identification)|account (?:id|number)|customer id|profile id",
        question=(
            "May I have your user id, please?",
            "What is your user id?",
            "Could you give me the user id on your profile?",
        ),
        says=("My user id is {value}.", "Sure, it's {value}.", "{value} is my user id.", "That would be {value}."),
        pattern=wording.USER_ID,
    ),
    fact_kind(
        "full_name",
        "full name",
        r"(?:your|full|first and last) name",
        question=("May I have your name?", "What is your full name?"),
        says=("I'm {value}.", "My name is {value}.", "{value}.", "This is {value}."),
    ),
    fact_kind(
        "reservation_id",
        "reservation id",
        r"(?:(?:reservation|booking|confirmation) (?:id|number|code|reference)s?|(?:id|number|code) of (?:the|your) "
        r"(?:reservation|booking)|which (?:reservation|booking|trip))(?![^.?!]*\b(?:again|once more)\b)",
        question=(
            "Which reservation is this about? I need its reservation id.",
            "Could you tell me the reservation id?",
            "What is the reservation id, please?",
        ),
        says=(
            "The reservation is {value}.",
            "It's reservation {value}.",
            "Reservation id {value}.",
            "That's {value}.",
        ),
        pattern=wording.RESERVATION_ID,
    ),
    FactKind(
        name="corrected_reservation_id",
        label="reservation id, read again",
        question=(
            "I cannot find that reservation. Could you check the reservation id again?",
            "There is no reservation under that id. Would you read it to me once more?",
        ),
        says=(
            "Oh, sorry, I misread it: it's {value}.",
            "My mistake, the right one is {value}.",
            "Let me look again. It says {value}.",
        ),
        asks=(
            r"(?is)(?:not|n't|unable to|no)\b[^.!?]{0,60}\b(?:find|found|locate|exist|match|reservation|valid)",
            r"(?is)\b(?:check|verify|read|spell|repeat|look)\b[^.!?]{0,60}\b(?:again|once more|number|id|code)",
        ),
        pattern=wording.RESERVATION_ID,
    ),
)

TRIP: tuple[FactKind, ...] = (
    fact_kind(
        "origin",
        "origin",
        r"origin|depart(?:ing|ure)? (?:city|airport|from)|from where|from which|(?:fly|flying|leave|leaving|travel|"
        r"travell?ing|start|starting|depart|departing) from|cities|route|from and to",
        question=("Where would you be flying from?", "Which airport do you leave from?", "What is your origin?"),
        says=("I'm leaving from {value}.", "From {value}.", "We start in {value}.", "{value} is where I fly from."),
        pattern=wording.AIRPORT,
    ),
    fact_kind(
        "destination",
        "destination",
        r"destination|where to|to where|arrival (?:city|airport)|(?:going|fly|flying|head|heading|travel|travell?ing) "
        r"to|(?:like|want|need) to (?:go|fly|travel)|cities|route|from and to",
        question=("Where would you like to go?", "Which city are you flying to?", "What is your destination?"),
        says=("I'm going to {value}.", "To {value}.", "The destination is {value}.", "I want to get to {value}."),
        pattern=wording.AIRPORT,
    ),
    fact_kind(
        "trip_type",
        "trip type",
        r"one.?way|round.?trip|trip type|type of trip|return (?:flight|trip)",
        question=("Is it one way or a round trip?", "Would that be a round trip or one way?"),
        says=("It's {value}.", "{value}, please.", "I need it {value}."),
    ),
    fact_kind(
        "departure_date",
        "date of departure",
        r"(?<!return )(?<!birth )dates?(?! of (?:birth|the way back|your return))|"
        r"when(?![^.?!]*\b(?:back|return)\b)|what day|which day",
        question=("On which date?", "What date would you like to leave?", "Which day do you have in mind?"),
        says=("On {value}.", "{value}, please.", "The date is {value}.", "I'd like {value}."),
        pattern=wording.TRAVEL_DATE,
    ),
    fact_kind(
        "return_date",
        "date of the way back",
        r"return(?:ing)?|com(?:e|ing) back|way back|and back|dates(?! of birth)",
        question=("When do you want to come back?", "And the date of the way back?", "What is your return date?"),
        says=("Back on {value}.", "Coming back on {value}.", "The way back is on {value}.", "I return on {value}."),
        pattern=wording.RETURN_DATE,
    ),
    fact_kind(
        "cabin",
        "cabin",
        r"cabin|class|basic economy|economy|business",
        question=(
            "Which cabin would you like: basic economy, economy or business?",
            "What cabin should it be?",
            "Basic economy, economy or business?",
        ),
        says=("{value}, please.", "I'd like {value}.", "Make it {value}.", "In {value}."),
    ),
    fact_kind(
        "flight_number",
        "flight number",
        r"flight (?:number|code|no)|which flight",
        question=("What is the flight number?", "Which flight is it?"),
        says=("It's {value}.", "Flight {value}.", "The flight number is {value}."),
        pattern=wording.FLIGHT_NUMBERS,
    ),
    fact_kind(
        "flights_wanted",
        "wanted flights",
        r"which (?:flights?|options?|one|connection)|of th(?:e|ese|ose) (?:flights|options)|flight (?:option|number)s?|"
        r"prefer\w*|choose|nonstop|direct|what time",
        question=(
            "Which flight would you like?",
            "Do you have a preference among the flights?",
            "Which of the flights suits you?",
        ),
        says=("I'd like {value}.", "{value}, please.", "Give me {value}.", "I'd go with {value}."),
        pattern=wording.FLIGHT_NUMBERS,
    ),
    fact_kind(
        "fallback",
        "second choice of flight",
        r"is full|sold out|another flight|other flight|alternative|instead|not enough seats|no seats|different flight",
        question=(
            "That flight does not have enough seats left. Which other flight would you like instead?",
            "It is sold out in that cabin. What would you like instead?",
        ),
        says=("Then {value}.", "In that case {value}.", "Okay, take {value} instead.", "Alright, {value} then."),
        pattern=wording.FLIGHT_NUMBERS,
    ),
    fact_kind(
        "change_scope",
        "part of the trip to change",
        r"outbound|which (?:part|direction|leg|segment)|both (?:directions|ways|flights)|return flight|whole trip",
        question=(
            "Is it the outbound, the return or both directions you want to change?",
            "Which part should change: the outbound, the return or both directions?",
        ),
        says=("It's {value}.", "I want to change {value}.", "Just change {value}.", "{value}, please."),
    ),
)
