"""What tests of single commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple


class Evolved(NamedTuple):
    """A registry and what `eigen evolve --json` said of it."""

    folder: Path
    report: dict[str, Any]


EVOLVE = ("evolve", "tidy-library", "--rounds", "2", "--tasks", "12", "--trials", "2")
