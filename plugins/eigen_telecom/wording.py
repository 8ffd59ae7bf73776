"""Spoken forms of the domain's values: templates say them, guards and the playbook read them out of free text."""

from __future__ import annotations

import re

PHONE_NUMBER = r"\b(555-\d{3}-\d{4})\b"
CUSTOMER_ID = r"\b(?-i:(C\d{4,8}))\b"
BIRTH_DATE = r"\b((?:19|20)\d{2}-\d{2}-\d{2})\b"
GIGABYTES = r"(?i)\b(\d+(?:\.\d+)?\s?(?:GB|gigs?|gigabytes?))\b"
_NAME = r"(?-i:[A-Z][\w'-]+ [A-Z][\w'-]+)"
FULL_NAME = rf"\b(?:name is|name's|I'm|I am|this is|Name:) ({_NAME})"

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\.?"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_written_dates = re.compile(rf"(?i)\b(?:{_MONTH} (?:the )?{_DAY}|{_DAY}(?: of)? {_MONTH}),? ((?:19|20)\d{{2}})\b")
_numbers = re.compile(r"\b555[- .]?(\d{3})[- .]?(\d{4})\b")
_CLAUSE = r"(?:^|[.!,;:-])\W*(?:(?:and|but|just|now|okay|please|so|then|well)\W+)*"
"""The beginning of a clause, where a bare `fine` or a command is a yes."""
_yes = re.compile(
    r"\b(?:yes+|yep|yeah|yup|aye|ok|okay|(?<!not )(?<!n't )sure|(?<!not )correct|(?<!not )(?<!n't )confirm(?:ed)?|"
    r"all? ?right|that(?:'s| is) (?:all )?(?:right|fine|it|good)|(?:sounds|looks) (?:good|great|right|fine)|that works|"
    r"that(?:'ll| will) do|that(?:'d| would) be (?:fine|good|great|lovely|perfect|nice)|"
    r"i(?:'d| would) like that|let(?:'s| us) do (?:it|that)|go on then|very well|deal|so be it|guess so|if i must|"
    r"works for me|fine (?:with|by) me|go ahead|go for it|please (?:do|proceed|go)|do (?:it|that|so)|proceed|"
    r"agreed?|absolutely|of course|perfect|exactly|definitely|certainly)\b|^\W*(?:right|please|y)\b|"
    rf"{_CLAUSE}(?:fine\b|(?:buy|add|send|suspend|do|take) (?:it|them|that|this|both|so)\b)",
    re.IGNORECASE,
)
_asked = re.compile(r"(?:^|(?<=[.!?]))(?!\W*(?:yes|yep|yeah|sure|please|ok(?:ay)?,))[^.!?]*\?", re.IGNORECASE)
_no = re.compile(
    r"^\W*(?:no(?! (?:problem|worries|rush|further|other|more|changes))|nope|nah|not|wait|stop|never ?mind)\b|"
    r"\b(?:not (?:yet|now|that|correct|right)|(?:do not|don't) (?:do|buy|send|suspend|proceed|charge|go|want "
    r"(?:that|this|it|you))|rather not|hold on|changed my mind|but (?:first|wait|not))\b",
    re.IGNORECASE,
)


def says_yes(text: str) -> bool:
    """Whether a reply agrees to what was laid out. A question agrees to nothing, unless it begins with a yes."""
    stated = _asked.sub("", text)
    return _yes.search(stated) is not None and _no.search(text) is None


def phone_numbers(text: str) -> list[str]:
    """Return phone numbers as records hold them, in the order of the text."""
    return [f"555-{match[1]}-{match[2]}" for match in _numbers.finditer(text)]


def birth_dates(text: str) -> list[str]:
    """Return dates with a year as records hold them: `1973-08-16`, `August 16, 1973`, `the 16th of August 1973`."""
    found = re.findall(BIRTH_DATE, text)
    for match in _written_dates.finditer(text):
        month = _MONTHS.index((match[1] or match[4])[:3].lower()) + 1
        found.append(f"{match[5]}-{month:02}-{int(match[2] or match[3]):02}")
    return found


def customer_ids(text: str) -> list[str]:
    """Return customer ids."""
    return re.findall(CUSTOMER_ID, text.upper())


def gigabytes(text: str) -> float | None:
    """Return the first amount of data in a text."""
    match = re.search(GIGABYTES, text)
    return float(re.sub(r"[^\d.]", "", match[1])) if match else None


def say_gigabytes(amount: float) -> str:
    """Return `2 GB` or `1.5 GB`."""
    return f"{amount:g} GB"
