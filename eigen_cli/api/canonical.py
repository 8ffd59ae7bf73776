"""Canonical bytes, digests and derived randomness: what makes two runs comparable.

Hashes are SHA-256 over canonical JSON: keys sorted, no whitespace, decimals as JSON numbers.
Randomness is always derived from names (seed, plan, task, trial, …), never drawn from a shared generator,
so that the order in which work completes cannot change a result.
"""

from __future__ import annotations

import hashlib
import random
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder(order="sorted", decimal_format="number")

SHORT = 12
"""Hex digits of a digest shown to people and used in local names."""


def canonical_json(value: Any) -> bytes:
    """Return the canonical JSON bytes of a record, a JSON value or a mix of both."""
    return _encoder.encode(value)


def digest(*parts: bytes | str) -> str:
    """Return the SHA-256 hex digest of length-prefixed parts (so that `("ab", "c") != ("a", "bc")`)."""
    encoded = [part.encode() if isinstance(part, str) else part for part in parts]
    prefixed = [piece for data in encoded for piece in (len(data).to_bytes(8, "big"), data)]
    return hashlib.sha256(b"".join(prefixed)).hexdigest()


def content_hash(value: Any) -> str:
    """Return the digest of a value's canonical JSON."""
    return digest(canonical_json(value))


def derive_seed(*names: object) -> int:
    """Return a 64-bit seed that depends on every name and on nothing else."""
    return int.from_bytes(bytes.fromhex(digest(*(str(name) for name in names))[:16]), "big")


def derive_rng(*names: object) -> random.Random:
    """Return a generator seeded by `derive_seed`.

    Use only `random`, `randrange`, `choice`, `choices`, `sample` and `shuffle`: their streams are equal on
    every Python version eigen supports.
    """
    return random.Random(derive_seed(*names))
