"""Records as rows of one shape: every field written, values of free type as JSON text.

Data frames and columnar formats infer one type a field. A field that is a string in one row and an object in the next,
or objects whose keys differ from tool to tool, cannot be read by them at all; JSON text always can.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from eigen_cli.api.canonical import canonical_json

Shaper = Callable[[Any], Any]


def row_of(record: msgspec.Struct) -> dict[str, Any]:
    """Return a record as JSON values: nothing left out, whatever its default, and free values as JSON text."""
    row: dict[str, Any] = _shaper(type(record))(record)
    return row


@cache
def _shaper(annotation: Any) -> Shaper:
    """Return what brings values of an annotated type into their shape."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        present = [part for part in parts if part is not type(None)]
        inner = _shaper(present[0]) if len(present) == 1 else _unchanged
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        item = _shaper(parts[0])
        return lambda values: [item(value) for value in values]
    if annotation is Any or origin is dict:
        return _json_text
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        hints = typing.get_type_hints(annotation)
        fields = [(field.name, _shaper(hints[field.name])) for field in msgspec.structs.fields(annotation)]
        return lambda record: {name: shaper(getattr(record, name)) for name, shaper in fields}
    return _unchanged


def _json_text(value: Any) -> str:
    return canonical_json(value).decode()


def _unchanged(value: Any) -> Any:
    return value
