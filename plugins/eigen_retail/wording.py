"""Spoken forms of the shop's values: templates say them, the playbook reads them back out of free text.

Every reader accepts the forms that the matching sayer makes and the usual variations of people and models. Readers
return values in the order of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from eigen_retail.catalogue import NAMES, OPTIONS
from eigen_retail.records import Address, CancelReason

Change = tuple[str, dict[str, str]]
"""A product's name and the options its new item has; options not named stay as they are."""

ON_PROFILE = "the address on my profile"
_WORDS = {"one": 1, "a": 1, "two": 2, "both": 2, "three": 3}


def _any_of(texts: Iterable[str]) -> str:
    return "|".join(re.escape(text) for text in sorted(set(texts), key=lambda text: (-len(text), text)))


def _phrases() -> str:
    values: dict[str, list[str]] = {}
    for option, value in OPTIONS:
        values.setdefault(option, []).append(value)
    return "|".join(rf"{option} (?:{_any_of(found)})(?![\w-])" for option, found in sorted(values.items()))


# Simulated actors search without regard to case; `(?-i:…)` keeps capitals meaning something there too.
USER_ID = r"\b(?-i:([a-z]+_[a-z]+_\d{3,5}))\b"
ORDER_ID = r"(?<![\w#])(#?(?-i:W)\d{7})\b"
_EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_NAME = r"(?-i:[A-Z][a-z-]+ [A-Z][\w'-]+)"
IDENTITY = rf"({_EMAIL}|{_NAME}(?:,| and my| and the|, my)? zip(?: code)?(?: is)? \d{{5}})\b"
_PAYMENT_ID = r"(?:credit_card|gift_card|paypal)_\d{7}"
PAYMENT_ID = rf"\b({_PAYMENT_ID})\b"
_PRODUCT = rf"(?:{_any_of(NAMES)})"
_COUNT = r"(?:(?:one|two|both|three|[1-3])(?: of)?(?: the| my)? )?"
ITEMS = rf"\b({_COUNT}{_PRODUCT}s?(?:(?:, and |, | and )(?:the |my )?{_COUNT}{_PRODUCT}s?)*)\b"
_OPTION = rf"(?:{_phrases()})"
_CHANGE = rf"{_PRODUCT} with {_OPTION}(?:(?:, and |, | and ){_OPTION})*"
CHANGES = rf"\b({_CHANGE}(?:; (?:and )?(?:the )?{_CHANGE})*)"
ADDRESS = (
    r"(?<![\w#])(\d{1,5} (?-i:[A-Z][\w']*)(?: (?-i:[A-Z][\w']*))+(?:, [A-Z][a-z]+ \w+)?, (?-i:[A-Z])[\w .'-]+, "
    r"(?-i:[A-Z]{2}),? \d{5}(?:, USA)?|the address on my profile)(?!\w)"
)

_email, _payment = re.compile(_EMAIL), re.compile(rf"\b{_PAYMENT_ID}\b")
_named = re.compile(rf"({_NAME})\b[^.!?@]*?(?<!\d)(\d{{5}})(?!\d)")
_order = re.compile(r"(?<!\w)#?\s?W(\d{7})\b", re.I)
_item = re.compile(rf"\b(?:(one|two|both|three|[1-3])(?: of)?(?: the| my)? )?({_any_of(NAMES)})s?\b", re.I)
_address = re.compile(
    r"(?<![\w#])(?P<address1>\d{1,5} [A-Z][\w']*(?: [A-Z][\w']*)+), "
    r"(?:(?P<address2>(?:Unit|Apt|Suite|Floor)\.? \w+), )?(?P<city>[A-Z][A-Za-z .'-]+), "
    r"(?P<state>[A-Z]{2}),? (?P<zip>\d{5})(?!\d)"
)
_on_profile = re.compile(r"\b(?:profile|on file|default|home|usual|account)\b", re.I)
_ending = re.compile(r"(?:end(?:ing|s) (?:in|with) |last four (?:digits )?|\*{2,})(\d{4})\b", re.I)
_kinds = (("paypal", re.compile(r"\bpay ?pal\b(?!_)", re.I)), ("gift_card", re.compile(r"\bgift ?card\b(?!_)", re.I)))
_not_needed = re.compile(
    r"\b(?:no longer|not|n't|don't)\b[^.!?]*\b(?:need|want|use for)|\bno longer needed|\bchanged (?:my|our) mind", re.I
)
_mistake = re.compile(
    r"\b(?:by mistake|by accident|accident\w*|mistaken\w*|did ?n[o']t mean|wrong (?:order|click|one))\b", re.I
)
_CLAUSE = r"(?:^|[.!,;:-])\W*(?:(?:and|but|just|now|okay|please|so|then|well)\W+)*"
"""The beginning of a clause, where a bare `fine` or a command is a yes."""
_yes = re.compile(
    r"\b(?:yes+|yep|yeah|yup|aye|ok|okay|(?<!not )(?<!n't )sure|(?<!not )correct|(?<!not )(?<!n't )confirm(?:ed)?|"
    r"all? ?right|that(?:'s| is) (?:all )?(?:right|fine|it|good)|(?:sounds|looks) (?:good|great|right|fine)|that works|"
    r"that(?:'ll| will) do|that(?:'d| would) be (?:fine|good|great|lovely|perfect|nice)|"
    r"i(?:'d| would) like that|let(?:'s| us) do (?:it|that)|go on then|very well|deal|so be it|guess so|if i must|"
    r"works for me|fine (?:with|by) me|go (?:ahead|for it)|please (?:do|proceed|go)|do (?:it|that|so)|proceed|agreed?|"
    r"absolutely|of course|perfect|exactly|definitely|certainly)\b|^\W*(?:right|please|y)\b|"
    rf"{_CLAUSE}(?:fine\b|(?:cancel|change|charge|exchange|return|send|swap|do|use) (?:it|them|that|this|both|so)\b)",
    re.I,
)
_asked = re.compile(r"(?:^|(?<=[.!?]))(?!\W*(?:yes|yep|yeah|sure|please|ok(?:ay)?,))[^.!?]*\?", re.I)
_no = re.compile(
    r"^\W*(?:no(?! (?:problem|worries|rush|further|other|more|changes))|nope|nah|not|wait|stop|never ?mind)\b|"
    r"\b(?:not (?:yet|now|that|correct|right)|(?:do not|don't) (?:do|cancel|change|return|exchange|proceed|charge|go|"
    r"want (?:that|this|it|you))|rather not|hold on|changed my mind|but (?:first|wait|not))\b",
    re.I,
)


def emails(text: str) -> list[str]:
    """Return e-mail addresses in lower case."""
    return [found.lower() for found in _email.findall(text)]


def say_name_zip(first_name: str, last_name: str, zip_code: str) -> str:
    """Return `Ada Moss, zip code 80213`."""
    return f"{first_name} {last_name}, zip code {zip_code}"


def name_zip(text: str) -> tuple[str, str, str] | None:
    """Return first name, last name and the zip code that follows them, where a text gives all three."""
    match = _named.search(text)
    if match is None:
        return None
    first, last = match[1].split(" ")[-2:]
    return first, last, match[2]


def order_ids(text: str) -> list[str]:
    """Return order ids, always with their `#`."""
    return [f"#W{number}" for number in _order.findall(text)]


def user_ids(text: str) -> list[str]:
    """Return user ids."""
    return re.findall(USER_ID, text)


def listed(parts: Iterable[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    items = list(parts)
    return "".join(items) if len(items) < 2 else f"{', '.join(items[:-1])} and {items[-1]}"


def items(text: str) -> list[tuple[str, int | None]]:
    """Return the products a text names and how many of each; None where it does not say."""
    spelt = {name.lower(): name for name in NAMES}
    found: list[tuple[str, int | None]] = []
    for count, name in _item.findall(text):
        number = int(count) if count.isdigit() else _WORDS.get(count.lower())
        found.append((spelt[name.lower()], number))
    return found


def say_change(name: str, options: Mapping[str, str]) -> str:
    """Return `Rain Jacket with color navy and size L`."""
    return f"{name} with {listed(f'{option} {value}' for option, value in options.items())}"


def say_changes(wanted: Iterable[Change]) -> str:
    """Return the new items of several products, `;` between them."""
    return "; ".join(say_change(name, options) for name, options in wanted)


def changes(text: str) -> list[Change]:
    """Return the products a text names with the options said after each (or, for a single one, anywhere)."""
    places = [(match.start(), match.end(), match[2]) for match in _item.finditer(text)]
    spelt = {name.lower(): name for name in NAMES}
    found: dict[str, dict[str, str]] = {}
    for number, (_, end, name) in enumerate(places):
        stop = places[number + 1][0] if number + 1 < len(places) else len(text)
        about = text if len(places) == 1 else text[end:stop]
        found.setdefault(spelt[name.lower()], {}).update(options(about))
    return list(found.items())


def options(text: str) -> dict[str, str]:
    """Return the options a text names with their values, `color navy` or `navy color`, of whatever product."""
    found: dict[str, str] = {}
    for option, value in OPTIONS:
        for spoken in (rf"{option}(?: is| in| of|:)? {re.escape(value)}", rf"{re.escape(value)} {option}"):
            if re.search(rf"(?<![\w-]){spoken}(?![\w-])", text, re.I):
                # `200 lumens` must not win over `1200 lumens`, nor `cotton` over `cotton rope`.
                if len(value) > len(found.get(option, "")):
                    found[option] = value
                break
    return found


def say_address(address: Address) -> str:
    """Return `12 Elm Court, Unit 4, Boulder, CO 80333, USA`."""
    second = f"{address.address2}, " if address.address2 else ""
    return f"{address.address1}, {second}{address.city}, {address.state} {address.zip}, {address.country}"


def address(text: str) -> dict[str, str] | None:
    """Return the address a text holds, as tools take it."""
    match = _address.search(text)
    if match is None:
        return None
    return {**match.groupdict(default=""), "country": "USA"}


def means_profile(text: str) -> bool:
    """Whether a text points at the address on the profile."""
    return _address.search(text) is None and _on_profile.search(text) is not None


def payments(text: str, methods: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return payment ids in the order named: by id, by a card's last digits, or by kind where the profile has one.

    `methods` are `payment_methods` of a user's JSON. Ids that the profile lacks are returned too: to see that they
    are missing is the agent's task.
    """
    found = [(match.start(), match[0]) for match in _payment.finditer(text)]
    for match in _ending.finditer(text):
        cards = [method["id"] for method in methods.values() if method.get("last_four") == match[1]]
        found += [(match.start(), card) for card in cards[:1]]
    for kind, spoken in _kinds:
        held = [method["id"] for method in methods.values() if method["source"] == kind]
        match_kind = spoken.search(text)
        if match_kind is not None and len(held) == 1 and all(one != held[0] for _, one in found):
            found.append((match_kind.start(), held[0]))
    return [payment_id for _, payment_id in sorted(found)]


def cancel_reason(text: str) -> CancelReason | None:
    """Return which of the two accepted reasons a text gives."""
    if _mistake.search(text):
        return "ordered by mistake"
    return "no longer needed" if _not_needed.search(text) else None


def says_yes(text: str) -> bool:
    """Whether a reply agrees to what was laid out. A question agrees to nothing, unless it begins with a yes."""
    stated = _asked.sub("", text)
    return _yes.search(stated) is not None and _no.search(text) is None
