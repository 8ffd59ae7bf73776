"""Generations that are needed stay; others go for good, under the eyes of those who read them."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import msgspec
import pytest
from registry_processes import start
from registry_samples import sealable

from eigen_cli.api.browsing import Push
from eigen_cli.api.errors import RegistryError, UnknownRefError
from eigen_cli.api.generations import Generation
from eigen_registry.store import DuckStore

# Begins a contents file in the folder argv[1] and says so; goes on until its input ends.
WRITER = """
import sys
from pathlib import Path
from registry_samples import sealable
from eigen_registry.contents_file import ContentsFiles
from eigen_registry.kinds import GENERATIONS

with ContentsFiles(Path(sys.argv[1])).drafting(GENERATIONS) as draft:
    draft.con.execute("INSERT INTO injected_faults VALUES (0, 'e', 'r', 1, 'f')")
    print("writing", flush=True)
    sys.stdin.read()
"""


def kept(store: DuckStore, ref: str) -> str:
    with pytest.raises(RegistryError) as caught:
        store.remove(ref)
    assert caught.value.hint
    return caught.value.message


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "generations").iterdir())


def files_of(*generations: Generation) -> list[str]:
    """The names of the files there are of generations: their contents, and an index of what is said in them."""
    return sorted(f"{one.hash}.{what}" for one in generations for what in ("duckdb", "words"))


def test_what_is_tagged_pushed_or_a_parent_stays_and_the_rest_goes(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    first = store.seal(*sealable(1))
    second = store.seal(*sealable(2, parent=first.hash))
    other = store.seal(*sealable(5))
    store.tag("best", "gen-0002")
    store.note_push(Push(other.hash, "user/data", "gen-0003", "c" * 40, 7.5))
    assert kept(store, "gen-0001") == "gen-0001 is not removed: gen-0002 was made from it"
    assert kept(store, "gen-0002") == "gen-0002 is not removed: it is tagged best"
    assert kept(store, "gen-0003") == "gen-0003 is not removed: it was pushed to user/data"
    store.untag("best")
    size = store.size("gen-0002")
    assert size == sum((tmp_path / "generations" / name).stat().st_size for name in files_of(second))
    assert store.remove("gen-0002") == size
    assert store.remove("gen-0003", pushed=True) > 0
    assert store.generations() == [first]
    assert names(tmp_path) == files_of(first)
    assert store.remove("gen-0001") > 0
    assert (store.generations(), names(tmp_path)) == ([], [])


def test_an_id_is_not_used_again(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    store.seal(*sealable(1))
    second = store.seal(*sealable(2))
    store.remove(second.hash)
    with pytest.raises(UnknownRefError, match="gen-0002 was removed from this registry"):
        store.generation("gen-0002")
    with pytest.raises(UnknownRefError, match="no generation is called"):
        store.generation(second.hash)
    assert store.seal(*sealable(3)).id == "gen-0003"
    again = store.seal(*sealable(2))
    assert (again.id, again.hash) == ("gen-0004", second.hash)
    store.verify("gen-0004")


def test_who_reads_a_removed_generation_goes_on(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    contents = sealable(1, tasks=300, trials=8, size=40)
    store.seal(*contents)
    store.seal(*sealable(2))
    episodes = store.episodes("gen-0001")
    first = next(episodes)
    store.remove("gen-0001")
    assert names(tmp_path) == files_of(store.generation("gen-0002"))
    assert (first, *episodes) == contents[2].episodes


def test_pushes_are_remembered_once_each_and_oldest_first(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    assert store.listing().pushes == []
    hash_ = store.seal(*sealable(1)).hash
    late, early = Push(hash_, "u/b", "t", "2" * 40, 20.0), Push(hash_, "u/a", "t", "1" * 40, 10.0)
    for push in (late, early, late, msgspec.structs.replace(early, pushed_at=30.0)):
        store.note_push(push)
    assert store.listing().pushes == [early, late]


def test_leftovers_of_dead_writers_go_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    first = store.seal(*sealable(1))
    with start(WRITER, tmp_path) as living, start(WRITER, tmp_path) as dead:
        for writer in (living, dead):
            assert writer.stdout and writer.stdout.readline() == "writing\n"
        assert len(names(tmp_path)) == 4
        dead.kill()
        dead.wait()
        assert store.clean() > 0
        left = names(tmp_path)
        assert [name for name in left if not name.startswith(".")] == files_of(first)
        assert [name.split("-")[1] for name in left if name.startswith(".sealing-")] == [str(living.pid)]
        living.kill()
        living.wait()
    # The next writer cleans up too.
    second = store.seal(*sealable(2))
    assert names(tmp_path) == files_of(first, second)


def test_a_generation_whose_file_is_gone_can_be_removed(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    first = store.seal(*sealable(1))
    (tmp_path / "generations" / f"{first.hash}.duckdb").unlink()
    with pytest.raises(RegistryError, match="the contents of gen-0001 are gone"):
        store.size("gen-0001")
    assert store.clean() > 0, "the index of what is gone goes too"
    assert store.remove("gen-0001") == 0
    assert (store.generations(), names(tmp_path)) == ([], [])


def test_whole_contents_outlive_a_catalogue_that_was_lost(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    first, path = store.seal(*sealable(1)), tmp_path / "registry.duckdb"
    path.unlink()
    second = store.seal(*sealable(2))
    assert store.clean() == 0
    assert names(tmp_path) == files_of(first, second)
    # What is sealed again takes the place of what was left.
    store.seal(*sealable(1))
    store.verify(first.hash)


def test_sealing_puts_damaged_contents_right(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    sealed = store.seal(*sealable(1))
    with duckdb.connect(tmp_path / "generations" / f"{sealed.hash}.duckdb") as con:
        con.execute("UPDATE episodes SET stop = 'agent_stop'")
    with pytest.raises(RegistryError, match="is not what it says"):
        store.verify("latest")
    assert store.seal(*sealable(1)) == sealed
    store.verify("latest")


def test_what_is_no_file_in_a_files_place_is_never_deleted(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    first = store.seal(*sealable(1))
    place = tmp_path / "generations" / f"{first.hash}.duckdb"
    place.unlink()
    place.mkdir()
    (place / "mine").write_text("mine")
    for refused in (
        lambda: store.size("gen-0001"),
        lambda: store.remove("gen-0001"),
        lambda: store.verify("gen-0001"),
        lambda: store.seal(*sealable(1)),
    ):
        with pytest.raises(RegistryError) as caught:
            refused()
        assert caught.value.message == f"{place} is a folder, where a registry has a file" and caught.value.hint
    assert store.generations() == [first]
    assert (place / "mine").read_text() == "mine"


def test_only_folders_are_taken_for_what_a_dead_writer_left(tmp_path: Path) -> None:
    """Cleaning up opens what it looks at, and opening a pipe waits for somebody at its other end."""
    store = DuckStore(tmp_path)
    store.seal(*sealable(1))
    folder = tmp_path / "generations"
    os.mkfifo(folder / ".sealing-pipe")
    (folder / ".sealing-link").symlink_to(folder)
    assert store.clean() == 0
    second = store.seal(*sealable(2))
    assert names(tmp_path) == [".sealing-link", ".sealing-pipe", *files_of(*store.generations())]
    store.verify(second.hash)
