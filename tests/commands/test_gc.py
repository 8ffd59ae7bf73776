"""`eigen gc`: what goes, what stays and why, and that nobody is surprised."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path

import duckdb
import pytest
from command_line import Eigen
from commands_shared import Evolved
from lineage_samples import sealed_again

from eigen_cli.api.browsing import Push
from eigen_registry import open_registry


@pytest.fixture
def registry(evolved: Evolved, tmp_path: Path) -> Path:
    """An old line of two rounds and a new line of two, of one domain."""
    folder = Path(shutil.copytree(evolved.folder, tmp_path / "full"))
    store = open_registry(folder)
    third = sealed_again(store, store, "gen-0001", note="anew", parent=None)
    sealed_again(store, store, "gen-0002", note="anew", parent=third.hash)
    return folder


def ids(registry: Path) -> list[str]:
    return [generation.id for generation in open_registry(registry).generations()]


def test_a_dry_run_says_what_would_go_and_why_the_rest_stays(eigen: Eigen, registry: Path) -> None:
    done = eigen("gc", "--dry-run", "--keep", 1, "--registry", registry)
    assert done.code == 0
    rows = [line.split(maxsplit=2)[:2] for line in done.out.splitlines()[1:]]
    assert rows == [["delete", "gen-0001"], ["delete", "gen-0002"], ["keep", "gen-0003"], ["keep", "gen-0004"]]
    assert "ancestor of gen-0004" in done.out and "among the newest 1 of tidy-library" in done.out
    assert "would delete 2 generations and free " in done.err
    assert len(ids(registry)) == 4


def test_what_was_agreed_to_goes_children_first(eigen: Eigen, registry: Path) -> None:
    done = eigen("gc", "--keep", 1, "--yes", "--json", "--registry", registry)
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["removed"] == ["gen-0002", "gen-0001"]
    assert report["bytes_freed"] > 0 and report["problems"] == []
    assert [(one["id"], one["kept"]) for one in report["generations"]] == [
        ("gen-0001", False),
        ("gen-0002", False),
        ("gen-0003", True),
        ("gen-0004", True),
    ]
    assert ids(registry) == ["gen-0003", "gen-0004"]
    # What is left is whole, and there is nothing more to delete.
    store = open_registry(registry)
    for ref in ids(registry):
        store.verify(ref)
        assert list(store.episodes(ref))
    assert "nothing to delete" in eigen("gc", "--keep", 1, "--registry", registry).err


def test_without_a_terminal_only_yes_is_an_answer(eigen: Eigen, registry: Path) -> None:
    done = eigen("gc", "--keep", 1, "--registry", registry)
    assert done.code == 2
    assert "nothing was deleted" in done.err and "--yes" in done.err
    assert len(ids(registry)) == 4


def test_marks_spare_what_they_are_on_and_its_ancestors(eigen: Eigen, registry: Path) -> None:
    store = open_registry(registry)
    store.tag("paper", "gen-0001")
    first = json.loads(eigen("gc", "--dry-run", "--keep", 1, "--json", "--registry", registry).out)["generations"]
    assert [(one["kept"], one["why"]) for one in first[:2]] == [(True, "tagged paper"), (False, "nothing keeps it")]
    store.note_push(Push(store.generation("gen-0002").hash, "me/library", "gen-0002", "c0ffee", 1.0))
    store.untag("paper")
    second = json.loads(eigen("gc", "--dry-run", "--keep", 1, "--json", "--registry", registry).out)["generations"]
    assert [one["why"] for one in second[:2]] == ["ancestor of gen-0002", "pushed"]
    assert all(one["bytes"] > 0 for one in second)


def test_by_default_the_newest_ten_stay_and_an_empty_registry_has_nothing(
    eigen: Eigen, registry: Path, tmp_path: Path
) -> None:
    done = eigen("gc", "--registry", registry)
    assert done.code == 0 and "nothing to delete" in done.err
    empty = eigen("gc", "--registry", tmp_path / "none")
    assert (empty.code, empty.out) == (0, "") and "no generations in" in empty.err
    assert eigen("gc", "--keep", 0, "--registry", registry).code == 2


@pytest.mark.parametrize("flags", [("--dry-run",), ("--yes",)])
def test_nothing_goes_while_a_row_cannot_be_read(eigen: Eigen, registry: Path, flags: tuple[str, ...]) -> None:
    """Generation 4 was made from 3 and keeps it. Once its body is lost, nobody knows what it was made from."""
    before = sorted(path.name for path in (registry / "generations").iterdir())
    with contextlib.closing(duckdb.connect(registry / "registry.duckdb")) as con:
        con.execute("UPDATE generations SET body = '{}' WHERE number = 4")
    done = eigen("gc", "--keep", 1, *flags, "--registry", registry)
    assert (done.code, done.out) == (1, "")
    assert (
        "eigen: error: nothing is deleted: gen-0004 is damaged: its content does not have the hash it was sealed "
        "under\nhint: what it was made from is to stay"
    ) in done.err
    assert sorted(path.name for path in (registry / "generations").iterdir()) == before
    assert [one.id for one in open_registry(registry).sealed()] == ["gen-0001", "gen-0002", "gen-0003", "gen-0004"]


def test_nor_while_nobody_knows_what_an_evaluation_is_about(eigen: Eigen, registry: Path) -> None:
    with contextlib.closing(duckdb.connect(registry / "registry.duckdb")) as con:
        lost = (1, "0" * 64, "tidy-library", "test", None, "sft-1", True, "{}", "{}")
        con.execute(f"INSERT INTO evaluations VALUES ({', '.join('?' * len(lost))})", lost)
    done = eigen("gc", "--keep", 1, "--yes", "--registry", registry)
    assert (done.code, done.out) == (1, "")
    assert (
        "eigen: error: eval-0001 is damaged: its content does not have the hash it was sealed under\nhint: " in done.err
    )
    assert "`eigen verify-registry` names everything that is damaged" in done.err
    assert len(ids(registry)) == 4


def test_a_folder_in_a_files_place_stays_with_its_generation(eigen: Eigen, registry: Path) -> None:
    first, second = open_registry(registry).generations()[:2]
    place, stray = (registry / "generations" / f"{name}.duckdb" for name in (second.hash, "x"))
    place.unlink()
    place.mkdir()
    (place / "mine").write_text("mine")
    stray.mkdir()
    done = eigen("gc", "--keep", 1, "--yes", "--json", "--registry", registry)
    assert done.code == 1 and "Traceback" not in done.err
    report = json.loads(done.out)
    # The first stays too: the second was made from it.
    assert report["removed"] == []
    assert report["problems"] == [
        f"gen-0002: {place} is a folder, where a registry has a file",
        "gen-0001: gen-0001 is not removed: gen-0002 was made from it",
    ]
    assert f"eigen: warning: gen-0002 stays: {place} is a folder" in done.err
    assert ids(registry) == ["gen-0001", "gen-0002", "gen-0003", "gen-0004"]
    assert (place / "mine").read_text() == "mine" and stray.is_dir()
    open_registry(registry).verify(first.hash)
