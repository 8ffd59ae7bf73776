"""Hints for names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable

_SHOWN = 8


def nearest_hint(name: str, known: Iterable[str]) -> str | None:
    """Return `did you mean …?` for the nearest known name, else the known names; None if there are none."""
    import difflib  # 6 ms

    names = sorted(set(known))
    if not names:
        return None
    spelt = {known_name.lower(): known_name for known_name in names}
    matches = difflib.get_close_matches(name.lower(), spelt, n=1, cutoff=0.5)
    if matches:
        return f"did you mean `{spelt[matches[0]]}`?"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"known: {', '.join(names[:_SHOWN])}{more}"
