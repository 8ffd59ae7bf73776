"""What tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Outcome(NamedTuple):
    """What one command line did."""

    code: int
    out: str
    err: str


Eigen = Callable[..., Outcome]
"""The `eigen` fixture: `eigen("generations", "--json")`."""
