"""Wording that varies by episode and never by turn: alternatives in a text, chosen by a seed and the text itself."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache

_ALTERNATIVES = re.compile(r"<([^<>]*\|[^<>]*)>")


@lru_cache(maxsize=16384)
def worded(text: str, seed: int) -> str:
    """Return `text` with each `<a|b|c>` replaced by one of its alternatives; the same seed always picks the same."""
    if "|" not in text:
        return text
    noise = zlib.crc32(text.encode(), seed & 0xFFFFFFFF)
    # Innermost first, so that alternatives may nest.
    while True:
        text, replaced = _ALTERNATIVES.subn(
            lambda match: _pick(match[1].split("|"), noise ^ match.start() * 40503), text
        )
        if not replaced:
            return text


def _pick(options: Sequence[str], noise: int) -> str:
    # A checksum is linear in its seed: unmixed, choices for different purposes would move in step.
    mixed = noise * 2654435761 & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 15) * 2246822519 & 0xFFFFFFFF
    return options[(mixed ^ mixed >> 13) % len(options)]


def pick(options: tuple[str, ...], seed: int, purpose: str) -> str:
    """Return one of the options, chosen by seed and purpose."""
    return _pick(options, zlib.crc32(purpose.encode(), seed & 0xFFFFFFFF))


def rotated(options: tuple[str, ...], seed: int, turn: int) -> str:
    """Return one of the options, never the same on two turns in a row (where there is more than one)."""
    return options[(seed + turn) % len(options)]


def listed(parts: list[str] | tuple[str, ...], joiner: str = "and") -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {joiner} {parts[-1]}"


def sentence(text: str) -> str:
    """Return the text as a sentence: a capital first letter and a closing mark."""
    text = text.strip()
    if not text:
        return text
    text = text[0].upper() + text[1:]
    return text if text[-1] in ".!?…" else text + "."


def lower_first(text: str) -> str:
    """Return the text for use inside a sentence: lower-case start unless it begins with 'I' or an acronym or id."""
    if len(text) < 2 or text[:2] in ("I ", "I'") or text[1].isupper() or text[1].isdigit():
        return text
    return text[0].lower() + text[1:]
