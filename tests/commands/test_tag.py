"""`eigen tag`: names that move, and what can be none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import Eigen
from commands_shared import Evolved

from eigen_registry import open_registry


@pytest.fixture
def registry(evolved: Evolved, tmp_path: Path) -> Path:
    """A copy of the evolved registry that a test may change."""
    return Path(shutil.copytree(evolved.folder, tmp_path / "tagged"))


def test_a_tag_stands_for_its_generation_and_moves(eigen: Eigen, registry: Path) -> None:
    where = ("--registry", registry)
    done = eigen("tag", "gen-0001", "best", *where)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("best now names gen-0001 (")
    assert eigen("show", "best", *where).out.startswith("gen-0001  ")
    moved = eigen("tag", "latest", "best", *where)
    assert moved.err.startswith("best now names gen-0002 (") and "and no longer gen-0001" in moved.err
    assert eigen("show", "best", *where).out.startswith("gen-0002  ")
    # The same once more moves nothing.
    assert "no longer" not in eigen("tag", "best", "best", *where).err


def test_tags_are_listed_with_the_automatic_one(eigen: Eigen, registry: Path) -> None:
    where = ("--registry", registry)
    eigen("tag", "gen-0001", "start", *where)
    rows = [line.split() for line in eigen("tag", *where).out.splitlines()]
    hashes = [generation.hash for generation in open_registry(registry).generations()]
    assert rows == [
        ["tag", "id", "hash"],
        ["start", "gen-0001", hashes[0][:12]],
        ["latest", "gen-0002", hashes[1][:12]],
    ]
    listed = json.loads(eigen("tag", "--json", *where).out)
    assert listed == {
        "schema": 1,
        "tags": [
            {"tag": "start", "hash": hashes[0], "id": "gen-0001"},
            {"tag": "latest", "hash": hashes[1], "id": "gen-0002"},
        ],
    }


def test_a_deleted_tag_is_forgotten_and_its_generation_stays(eigen: Eigen, registry: Path) -> None:
    where = ("--registry", registry)
    eigen("tag", "gen-0001", "best", *where)
    assert eigen("tag", "--delete", "best", *where).err == "forgot the tag best\n"
    assert open_registry(registry).listing().tags == {}
    assert len(open_registry(registry).generations()) == 2
    again = eigen("tag", "--delete", "best", *where)
    assert again.code in (1, 2) and "best" in again.err
    assert eigen("show", "best", *where).code == 2


@pytest.mark.parametrize("name", ["latest", "LATEST", "gen-0007", "eval-1", "abcdef", "0123abc", "-x", "a b", "ü", ""])
def test_what_means_something_else_is_no_tag(eigen: Eigen, registry: Path, name: str) -> None:
    done = eigen("tag", "--registry", registry, "--", "gen-0001", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("eigen: error: ") and "hint: " in done.err
    assert open_registry(registry).listing().tags == {}


def test_wrong_arguments_are_usage_errors(eigen: Eigen, registry: Path, tmp_path: Path) -> None:
    assert "no generation is called 'gen-9'" in (done := eigen("tag", "gen-9", "best", "--registry", registry)).err
    assert done.code == 2
    assert eigen("tag", "gen-0001", "--registry", registry).code == 2
    assert eigen("tag", "gen-0001", "x", "--delete", "y", "--registry", registry).code == 2
    empty = eigen("tag", "--registry", tmp_path / "none")
    assert (empty.code, empty.out) == (0, "") and "no tags" in empty.err
