"""`eigen rollback` and `eigen evolve --from`: the next round from an earlier generation."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import Eigen
from commands_shared import Evolved


@pytest.fixture
def folder(evolved: Evolved, tmp_path: Path) -> Path:
    """A registry of two generations of one run, without the run's journal."""
    copied = shutil.copytree(evolved.folder, tmp_path / "reg")
    shutil.rmtree(copied / "journals")
    return copied


def hashes(out: str) -> list[str]:
    return [generation["hash"] for generation in json.loads(out)["generations"]]


def test_it_takes_over_what_the_generation_was_made_with(eigen: Eigen, evolved: Evolved, folder: Path) -> None:
    first, second = (generation["hash"] for generation in evolved.report["generations"])
    done = eigen("rollback", "gen-0001", "--registry", folder, "--json")
    assert done.code == 0
    report = json.loads(done.out)
    assert (report["domain"], report["seed"], report["from"]) == ("tidy-library", 0, first)
    assert hashes(done.out) == [second], "the same actors make the same round again"
    said = done.err.splitlines()
    assert said[0] == "goes on from gen-0001: round 2 of tidy-library, seed 0; gen-0002, made from it before, stays"
    assert "round 2 of 2 sealed" in said
    assert said[-1] == ("gen-0002 was there already: these settings and actors make the same of gen-0001 again")
    assert len(json.loads(eigen("generations", "--registry", folder, "--json").out)["generations"]) == 2


@pytest.mark.proof
def test_a_flag_makes_a_branch_and_the_same_command_repeats_it(eigen: Eigen, evolved: Evolved, folder: Path) -> None:
    command = ("rollback", "gen-0001", "--seed", "8", "--tasks", "6", "--registry", folder, "--json")
    report = json.loads(eigen(*command).out)
    (third,) = report["generations"]
    assert (third["id"], third["round"], third["seed"]) == ("gen-0003", 2, 8)
    assert third["parent"] == evolved.report["generations"][0]["hash"]
    assert (third["tasks_proposed"], third["settings"]["trials"]) == (6, 2)
    assert json.loads(eigen(*command).out) == report
    longer = json.loads(eigen(*command, "--rounds", "2").out)["generations"]
    assert longer[0] == third and (longer[1]["round"], longer[1]["parent"]) == (3, third["hash"])
    assert hashes(eigen(*command, "--fresh", "--concurrency", "1").out) == [third["hash"]]


def test_evolve_from_is_the_same_with_settings_of_its_own(eigen: Eigen, evolved: Evolved, folder: Path) -> None:
    sizes = ("--tasks", "12", "--trials", "2", "--rounds", "1", "--registry", folder, "--json")
    done = eigen("evolve", "tidy-library", "--from", "gen-0001", *sizes)
    assert hashes(done.out) == [evolved.report["generations"][1]["hash"]]
    assert json.loads(done.out)["run"] == json.loads(eigen("rollback", "gen-0001", *sizes[4:]).out)["run"]
    smaller = ("--tasks", "3", "--trials", "1", *sizes[4:])
    report = json.loads(eigen("evolve", "tidy-library", "--from", "latest", *smaller).out)
    assert [(g["round"], g["tasks_proposed"]) for g in report["generations"]] == [(3, 3)]


def test_dry_run_counts_reflections_and_no_plans(eigen: Eigen, folder: Path) -> None:
    report = json.loads(eigen("rollback", "gen-0001", "--dry-run", "--registry", folder, "--json").out)
    calls = {role: row["calls"] for role, row in report["estimate"].items()}
    assert (calls["planner"], calls["reflector"]) == (0, 4)
    # 12 proposals; and each of 4 plans and 4 children measured on 6.
    assert calls["agent"] == (12 + 4 * 2 * 6) * 2 * 12
    assert not (folder / "journals").exists()
    text = eigen("rollback", "gen-0001", "--rounds", "2", "--dry-run", "--registry", folder)
    assert text.err.startswith("goes on from gen-0001: rounds 2 to 3 of tidy-library")


@pytest.mark.parametrize(
    ("arguments", "code", "error", "hint"),
    [
        (("rollback", "gen-0009"), 2, "no generation is called 'gen-0009'", "there are gen-0001 and gen-0002"),
        (("rollback", "gen-0001", "--no-evolution"), 2, "gen-0001 was made with evolution", "leave --no-evolution out"),
        (("rollback", "gen-0001", "--plans", "3"), 2, "gen-0001 has 4 plans of tidy-library, not 3", "--plans 4"),
        (("rollback",), 2, "Missing argument 'GEN'", "eigen rollback --help"),
        (("evolve", "airline", "--from", "gen-0001"), 2, "gen-0001 is of tidy-library, not of airline", "tidy-library"),
        (
            ("evolve", "tidy-library", "--from", "gen-0009"),
            2,
            "no generation is called 'gen-0009'",
            "there are gen-0001 and",
        ),
        (
            ("evolve", "tidy-library", "--from", "gen-0001", "--no-validation"),
            2,
            "gen-0001 was made with validation",
            "`eigen rollback gen-0001` takes over",
        ),
        (("evolve", "tidy-library", "--from", "gen-0001", "--preview", "2"), 2, "--preview shows", "--dry-run"),
    ],
)
def test_what_cannot_be_gone_on_from_gets_one_line_and_a_hint(
    eigen: Eigen, folder: Path, arguments: tuple[str, ...], code: int, error: str, hint: str
) -> None:
    done = eigen(*arguments, "--registry", folder)
    assert (done.code, done.out, len(done.err.splitlines())) == (code, "", 2), done.err
    assert done.err.startswith(f"eigen: error: {error}")
    assert done.err.splitlines()[1].startswith("hint: ") and hint in done.err
