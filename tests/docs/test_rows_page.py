"""docs/rows.md names every field of an exported row, and marks the free ones."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from eigen_jsonl.exporter import EpisodeRow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rows.md"


def fields_of(annotation: Any, path: str = "") -> Iterator[tuple[str, bool]]:
    """Yield the path of every field under a type, and whether its values are of free type."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        for name, hint in typing.get_type_hints(annotation).items():
            yield from fields_of(hint, f"{path}.{name}".lstrip("."))
            yield f"{path}.{name}".lstrip("."), is_free(hint)
    elif typing.get_origin(annotation) in (tuple, typing.Union, types.UnionType):
        for part in typing.get_args(annotation):
            yield from fields_of(part, path)


def is_free(annotation: Any) -> bool:
    return any(part is Any or typing.get_origin(part) is dict for part in (annotation, *typing.get_args(annotation)))


def test_every_field_is_documented_and_nothing_else() -> None:
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE))
    fields = dict(fields_of(EpisodeRow))
    # What only holds other fields may speak through them.
    groups = {path for path in fields if any(other.startswith(f"{path}.") for other in fields)}
    assert set(fields) - groups <= set(rows) <= set(fields)
    assert {path for path, text in rows.items() if "*JSON text*" in text} == {p for p, free in fields.items() if free}
