"""What our domains generate is invented, and is taken for nothing else: a push finds nothing in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from running import command, evolve

MIX = ("--rounds", "2", "--tasks", "60", "--trials", "2", "--seed", "11")


@pytest.mark.proof
def test_ordinary_generations_of_three_domains_are_clean(tmp_path: Path) -> None:
    evolve(tmp_path, *MIX, domain="airline,retail,telecom")
    for generation in ("gen-0001", "gen-0002"):
        push = ("push", generation, "tester/agents", "--dry-run", "--allow-offline", "--json")
        done = subprocess.run(command(*push), cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        shown = json.loads(done.stdout)
        assert shown["findings"] == []
        assert sum(shown["configs"]["episodes"].values()) > 60


@pytest.mark.proof
def test_without_the_domain_its_numbers_count_as_somebodys(tmp_path: Path) -> None:
    """Telecom's phone numbers are known for invented because its world can be generated again; here it cannot."""
    evolve(tmp_path, "--rounds", "1", "--tasks", "6", "--trials", "1", domain="telecom")
    hidden = (
        "import sys; from importlib import metadata; whole = metadata.entry_points\n"
        "metadata.entry_points = lambda **by: [one for one in whole(**by) if one.name != 'eigen_telecom']\n"
        "from eigen_cli.main import main; main(sys.argv[1:])"
    )
    push = ("push", "tester/agents", "--dry-run", "--allow-offline", "--json")
    done = subprocess.run(
        [sys.executable, "-c", hidden, *push],
        cwd=tmp_path,
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4, done.stderr
    findings = json.loads(done.stdout)["findings"]
    assert {finding["kind"] for finding in findings} == {"phone"}
    assert all(finding["masked"] == "555-… (12 characters)" for finding in findings)
    assert "the domain telecom is not here" in done.stderr
