"""JSON as exporters write it: keys in the order they were sent in, one line a row whoever splits it."""

from __future__ import annotations

from typing import Any

import msgspec

# Not canonical: chat templates print tool definitions with their keys as they come.
_encoder = msgspec.json.Encoder(decimal_format="number")

_LINE_ENDS = tuple((end.encode(), f"\\u{ord(end):04x}".encode()) for end in ("\u2028", "\u2029", "\x85"))
"""Ends of lines to Unicode (and to `str.splitlines`) that JSON lets stand, and their spelling in JSON."""


def json_text(value: Any) -> str:
    """Return a record or JSON value as JSON text, its keys in their own order."""
    return _encoder.encode(value).decode()


def json_line(row: Any) -> bytes:
    """Return a record or JSON value as one line of JSON Lines, the line's end included."""
    line = _encoder.encode(row)
    for end, spelling in _LINE_ENDS:
        line = line.replace(end, spelling)
    return line + b"\n"
