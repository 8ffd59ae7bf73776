"""The same command makes the same content: at any concurrency, under any hash seed, on any Python."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from running import MIX, SMALL, SMALL_MIX, evolve, hashes, server, use_server

ONE_ROUND = (*SMALL, "--rounds", "1", "--tasks", "4")


@pytest.mark.parametrize(
    ("domain", "size"),
    [
        ("airline", ONE_ROUND),
        pytest.param("airline", SMALL, marks=pytest.mark.proof),
        pytest.param(MIX, SMALL_MIX, marks=pytest.mark.proof),
    ],
)
def test_concurrency_and_hash_seed_change_nothing(tmp_path: Path, domain: str, size: tuple[str, ...]) -> None:
    with server(tmp_path, latency_ms=2) as (url, _):
        outcomes = []
        for place, (concurrency, hash_seed) in enumerate((("1", "0"), ("64", "1"))):
            folder = tmp_path / str(place)
            use_server(folder, url)
            environment = {"PYTHONHASHSEED": hash_seed}
            arguments = (*size, "--concurrency", concurrency)
            outcomes.append(evolve(folder, *arguments, domain=domain, environment=environment))
    assert hashes(outcomes[0]) == hashes(outcomes[1])
    assert outcomes[0]["run"] == outcomes[1]["run"]


@pytest.mark.proof
def test_another_seed_makes_other_content(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert hashes(evolve(tmp_path / "a", *ONE_ROUND)) != hashes(evolve(tmp_path / "b", *ONE_ROUND, "--seed", "6"))


def test_another_python_makes_the_same(tmp_path: Path) -> None:
    other = os.environ.get("EIGEN_TEST_OTHER_PYTHON")
    if not other:
        pytest.skip("EIGEN_TEST_OTHER_PYTHON names no other interpreter with eigen installed; `make test-pythons` does")
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    here, there = evolve(tmp_path / "here", *SMALL), evolve(tmp_path / "there", *SMALL, python=other)
    assert hashes(here) == hashes(there)
