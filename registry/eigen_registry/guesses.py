"""What somebody may have meant by a name that nothing here has."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from eigen_registry.kinds import Kind

_NUMBERED = re.compile(r"([a-z]*)[-_ .#]*0*(\d{1,9})")
_ALIKE = 0.6
"""How alike two words must be, by difflib's ratio; `bset` and `best` are alike by 0.75."""
_HASHES_ALIKE = 0.8
"""As much for hashes, which are alike by chance up to a half."""
_RUNS_SHOWN = 3


def hint_for(ref: str, kind: Kind, hashes: Mapping[int, str], tags: Collection[str]) -> str:
    """Return what to try instead of a ref that names nothing; `hashes` are all of the kind by number, and not empty.

    A number that is not there gets those that are, and anything else the nearest name, hash or id.
    """
    word = ref.strip().lower()
    numbered = _NUMBERED.fullmatch(word)
    if numbered and numbered[1] in ("", kind.alias):
        number = int(numbered[2])
        if number in hashes:
            return _meant(kind.id(number))
        if numbered[1]:
            return _there_are(kind, number, hashes)
    near = _nearest(word, ["latest", *tags], _ALIKE)
    if near is None and numbered and _is_like(numbered[1], kind.alias) and int(numbered[2]) in hashes:
        near = kind.id(int(numbered[2]))
    near = near or _nearest(word, [hash_[: len(word)] for hash_ in hashes.values()], _HASHES_ALIKE)
    return _meant(near) if near else f"`{kind.listing}` lists them"


def _meant(name: str) -> str:
    return f"did you mean `{name}`?"


def _there_are(kind: Kind, number: int, numbers: Iterable[int]) -> str:
    """Return which ids there are; of those with many gaps, the nearest on either side."""
    known = sorted(numbers)
    runs = [_run_text(kind, first, last) for first, last in _runs(known)] if len(known) != 2 else [*map(kind.id, known)]
    if len(known) == 1:
        return f"there is only {runs[0]}"
    if len(runs) <= _RUNS_SHOWN:
        return f"there are {', '.join(runs[:-1])}{' and ' if len(runs) > 1 else ''}{runs[-1]}"
    below, above = [one for one in known if one < number], [one for one in known if one > number]
    near = " and ".join(kind.id(one) for one in (*below[-1:], *above[:1]))
    return f"the nearest to it {'are' if below and above else 'is'} {near}; `{kind.listing}` lists all"


def _run_text(kind: Kind, first: int, last: int) -> str:
    return kind.id(first) if first == last else f"{kind.id(first)} to {kind.id(last)}"


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of every run of ascending numbers without a gap."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last


def _is_like(word: str, alias: str) -> bool:
    return word.startswith(alias) or bool(difflib.get_close_matches(word, [alias], cutoff=_ALIKE))


def _nearest(wanted: str, names: list[str], cutoff: float) -> str | None:
    return next(iter(difflib.get_close_matches(wanted, names, n=1, cutoff=cutoff)), None)
