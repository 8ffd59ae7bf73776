"""The airline's dialogue procedures for simulated actors: what a good agent does, intent by intent."""

from __future__ import annotations

from eigen_airline import playbook_booking as booking
from eigen_airline import playbook_cancelling as cancelling
from eigen_airline import playbook_changes as changes
from eigen_airline import playbook_extras as extras
from eigen_airline import playbook_questions as questions
from eigen_airline.playbook_common import greeted
from eigen_cli.api.playbook import Intent, Playbook

_BAGS = r"(?:bags?|baggages?|luggage|suitcases?)"
_TRIP = r"(?:reservation|booking|trip|flights?)"

PLAYBOOK = Playbook(
    opening=greeted,
    # Of intents with equally many matches the earlier one wins: the more particular ones stand first.
    intents=(
        Intent(
            "compensation",
            (
                r"\bcompensat\w*",
                r"\b(?:voucher|certificate|goodwill|make (?:it|this|that) up to me)\b",
                r"\bwhat (?:do|can|will) (?:i|you) (?:get|offer|give|do)\b[^.?!:]*\b(?:for (?:it|that)|delay|cancel)",
                r"\bcompensation\b",
            ),
            cancelling.compensation,
        ),
        Intent(
            "add_insurance",
            (
                r"\binsurance\b",
                r"\b(?:add|buy|get|include)\b[^.?!:]*\binsurance\b",
                r"\binsure\b",
            ),
            questions.add_insurance,
        ),
        Intent(
            "remove_bags",
            (
                rf"\b(?:remove|take off|take|drop|reduce|fewer|less|return)\b[^.?!:]*\b{_BAGS}\b",
                rf"\b{_BAGS}\b[^.?!:]*\b(?:off|removed|fewer|less)\b",
                rf"\b(?:less|fewer) {_BAGS}\b",
                r"\b(?:remove|reduce|take off|money back)\b",
            ),
            questions.remove_bags,
        ),
        Intent(
            "baggage_question",
            (
                rf"\bhow many\b[^.?!:]*\b{_BAGS}\b",
                r"\b(?:allowance|for free|free of charge)\b",
                rf"\bquestion\b[^.?!:]*\b{_BAGS}\b",
            ),
            questions.baggage_question,
        ),
        Intent(
            "add_bags",
            (
                rf"\b(?:add|extra|more|another|additional|bring|check in)\b[^.?!:]*\b{_BAGS}\b",
                rf"\b(?:checked )?{_BAGS}\b",
                r"\bpacking more\b",
            ),
            extras.add_bags,
        ),
        Intent(
            "add_passenger",
            (
                r"\b(?:add|extra|another|additional|one more(?! "
                r"thing))\b[^.?!:]*\b(?:passenger|person|travell?er|people|friend)\b",
                r"\b(?:come along|join (?:me|us)|coming with)\b",
            ),
            questions.add_passenger,
        ),
        Intent(
            "change_passengers",
            (
                r"\b(?:passenger|travell?er)s?\b",
                r"\b(?:name|spelling|typo|misspell?ed|misspelt|birth ?date|date of birth)\b",
                r"\b(?:change|correct|fix|update|replace|swap)\b[^.?!:]*\b(?:passenger|name|travell?er)",
            ),
            extras.change_passengers,
        ),
        Intent(
            "change_cabin",
            (
                r"\b(?:upgrade|downgrade)\w*",
                r"\b(?:change|move|switch|booked|upgrade|better|cheaper|lower|higher|different)\b[^.?!:]*\b(?:cabin|class)\b",
                r"\b(?:business|economy)\b",
            ),
            changes.change_cabin,
        ),
        Intent(
            "change_route",
            (
                r"\b(?:change|different|other|another|new)\b[^.?!:]*\b(?:destination|route|origin|city|airport)\b",
                r"\b(?:fly|go) somewhere else\b",
                r"\b(?:destination|somewhere else|another city)\b",
            ),
            questions.change_route,
        ),
        Intent(
            "cancel_reservation",
            (
                r"\b(?:cancel|call off|calling off)\b(?! (?:culture))",
                rf"\b(?:cancel|call off)\b[^.?!:]*\b{_TRIP}\b",
                r"\bget out of (?:my|the|a) (?:trip|booking|reservation)\b",
            ),
            cancelling.cancel_reservation,
        ),
        Intent(
            "price_quote",
            (
                r"\bhow much (?:would|does|is|do|are|will)\b(?![^.?!:]*\bpaid)",
                r"\b(?:price|quote|fare|what does a)\b",
                r"\b(?:don't|do not|not) (?:want|going|looking) to book\b",
            ),
            booking.price_quote,
        ),
        Intent(
            "paid_total",
            (
                r"\b(?:paid|expense report|altogether)\b",
                r"\bhow much\b[^.?!:]*\bpaid\b",
                r"\b(?:total|what) (?:amount|did)\b[^.?!:]*\b(?:cost|paid)\b",
            ),
            questions.paid_total,
        ),
        Intent(
            "flight_status",
            (
                r"\bstatus\b",
                r"\b(?:on time|picking (?:someone|somebody|her|him|them|my \w+) up|has (?:it )?landed)\b",
                r"\b(?:status|know)\b[^.?!:]*\bflight\b",
            ),
            questions.flight_status,
        ),
        Intent(
            "change_flights",
            (
                rf"\b(?:change|move|switch|reschedule|rebook|shift|postpone|swap)\w*\b[^.?!:]*\b(?:{_TRIP}|date|day)\b",
                r"\b(?:another|different|other|earlier|later) (?:date|day|flight)",
                r"\b(?:reschedule|rebook)\b",
                r"\bkeep the date\b",
            ),
            changes.change_flights,
        ),
        Intent(
            "book_flight",
            (
                rf"\b(?:book|reserve|buy|purchase)\b[^.?!:]*\b(?:{_TRIP}|tickets?|seats?)\b",
                r"\b(?:new|fly to|tickets?)\b",
                r"\b(?:book|reserve)\b",
            ),
            booking.book_flight,
        ),
        Intent(
            "out_of_scope",
            (
                r"\b(?:lost and found|claim|never arrived|went missing|invoice|receipt|company(?:'s)? "
                r"address|pet|dog|cat"
                r"|wheelchair|assistance|meal|lounge|miles|points|password|e-?mail address|phone number|job|applied"
                r"|fly alone|unaccompanied|supervision)\b",
                r"\b(?:file|arrange|register|invoice|e-?mail|cabin crew|service)\b",
                r"\b(?:speak|talk) to (?:a |an |some)?(?:human|person|manager|supervisor|someone)\b",
            ),
            questions.out_of_scope,
        ),
    ),
)
