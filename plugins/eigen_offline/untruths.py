"""What a faulty user says instead of what it knows: a made-up value, a contradiction, another request."""

from __future__ import annotations

import datetime
import re
from functools import lru_cache

from eigen_cli.api.domain import Domain
from eigen_cli.api.tasks import Fact, Scenario
from eigen_offline.kinds import Kind
from eigen_offline.tools import writes
from eigen_offline.wording import pick

_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_ID = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])[\w-]{4,}\b")
_NUMBER = re.compile(r"\b\d{1,2}\b")


def invented(kind: Kind, fact: Fact, scenario: Scenario) -> Fact | None:
    """Return the fact with an id its scenario does not hold, or None where its value has no id to mistake."""
    if kind.pattern is None or not isinstance(fact.value, str):
        return None
    match = _ID.search(fact.value)
    if match is None:
        return None
    wrong = mangled(match[0])
    value = fact.value[: match.start()] + wrong + fact.value[match.end() :]
    if kind.pattern.search(value) is None or any(known.value == value for known in scenario.facts()):
        return None
    return Fact(fact.name, value)


def contradicting(kind: Kind, fact: Fact) -> Fact | None:
    """Return the fact with another value of the same shape, one that a service could act on; None if there is none."""
    if isinstance(fact.value, int) and not isinstance(fact.value, bool):
        return Fact(fact.name, fact.value + 1)
    if kind.pattern is None or not isinstance(fact.value, str):
        return None
    if match := _DATE.search(fact.value):
        day = datetime.date.fromisoformat(match[0]) + datetime.timedelta(days=1)
        return Fact(fact.name, fact.value.replace(match[0], day.isoformat()))
    if match := _ID.search(fact.value):
        return Fact(fact.name, fact.value.replace(match[0], mangled(match[0])))
    if match := _NUMBER.search(fact.value):
        return Fact(fact.name, fact.value.replace(match[0], str(int(match[0]) + 1), 1))
    return None


def mangled(identifier: str) -> str:
    """Return the id with its last two differing characters swapped, or its last digit changed."""
    for place in range(len(identifier) - 1, 0, -1):
        a, b = identifier[place - 1], identifier[place]
        if a != b and a.isdigit() == b.isdigit() and "_" not in (a, b):
            return identifier[: place - 1] + b + a + identifier[place + 1 :]
    digit = next(place for place in range(len(identifier) - 1, -1, -1) if identifier[place].isdigit())
    return identifier[:digit] + str((int(identifier[digit]) + 3) % 10) + identifier[digit + 1 :]


@lru_cache(maxsize=64)
def _requests(domain: Domain) -> tuple[str, ...]:
    names = [name for name in dir(domain.agent_tools) if writes(domain, name)]
    return tuple(f"{name.split('_')[0]} the {' '.join(name.split('_')[1:])}" for name in names if "_" in name)


def other_request(domain: Domain, seed: int) -> str:
    """Return a request the scenario does not hold, such as "cancel the reservation"."""
    return pick(_requests(domain) or ("start over with something else",), seed, "other request")
