"""Spoken forms of the domain's values: templates say them, the playbook reads them back out of free text.

Every reader accepts the forms that the matching sayer makes and the usual variations of people and models. Readers
return values in the order of the text.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import re
from collections.abc import Iterable, Mapping
from typing import Any

from eigen_airline.airports import AIRPORTS, CITY
from eigen_airline.records import Cabin, Passenger, TripType

_YEAR = "January February March April May June July August September October November December"
_COUNT = "zero one two three four five six seven eight nine ten eleven twelve"
MONTHS = _YEAR.split()
_WORDS = {word: value for value, word in enumerate(_COUNT.split())} | {
    "no": 0,
    "none": 0,
    "a": 1,
    "an": 1,
    "another": 1,
    "single": 1,
}

# Simulated actors search without regard to case; `(?-i:…)` keeps capitals meaning something there too, so that the
# San of San Diego is no airport and `please` no reservation.
USER_ID = r"\b(?-i:([a-z]+_[a-z]+_\d{3,5}))\b"
RESERVATION_ID = r"\b(?-i:(?!HRN\d{3}\b)(?=[A-Z]*\d)(?=\d*[A-Z])([A-Z0-9]{6}))\b"
FLIGHT_NUMBERS = r"\b(?-i:(HRN\d{3}(?:(?:,| and|, and) HRN\d{3})*))\b"
_PAYMENT_ID = r"(?:credit_card|gift_card|certificate)_\d{7}"
PAYMENT_IDS = rf"\b({_PAYMENT_ID}(?:(?:,| and|, and|, then| then| plus) {_PAYMENT_ID})*)\b"
_MONTH = (
    r"(?-i:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)"
)
TRAVEL_DATE = rf"\b(2024-\d{{2}}-\d{{2}}|{_MONTH} \d{{1,2}})(?!\d)"
"""Dates of this year, ISO or written out; birth dates are older and do not match."""
RETURN_DATE = rf"\b(?:back|return\w*)\b[^.?!]{{0,30}}?{TRAVEL_DATE}"
"""A travel date said to be the way back."""
AIRPORT = rf"\b(?-i:({'|'.join(CITY)}))\b"
MONEY = r"(\$\d[\d,]*(?:\.\d{2})?)"
_NAME = r"(?-i:[A-Z][\w'-]+ [A-Z][\w'-]+)"
_PERSON = rf"({_NAME})(?:, born(?: on)? | born(?: on)? | \(|, (?=\d))(\d{{4}}-\d{{2}}-\d{{2}})\)?"
_BORN = rf"{_NAME} \(\d{{4}}-\d{{2}}-\d{{2}}\)"
PASSENGERS = rf"({_BORN}(?:(?:,|;| and|, and) {_BORN})*)"

_person, _payment = re.compile(_PERSON), re.compile(rf"\b{_PAYMENT_ID}\b")
_dates = re.compile(
    rf"\b(?:(2024)-(\d{{2}})-(\d{{2}})|({_MONTH})\.? (\d{{1,2}})(?!\d)|"
    rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b)"
)
_months = {month[:3].lower(): number for number, month in enumerate(MONTHS, start=1)}
_places = re.compile(rf"\b(?:({'|'.join(CITY)})|({'|'.join(re.escape(city) for city in CITY.values())}))\b")
_code_of = {airport.city: airport.iata for airport in AIRPORTS}
_LAST_FOUR = r"end(?:ing|s) (?:in|with) |last four (?:digits )?"
_ending = re.compile(rf"(?:{_LAST_FOUR}|\*{{2,}})(\d{{4}})\b", re.IGNORECASE)
_no_amount = re.compile(
    rf"\b\d{{4}}-\d{{2}}-\d{{2}}\b|{_dates.pattern}(?:,? 20\d\d\b)?|(?:{_LAST_FOUR})\d{{4}}\b|\b\d{{1,2}}:\d{{2}}\b|"
    r"\b(?!usd\d)(?=\w*\d)(?=\w*[a-z_])(?!\d+usd\b)\w+\b",
    re.IGNORECASE,
)
"""Digits that are no amounts: dates, last digits of cards, times, and ids of any kind."""
_amount = re.compile(r"(\d{1,3}(?:,\d{3})+(?!\d)|\d+)(\.\d{1,2}(?!\d))?")
_from_method = re.compile(
    rf"\$\s?{_amount.pattern}(?: for \d+ passengers?| in all| in total)?"
    r"(?: from| (?:would be|will be|to be) (?:taken from|charged to|refunded to))"
    rf"\s[^.,;:!?\n$]{{0,60}}?({_PAYMENT_ID})\b",
    re.IGNORECASE,
)
_cabins = re.compile(r"\b(basic[ _-]economy|business|economy)\b", re.IGNORECASE)
_CLAUSE = r"(?:^|[.!,;:-])\W*(?:(?:and|but|just|now|okay|please|so|then|well)\W+)*"
"""The beginning of a clause, where a bare `fine` or a command is a yes."""
_yes = re.compile(
    r"\b(?:yes+|yep|yeah|yup|aye|ok|okay|(?<!not )(?<!n't )sure|(?<!not )correct|(?<!not )(?<!n't )confirm(?:ed)?|"
    r"all? ?right|that(?:'s| is) (?:all )?(?:right|fine|it|good)|(?:sounds|looks) (?:good|great|right|fine)|that works|"
    r"that(?:'ll| will) do|that(?:'d| would) be (?:fine|good|great|lovely|perfect|nice)|"
    r"i(?:'d| would) like that|let(?:'s| us) do (?:it|that)|go on then|very well|deal|so be it|guess so|if i must|"
    r"works for me|fine (?:with|by) me|go ahead|go for it|please (?:do|proceed|go)|do (?:it|that|so)|proceed|book it|"
    r"agreed?|absolutely|of course|perfect|exactly|definitely|certainly)\b|^\W*(?:right|please|y)\b|"
    rf"{_CLAUSE}(?:fine\b|(?:book|cancel|change|charge|add|move|do|use) (?:it|them|that|this|both|so)\b)",
    re.IGNORECASE,
)
_asked = re.compile(r"(?:^|(?<=[.!?]))(?!\W*(?:yes|yep|yeah|sure|please|ok(?:ay)?,))[^.!?]*\?", re.IGNORECASE)
_no = re.compile(
    r"^\W*(?:no(?! (?:problem|worries|rush|further|other|more|changes))|nope|nah|not|wait|stop|never ?mind)\b|"
    r"\b(?:not (?:yet|now|that|correct|right)|(?:do not|don't) (?:do|book|cancel|change|proceed|charge|send|go|want "
    r"(?:that|this|it|you))|rather not|hold on|changed my mind|but (?:first|wait|not))\b",
    re.IGNORECASE,
)


def say_date(date: datetime.date) -> str:
    """Return `May 22`."""
    return f"{MONTHS[date.month - 1]} {date.day}"


def dates(text: str) -> list[datetime.date]:
    """Return the travel dates in a text, ISO or written out; a written date without a year is of 2024."""
    found = []
    for match in _dates.finditer(text):
        month = match[2] or _months[(match[4] or match[7])[:3].lower()]
        day = match[3] or match[5] or match[6]
        with contextlib.suppress(ValueError):
            found.append(datetime.date(2024, int(month), int(day)))
    return found


def say_passengers(passengers: Iterable[Passenger]) -> str:
    """Return `Ada Moss (1988-02-14), Ian Moss (1990-11-03)`."""
    return ", ".join(f"{passenger.full_name} ({passenger.dob.isoformat()})" for passenger in passengers)


def passengers(text: str) -> list[dict[str, str]]:
    """Return passengers as tools take them."""
    found = []
    for match in _person.finditer(text):
        first, last = match[1].split(" ", 1)
        found.append({"first_name": first, "last_name": last, "dob": match[2]})
    return found


def say_cabin(cabin: Cabin) -> str:
    """Return `basic economy`, `economy` or `business`."""
    return cabin.replace("_", " ")


def cabin(text: str) -> Cabin | None:
    """Return the first cabin a text names."""
    match = _cabins.search(text)
    if match is None:
        return None
    named = match[1].lower()
    if named == "business":
        return "business"
    return "economy" if named == "economy" else "basic_economy"


def trip_type(text: str) -> TripType | None:
    """Return the trip type a text names."""
    lowered = text.lower().replace("-", " ")
    if any(phrase in lowered for phrase in ("round trip", "return", "and back", "both ways")):
        return "round_trip"
    return "one_way" if any(phrase in lowered for phrase in ("one way", "just there", "single")) else None


def number(text: str) -> int | None:
    """Return the first small number in a text, in digits or in words."""
    for word in re.findall(r"[a-z]+|\d+", text.lower()):
        if word.isdigit():
            return int(word)
        if word in _WORDS:
            return _WORDS[word]
    return None


def airports(text: str) -> list[str]:
    """Return airport codes named by code or city."""
    return [match[1] or _code_of[match[2]] for match in _places.finditer(text)]


def flight_numbers(text: str) -> list[str]:
    """Return flight numbers."""
    return re.findall(r"\bHRN\d{3}\b", text)


def reservation_ids(text: str) -> list[str]:
    """Return reservation ids."""
    return re.findall(RESERVATION_ID, text)


def user_ids(text: str) -> list[str]:
    """Return user ids."""
    return re.findall(USER_ID, text)


def payments(text: str, methods: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return payment ids in the order named: by id, or by a card's last four digits as the profile shows them.

    `methods` are `payment_methods` of a user's JSON. Ids that the profile lacks are returned too: to see that they
    are missing is the agent's task.
    """
    found = [(match.start(), match[0]) for match in _payment.finditer(text)]
    for match in _ending.finditer(text):
        cards = [method["id"] for method in methods.values() if method.get("last_four") == match[1]]
        found += [(match.start(), card) for card in cards[:1]]
    return [payment_id for _, payment_id in sorted(found)]


def amounts(text: str) -> set[decimal.Decimal]:
    """Return every number in a text that may be an amount of money: `$1,020`, `1020` and `1,020.00` are one value."""
    return {_value(match) for match in _amount.finditer(_no_amount.sub(" ", text))}


def method_amounts(text: str) -> list[tuple[decimal.Decimal, str]]:
    """Return amounts that are to be taken from, or given back to, a payment method, with its id."""
    return [(_value(match), match[3]) for match in _from_method.finditer(text)]


def _value(match: re.Match[str]) -> decimal.Decimal:
    return decimal.Decimal(match[1].replace(",", "") + (match[2] or ""))


def say_payments(payment_ids: Iterable[str]) -> str:
    """Return payment ids in the order in which they are to be used up."""
    return ", ".join(payment_ids)


def says_yes(text: str) -> bool:
    """Whether a reply agrees to what was laid out. A question agrees to nothing, unless it begins with a yes."""
    stated = _asked.sub("", text)
    return _yes.search(stated) is not None and _no.search(text) is None
