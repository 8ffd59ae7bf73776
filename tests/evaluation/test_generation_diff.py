"""What two generations were made differently by, and counts by name."""

from __future__ import annotations

from lineage_samples import bare
from msgspec.structs import replace

from eigen_cli.evaluation.generation_diff import CountChange, MakingChange, count_changes, making_changes


def test_everything_that_decides_content_is_compared() -> None:
    before = replace(
        bare(1).body,
        seed=1,
        actors={"agent": "small", "user": "small"},
        settings={"tasks": 4, "evolution": True},
        prompts={"agent": "agent@1"},
        verifiers={"state": "1"},
    )
    after = replace(
        before,
        fingerprint="g",
        seed=2,
        actors={"agent": "large", "user": "small"},
        settings={"tasks": 4, "trials": 2},
        prompts={"agent": "agent@2", "judge": "judge@1"},
        verifiers={},
    )
    assert list(making_changes(before, after)) == [
        MakingChange("domain", "airline", "f", "g"),
        MakingChange("seed", "seed", 1, 2),
        MakingChange("actor", "agent", "small", "large"),
        MakingChange("setting", "evolution", True, None),
        MakingChange("setting", "trials", None, 2),
        MakingChange("prompt", "agent", "agent@1", "agent@2"),
        MakingChange("prompt", "judge", None, "judge@1"),
        MakingChange("verifier", "state", "1", None),
    ]
    assert list(making_changes(before, before)) == []


def test_what_only_names_a_generation_is_no_change() -> None:
    before = bare(1).body
    assert list(making_changes(before, replace(before, round=2, parent="h1", episodes=9, passed=3))) == []


def test_counts_are_told_by_frequency_and_never_when_nobody_counted() -> None:
    found = count_changes({"agent": 3, "user": 1, "task": 0}, {"user": 4, "undetermined": 1, "task": 0})
    assert found == (CountChange("user", 1, 4), CountChange("agent", 3, 0), CountChange("undetermined", 0, 1))
