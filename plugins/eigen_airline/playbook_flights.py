"""Finding flights the way customers describe them."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from eigen_airline import wording
from eigen_airline.playbook_words import Json, city, dollars, listed, spoken_date, spoken_time
from eigen_cli.api.playbook import Ask, Call, CallResult, Step

_CONNECTION = re.compile(r"\b(?:connect\w*|one[- ]stop|layover|change planes|via)\b", re.IGNORECASE)
_EARLIEST = re.compile(r"\b(?:earliest|first|soonest|early|morning)\b", re.IGNORECASE)
_CHEAPEST = re.compile(
    r"\b(?:cheap\w*|lowest|least|best price|affordable|nonstop|direct|any|whichever)\b", re.IGNORECASE
)
_SHOWN = 4

WISH = (
    "<Do you have a flight in mind|Is there a particular flight you want>, or do you prefer the cheapest nonstop, the "
    "earliest nonstop, or a connection?"
)


@dataclass(frozen=True)
class Leg:
    """One direction to be found: from where to where, and when."""

    origin: str
    destination: str
    date: str


@dataclass(frozen=True)
class Found:
    """The flights of one direction, with what one passenger pays and how they are described."""

    flights: tuple[Json, ...]
    fare: int
    text: str


def chosen(leg: Leg, wish: str | None, *, cabin: str, seats: int, place: int = 0) -> Generator[Step, Any, Found | None]:
    """Search a direction and return the flights the wish means; ask again where they are full or unclear.

    `place` tells which of several named flight numbers belongs to this direction. None when nothing can be sold.
    """
    found = yield from _matching(leg, wish or "", cabin=cabin, seats=seats, place=place)
    if found is not None:
        return found
    numbers = wording.flight_numbers(wish or "")
    if numbers:
        number = numbers[min(place, len(numbers) - 1)]
        need = "not enough seats" if seats > 1 else "no seats"
        question = (
            f"I'm sorry, {number} has {need} left in {cabin.replace('_', ' ')} on {spoken_date(leg.date)}. Which other "
            "flight would you like instead?"
        )
    else:
        offers = yield from _offers(leg, stop=False)
        shown = [_described(way, leg, cabin) for way in offers if _has_seats(way, cabin, seats)][:_SHOWN]
        if not shown:
            return None
        question = f"On {spoken_date(leg.date)} there is {'; '.join(shown)}. Which of these flights would you like?"
    again: str | None = yield Ask("fallback", question)
    return (yield from _matching(leg, again or "", cabin=cabin, seats=seats, place=place))


def _matching(leg: Leg, wish: str, *, cabin: str, seats: int, place: int) -> Generator[Step, Any, Found | None]:
    numbers = wording.flight_numbers(wish)
    stop = _CONNECTION.search(wish) is not None and not numbers
    if not numbers and not stop and not _EARLIEST.search(wish) and not _CHEAPEST.search(wish):
        return None
    offers = yield from _offers(leg, stop=stop)
    if numbers:
        number = numbers[min(place, len(numbers) - 1)]
        offers = [way for way in offers if way[0]["flight_number"] == number]
    ways = [way for way in offers if _has_seats(way, cabin, seats)]
    if not ways:
        return None
    if _EARLIEST.search(wish) and not numbers:
        best = min(ways, key=lambda way: str(way[0]["scheduled_departure_time_est"]))
    else:
        best = min(ways, key=lambda way: _fare(way, cabin))
    flights = tuple({"flight_number": one["flight_number"], "date": one["date"] or leg.date} for one in best)
    return Found(flights, _fare(best, cabin), _described(best, leg, cabin))


def _offers(leg: Leg, *, stop: bool) -> Generator[Step, Any, list[list[Json]]]:
    tool = "search_onestop_flight" if stop else "search_direct_flight"
    arguments = {"origin": leg.origin, "destination": leg.destination, "date": leg.date}
    result: CallResult = yield Call(tool, arguments)
    if result.error or not isinstance(result.value, list):
        return []
    return [way if isinstance(way, list) else [way] for way in result.value]


def _has_seats(way: Sequence[Json], cabin: str, seats: int) -> bool:
    return all(one["available_seats"][cabin] >= seats for one in way)


def _fare(way: Sequence[Json], cabin: str) -> int:
    return sum(int(one["prices"][cabin]) for one in way)


def _described(way: Sequence[Json], leg: Leg, cabin: str) -> str:
    """Return `HRN123 from Denver to Boston on May 22, 8:10 am to 1:05 pm, at $210 per passenger`."""
    numbers = listed(one["flight_number"] for one in way)
    via = f" via {city(way[0]['destination'])}" if len(way) > 1 else ""
    start, end = way[0]["scheduled_departure_time_est"], way[-1]["scheduled_arrival_time_est"]
    return (
        f"{numbers} from {city(leg.origin)} to {city(leg.destination)}{via} on {spoken_date(leg.date)}, "
        f"{spoken_time(start)} to {spoken_time(end)}, at {dollars(_fare(way, cabin))} per passenger"
    )
