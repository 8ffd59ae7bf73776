"""The airports we serve, with rough coordinates from which distances, times and fares are made."""

from __future__ import annotations

from eigen_airline.records import Airport

_SERVED: tuple[tuple[str, str, float, float], ...] = (
    # code, city, degrees north, degrees west
    ("DEN", "Denver", 39.9, 104.7),
    ("ORD", "Chicago", 42.0, 87.9),
    ("ATL", "Atlanta", 33.6, 84.4),
    ("SLC", "Salt Lake City", 40.8, 112.0),
    ("SEA", "Seattle", 47.4, 122.3),
    ("PDX", "Portland", 45.6, 122.6),
    ("SFO", "San Francisco", 37.6, 122.4),
    ("SAN", "San Diego", 32.7, 117.2),
    ("LAS", "Las Vegas", 36.1, 115.2),
    ("PHX", "Phoenix", 33.4, 112.0),
    ("AUS", "Austin", 30.2, 97.7),
    ("MSY", "New Orleans", 30.0, 90.3),
    ("MSP", "Minneapolis", 44.9, 93.2),
    ("STL", "St. Louis", 38.7, 90.4),
    ("BNA", "Nashville", 36.1, 86.7),
    ("MIA", "Miami", 25.8, 80.3),
    ("RDU", "Raleigh", 35.9, 78.8),
    ("PIT", "Pittsburgh", 40.5, 80.2),
    ("IAD", "Washington", 38.9, 77.5),
    ("BOS", "Boston", 42.4, 71.0),
)

HUBS = ("DEN", "ORD", "ATL", "SLC")
AIRPORTS: tuple[Airport, ...] = tuple(Airport(iata=code, city=city) for code, city, _, _ in _SERVED)
CODES: tuple[str, ...] = tuple(airport.iata for airport in AIRPORTS)
CITY: dict[str, str] = {airport.iata: airport.city for airport in AIRPORTS}
_PLACE = {code: (north, west) for code, _, north, west in _SERVED}


def miles(origin: str, destination: str) -> int:
    """Return a rough distance: plain arithmetic, equal on every machine."""
    (north, west), (other_north, other_west) = _PLACE[origin], _PLACE[destination]
    vertical, horizontal = (north - other_north) * 69, (west - other_west) * 54
    return int((vertical * vertical + horizontal * horizontal) ** 0.5)
