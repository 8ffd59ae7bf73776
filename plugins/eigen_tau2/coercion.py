"""Values as the benchmark's models take them: what they accept, what they turn it into, what they refuse.

The benchmark checks values only where a model is built. There, whole numbers may come as `3.0`, `"3"` or `true` and
amounts as texts, infinite ones too; texts and choices must be exactly that; unknown fields are dropped. Every reader
here raises `ValueError`, saying what was found, for what the models refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Reader = Callable[[Any], Any]

_LARGEST_FLOAT = 2**63
"""Decimals from here on are no whole numbers to the models, whatever their digits."""
_DIGITS = re.compile(r"(?!_)(?!.*__)[ -~]+(?<!_)")
"""Texts that may be numbers; single underscores within them do not count."""
_WHOLE = re.compile(r"[+-]?\d+(?:_\d+)*(?:\.0+)?", re.ASCII)


def text(value: Any) -> str:
    """Return a text; nothing else is taken for one."""
    if not isinstance(value, str):
        raise ValueError(f"should be a text, not {_named(value)}")
    return value


def whole(value: Any) -> int:
    """Return a whole number, also when it is spelled as a decimal, a text or a truth value."""
    number: int | None = None
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        number = int(value.strip().split(".")[0])
    elif isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_FLOAT):
        number = int(value)
    if number is None:
        raise ValueError(f"should be a whole number, not {_named(value)}")
    return number


def real(value: Any) -> float:
    """Return an amount, also when it is spelled as a text or a truth value."""
    number: float | None = None
    try:
        if isinstance(value, int | float):
            number = float(value)
        elif isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
            # Grouped digits are taken only without white space around them; whole numbers may have both.
            number = float(value.strip().replace("_", "")) if "_" not in value or value == value.strip() else None
    except (ValueError, OverflowError):
        number = None
    if number is None:
        raise ValueError(f"should be an amount, not {_named(value)}")
    return number


def flag(value: Any) -> bool:
    """Return a truth value."""
    if not isinstance(value, bool):
        raise ValueError(f"should be true or false, not {_named(value)}")
    return value


def one_of(*choices: str) -> Reader:
    """Return a reader of one of the given texts."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueError(f"should be one of {', '.join(choices)}, not {_named(value)}")
        return value

    return read


def optional(reader: Reader) -> Reader:
    """Return a reader that also takes nothing at all."""
    return lambda value: None if value is None else reader(value)


def list_of(reader: Reader) -> Reader:
    """Return a reader of lists."""

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise ValueError(f"should be a list, not {_named(value)}")
        return [reader(item) for item in value]

    return read


def map_of(reader: Reader) -> Reader:
    """Return a reader of objects with any names."""

    def read(value: Any) -> dict[str, Any]:
        return {name: within(name, reader, item) for name, item in _object(value).items()}

    return read


def shaped(required: Mapping[str, Reader], more: Mapping[str, Reader] | None = None) -> Reader:
    """Return a reader of objects with these fields; those in `more` may be missing and are then None."""
    needed = tuple(required.items())
    optionals = tuple((name, optional(reader)) for name, reader in (more or {}).items())

    def read(value: Any) -> dict[str, Any]:
        given = _object(value)
        try:
            found = {name: reader(given[name]) for name, reader in needed}
            for name, reader in optionals:
                found[name] = reader(given.get(name))
            return found
        except (ValueError, KeyError):
            raise ValueError(_what_is_wrong(given)) from None

    def _what_is_wrong(given: dict[str, Any]) -> str:
        # Looked for only now: databases are large, and mostly right.
        missing = [name for name, _ in needed if name not in given]
        if missing:
            return f"lacks {', '.join(missing)}; it has {', '.join(map(str, given)) or 'nothing'}"
        for name, reader in (*needed, *optionals):
            try:
                reader(given.get(name))
            except ValueError as error:
                return f"{name}: {error}"
        raise AssertionError("a reader refuses only sometimes")

    return read


def objects(reader: Reader, value: Any) -> list[Any]:
    """Return the objects of a list argument, read. Anything empty that can be walked through counts as a list."""
    if isinstance(value, list | dict | str) and not value:
        return []
    return list_of(reader)(value)  # type: ignore[no-any-return]


def names(value: Any) -> Sequence[Any]:
    """Return the entries of a list argument of ids; an object stands for its names, a text for its characters."""
    if not isinstance(value, list | dict | str):
        raise ValueError(f"should be a list, not {_named(value)}")
    return list(value)


def within(name: str, reader: Reader, value: Any) -> Any:
    """Return what a reader makes of a value; what it says of a wrong one begins with the name."""
    try:
        return reader(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"should be an object, not {_named(value)}")
    return value


def _named(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
