"""Fact kinds about who flies, what is bought, how it is paid and why the customer calls."""

from __future__ import annotations

from eigen_airline import wording
from eigen_airline.asking import fact_kind
from eigen_cli.api.domain import FactKind

PEOPLE: tuple[FactKind, ...] = (
    fact_kind(
        "passengers",
        "passengers",
        r"who(?:'s| is| will be| are)? (?:fly|travel)\w*|(?:passenger|travell?er)s?'?s? (?:names?|details?|"
        r"information)|names? (?:of|and)|names,|dates? of birth|birth dates?|"
        r"(?:the|all|each|every) (?:passengers?|travell?ers?)|how many (?:passengers|people|travell?ers)",
        question=(
            "Who is flying? I need everyone's first name, last name and date of birth.",
            "Please give me the first name, last name and date of birth of each passenger.",
            "May I have the passengers' names and dates of birth?",
        ),
        says=("The passengers are {value}.", "That's {value}.", "Please book it for {value}.", "Flying: {value}."),
        pattern=wording.PASSENGERS,
    ),
    fact_kind(
        "old_passenger",
        "passenger to change",
        r"which passenger|whose|who(?:m)? (?:is|should|do|would|needs)|passenger (?:to|should|you|is)|current(?:ly)?",
        question=(
            "Which passenger on the reservation should be changed?",
            "Whose details need changing, as they stand now?",
        ),
        says=("It's {value}.", "The one to change is {value}.", "Right now it says {value}.", "{value}'s entry."),
    ),
    fact_kind(
        "new_passenger",
        "new passenger details",
        r"new (?:passenger|name|details|travell?er)|correct (?:name|details|spelling|date)|dates? of birth|birth date|"
        r"should (?:it|the name|they) (?:say|read)|replace|full name|first and last|additional passenger",
        question=(
            "What should it say instead? I need first name, last name and date of birth.",
            "Please give me the new passenger's first name, last name and date of birth.",
        ),
        says=("It should be {value}.", "Please put {value}.", "Make that {value}.", "The right details are {value}."),
        pattern=wording.PASSENGERS,
    ),
)

EXTRAS: tuple[FactKind, ...] = (
    fact_kind(
        "bags",
        "checked bags",
        r"bags?|baggages?|luggage|suitcases?",
        question=(
            "How many checked bags will there be in all?",
            "How many bags would you like to check?",
            "Any checked bags, and how many?",
        ),
        says=("{value} in total.", "We'd check {value}.", "Checked bags: {value}.", "Make it {value} checked."),
    ),
    fact_kind(
        "extra_bags",
        "bags to add",
        r"bags?|baggages?|luggage|suitcases?",
        question=("How many bags should I add?", "How many more checked bags do you need?"),
        says=("{value} more.", "Add {value}, please.", "I need {value} extra.", "Just {value} on top."),
    ),
    fact_kind(
        "fewer_bags",
        "bags to take off",
        r"bags?|baggages?|luggage|suitcases?",
        question=("How many bags is this about?", "How many bags would you like to take off?"),
        says=("{value} fewer.", "Take off {value}.", "I no longer need {value} of them."),
    ),
    fact_kind(
        "insurance",
        "travel insurance",
        r"insurance|insured?|coverage",
        question=(
            "Would you like travel insurance? It is 30 dollars per passenger.",
            "Should I add travel insurance for 30 dollars a passenger?",
            "Do you want the travel insurance?",
        ),
        says=("Insurance: {value}.", "{value} to the insurance.", "For the insurance, {value}."),
    ),
)

MONEY: tuple[FactKind, ...] = (
    fact_kind(
        "payment",
        "payment method",
        r"(?<!other )(?<!different )pay(?:ment|ing)?(?! method cannot)|which card|what card|card or|charged?|"
        r"refund(?:ed)? (?:to|method)",
        question=(
            "Which payment method would you like to use?",
            "How would you like to pay?",
            "Which card or gift card should this go to?",
        ),
        says=("Use {value}, please.", "I'll pay with {value}.", "Put it on {value}.", "{value}, please."),
        pattern=wording.PAYMENT_IDS,
    ),
    fact_kind(
        "other_payment",
        "second choice of payment",
        r"other (?:payment|card|method|way)|another (?:payment|card|method|way)|different (?:payment|card|method|way)|"
        r"not enough|insufficient|does not cover|doesn't cover|only one certificate|one certificate|instead|"
        r"cannot be used|can't be used|too low",
        question=(
            "That method cannot be used for this. Which other payment method would you like to use?",
            "It does not cover the amount. Is there another payment method I should use?",
        ),
        says=(
            "Then use {value}.",
            "Okay, take {value} instead.",
            "In that case put it on {value}.",
            "Use {value} then.",
        ),
        pattern=wording.PAYMENT_IDS,
    ),
    fact_kind(
        "demand",
        "amount the customer demands",
        r"how much|what amount|expect\w*|looking for",
        question=("How much were you expecting?", "What amount were you looking for?"),
        says=("I think {value} would be fair.", "I want {value}.", "I was expecting {value}."),
        pattern=wording.MONEY,
    ),
)

REASONS: tuple[FactKind, ...] = (
    fact_kind(
        "cancel_reason",
        "reason for cancelling",
        r"reason|why|because|what happened",
        question=(
            "May I ask why you want to cancel?",
            "What is the reason for the cancellation?",
            "Could you tell me the reason for cancelling?",
        ),
        says=("It's because of {value}.", "The reason is {value}.", "Well, {value}."),
    ),
    fact_kind(
        "complaint",
        "what went wrong",
        r"what (?:happened|went wrong|is the problem|was the problem)|problem|issue|"
        r"delayed or cancel\w+|cancel\w+ or delayed",
        question=("What happened with your flight?", "Was the flight delayed or cancelled?"),
        says=("My flight was {value}.", "The flight got {value}.", "It was {value}."),
    ),
    fact_kind(
        "topic",
        "what it is about",
        r"what (?:is it|is this|exactly|kind)|(?:more|what) about|describe|more details",
        question=("Could you tell me more about what you need?", "What exactly is it about?"),
        says=("It's about {value}.", "I need help with {value}.", "The thing is {value}."),
    ),
)
