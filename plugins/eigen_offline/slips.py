"""How a careless agent gets a step wrong: a wrong value, an uncalled-for write, a misspelt name, a lost figure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eigen_offline import reading
from eigen_offline.tools import ToolSketch
from eigen_offline.transcript import Answered

_AMOUNT = re.compile(r"\$\s?(\d[\d,]*(?:\.\d\d)?)")
_TOKEN = re.compile(r"[A-Za-z][\w-]*\d[\w-]*|\d{4}-\d\d-\d\d|[A-Z0-9]{5,}")
Path = tuple[str | int, ...]


def wrong_arguments(
    arguments: Mapping[str, Any], sketch: ToolSketch | None, *, calls: Sequence[Answered], place: float
) -> dict[str, Any] | None:
    """Return the arguments with one plausible mistake, or None where nothing can be mistaken.

    `place` in [0, 1) picks the mistake. A wrong value is one the conversation has seen, or a near miss.
    """
    schema = sketch.parameters if sketch is not None else {}
    options: list[tuple[Path, Any]] = []
    for path, value in _leaves(dict(arguments), ()):
        wrong = _mistaken(value, schema.get(str(path[0]), {}) if len(path) == 1 else {}, calls)
        if wrong is not None and wrong != value:
            options.append((path, wrong))
    if not options:
        return None
    # Nested values (flights of a booking) mostly fail in the tool; a slip at the top level mostly goes through.
    shallow = [option for option in options if len(option[0]) == 1]
    choices = shallow or options
    path, wrong = choices[int(place * len(choices))]
    replaced: dict[str, Any] = _replaced(arguments, path, wrong)
    return replaced


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _leaves(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value


def _mistaken(value: Any, schema: Mapping[str, Any], calls: Sequence[Answered]) -> Any:
    options = schema.get("enum")
    if options:
        others = [option for option in options if option != value]
        return others[0] if others else None
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if value < 10 else value + 50
    if isinstance(value, str):
        return _lookalike(value, calls)
    return None


def _lookalike(value: str, calls: Sequence[Answered]) -> str | None:
    """Return another value of the same shape seen in a result; None for free text."""
    if not _TOKEN.fullmatch(value):
        return None
    shape = _shape(value)
    for call in reversed(calls):
        for token in _strings(call.result.value):
            if token != value and _shape(token) == shape:
                return token
    return None


def _shape(token: str) -> str:
    stem = token.rstrip("0123456789")
    if stem != token and stem.endswith("_"):  # credit_card_1234567 may be mistaken for gift_card_7654321
        return f"_id{len(token) - len(stem)}"
    if token.isupper() or token.isdigit():
        return f"{'A' if token[0].isalpha() else '9'}{len(token)}"
    return re.sub(r"\d+", "9", token)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if "_" in key and key[-1:].isdigit():
                yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _replaced(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, list):
        return [_replaced(item, rest, new) if index == head else item for index, item in enumerate(value)]
    return {name: _replaced(item, rest, new) if name == head else item for name, item in value.items()}


def uncalled_for(
    sketches: Mapping[str, ToolSketch], calls: Sequence[Answered], *, place: float
) -> tuple[str, dict[str, Any]] | None:
    """Return a write nobody asked for whose arguments the conversation already holds, or None."""
    seen: dict[str, Any] = {}
    used = set()
    for call in calls:
        if not call.result.error:
            used.add(call.name)
            seen.update(_scalars(call.result.value))
            seen.update(_scalars(call.arguments))
    options = []
    for sketch in sketches.values():
        if sketch.writes and sketch.name not in used and all(name in seen for name in sketch.required):
            options.append((sketch.name, {name: seen[name] for name in sketch.required}))
    return options[int(place * len(options))] if options else None


def _scalars(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, str | int | float):
                found[name] = item
            elif isinstance(item, dict):
                found.update(_scalars(item))
    return found


def misspelt_tool(name: str) -> str:
    """Return a tool name as someone half remembers it."""
    head, _, tail = name.rpartition("_")
    return head if head.count("_") else f"{name}_info" if not head else f"{head}_the_{tail}"


def misspelt_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with one name spelt another way."""
    names = list(arguments)
    wrong = names[0].replace("_id", "_number") if "_id" in names[0] else f"{names[0]}_value"
    return {wrong if name == names[0] else name: value for name, value in arguments.items()}


def without_figures(text: str, *, proposing: bool) -> str:
    """Return a report, or what is proposed, with every sentence that holds a figure or an id left out."""
    kept = [part for part in reading.sentences(text) if not reading.values_in(part) and len(part.split()) > 2]
    lead = "<That's all done for you.|It's done.|All taken care of.>"
    if proposing:
        lead = "<I would make that change for you now.|I'd take care of that as we discussed.>"
    return ("\n" if "\n" in text else " ").join([lead, *kept])


def misstated(text: str) -> str | None:
    """Return the text with its last amount of money wrong, or None if it names none."""
    found = list(_AMOUNT.finditer(text))
    if not found:
        return None
    last = found[-1]
    amount = float(last[1].replace(",", ""))
    wrong = amount + (10 if amount < 200 else 100)
    spelt = f"{wrong:,.2f}" if "." in last[1] else f"{wrong:,.0f}"
    return f"{text[: last.start(1)]}{spelt}{text[last.end(1) :]}"
