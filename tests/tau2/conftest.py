"""Lets the tests here import their own modules, and says how much is proved.

The everyday run takes samples; `EIGEN_PROVE_ALL=1` takes every official task, and `EIGEN_FUZZ_CALLS` says how many
random calls a domain's fuzz makes (20000 in its long form).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def prove_all() -> bool:
    """Whether every official task is to be proved, and not a sample."""
    return os.environ.get("EIGEN_PROVE_ALL") == "1"


_FUZZ_CALLS = int(os.environ.get("EIGEN_FUZZ_CALLS", "300"))  # read once: the tests' own environment has no such name


@pytest.fixture(scope="session")
def fuzz_calls() -> int:
    """How many random calls each domain's fuzz makes."""
    return _FUZZ_CALLS
