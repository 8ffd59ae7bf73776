"""Fact kinds: what customers know, how they say it, how agents ask for it, and what its values look like."""

from __future__ import annotations

from eigen_cli.api.domain import FactKind
from eigen_telecom import wording
from eigen_telecom.asking import fact_kind

PHONE_SHOWS = "phone_shows"
"""What a screen of the phone says; customers know it by looking, never by heart."""

FACT_KINDS: tuple[FactKind, ...] = (
    fact_kind(
        "phone_number",
        "phone number",
        r"(?:phone|mobile|cell|line'?s?) numbers?|number (?:of|for) (?:the|your) (?:phone|line)|number you(?:'re| are)",
        question=(
            "What is the phone number you are calling about?",
            "May I have the phone number of the line, please?",
            "Could you give me the phone number this is about?",
        ),
        says=("My number is {value}.", "It's {value}.", "The number is {value}.", "That would be {value}."),
        pattern=wording.PHONE_NUMBER,
    ),
    fact_kind(
        "full_name",
        "full name",
        r"(?:full |first |last |your )?names?",
        question=("May I have your full name?", "What is your full name, please?"),
        says=("My name is {value}.", "The name is {value}.", "My full name is {value}."),
        pattern=wording.FULL_NAME,
    ),
    fact_kind(
        "date_of_birth",
        "date of birth",
        r"dates? of birth|birth ?dates?|born|birthday",
        question=("What is your date of birth?", "May I have your date of birth, please?"),
        says=("I was born on {value}.", "My date of birth is {value}.", "{value}."),
        pattern=wording.BIRTH_DATE,
    ),
    fact_kind(
        "customer_id",
        "customer id",
        r"customer (?:id|number)",
        question=("Do you have your customer id at hand?",),
        says=("My customer id is {value}.", "It's {value}."),
        pattern=wording.CUSTOMER_ID,
    ),
    fact_kind(
        "location",
        "where you are",
        r"abroad|travell?ing|at home|country|where (?:are|will) you|outside the (?:country|us)|location",
        question=(
            "Are you at home at the moment, or abroad?",
            "Where are you right now: at home or in another country?",
        ),
        says=("At the moment I'm {value}.", "Right now I am {value}.", "I'm {value} at the moment."),
        pattern=r"\b(at home|abroad(?: in (?-i:[A-Z]\w+))?)\b",
    ),
    fact_kind(
        "refuel_gb",
        "data to buy",
        r"how (?:much|many) (?:more |extra |additional )?(?:data|gigabytes|gb)|data (?:should|to (?:add|buy))|buy",
        question=("How much data would you like to buy?", "How many GB should I add to your line?"),
        says=("{value}, please.", "I'd take {value}.", "{value} would do.", "Let's say {value}."),
        pattern=wording.GIGABYTES,
    ),
    fact_kind(
        "reason",
        "reason",
        r"why|reason",
        question=("May I ask for the reason?", "Why would you like that?"),
        says=("It's because of {value}.", "The reason is {value}.", "Because of {value}."),
    ),
    fact_kind(
        "other_number",
        "other phone number",
        r"(?:phone|mobile|other) numbers?|which line|whose line",
        question=("Which phone number is it about?", "What is the number of that line?"),
        says=("It's the number {value}.", "That line is {value}.", "{value}."),
        pattern=wording.PHONE_NUMBER,
    ),
    fact_kind(
        "topic",
        "what it is about",
        r"describe|in a few words|what (?:is it|it is) about",
        question=("How would you put it in a few words, so that I can pass it on?",),
        says=("It's about {value}.", "{value}."),
    ),
    fact_kind(
        PHONE_SHOWS,
        "what your phone shows",
        r"(?:it|phone|screen|bar|page|test|that) (?:shows?|says?|reads?)|you see|happens|read it (?:out )?to me",
        question=("What does your phone show?", "Please tell me what it shows."),
        says=("{value}", "It says: {value}"),
        # Case counts: "my messaging app" is a complaint, "App messaging: …" a screen.
        pattern=(
            r"\b((?-i:Status bar:|Network page:|Speed test:|SIM card:|The SIM card is|Access point|The access point is|"
            r"Wi-Fi(?: calling)?:|Wi-Fi (?:calling )?is now|Wi-Fi cannot|VPN:|The VPN is|No VPN is|App \w+:|"
            r"Installed apps:|Picture messages:|The phone has|Payment (?:request|made):|Preferred network:|"
            r"There is no network mode|Airplane mode is now|Mobile data is now|Data roaming is now|Data saver is now|"
            r"Data saver:)[\s\S]*)"
        ),
    ),
)
