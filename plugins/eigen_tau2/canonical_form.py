"""The benchmark's canonical form of a state, and the hash its evaluator compares."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_hash(state: Any) -> str:
    """Return the SHA-256 of a side's whole state, as tau2's databases hash themselves.

    Keys are sorted, the order of lists counts, and `25` is not `25.0`: numbers must be spelled as tau2 spells them.
    """
    return hashlib.sha256(json.dumps(state, sort_keys=True, default=str).encode()).hexdigest()
