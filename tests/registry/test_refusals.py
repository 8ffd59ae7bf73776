"""Whatever is wrong with a registry's file or folder: one clear line, a hint, and nothing damaged."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from registry_processes import start
from registry_samples import sealable

from eigen_cli.api.errors import RegistryError
from eigen_cli.api.generations import Generation
from eigen_registry import open_registry
from eigen_registry.refusals import explain

# Prints the error of sealing generation 2 in the folder argv[1], after what `prepare` does to this process.
SEAL = """
import sys
from pathlib import Path
from registry_samples import sealable
from eigen_cli.api.errors import RegistryError
from eigen_registry import open_registry

store = open_registry(Path(sys.argv[1]), patience=1.0)
{prepare}
try:
    store.seal(*sealable(2, tasks=30, trials=4, size=8000))
    print("sealed")
except RegistryError as error:
    print(error.message, error.hint, sep="\\t")
"""
# A disk with room for 600 kB in any file.
SMALL_DISK = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))"
# Root ignores file modes by virtue of two capabilities; this process gives up all of them.
BOUND_BY_MODES = """
import ctypes
none = (ctypes.c_uint32 * 6)()
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
assert ctypes.CDLL(None, use_errno=True).capset(header, none) == 0
"""


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def contents_of(generation: Generation, folder: Path) -> Path:
    return folder / "generations" / f"{generation.hash}.duckdb"


def refusal(read_or_seal: object) -> RegistryError:
    with pytest.raises(RegistryError) as caught:
        read_or_seal()  # type: ignore[operator]
    assert "\n" not in caught.value.message and caught.value.hint
    assert "Error:" not in caught.value.message
    return caught.value


def test_a_full_disk_keeps_what_was_sealed_and_the_next_try_succeeds(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    first = store.seal(*sealable(1))
    out, _ = start(SEAL.format(prepare=SMALL_DISK), tmp_path).communicate()
    assert out == (
        f"the registry {tmp_path}/registry.duckdb cannot be written: file too large\t"
        "free some space and run the same command: what was sealed is whole, the journals resume the rest\n"
    )
    assert store.generations() == [first]
    assert list((tmp_path / "generations").glob("*.duckdb")) == [contents_of(first, tmp_path)]
    assert len(list((tmp_path / "generations").iterdir())) == 2
    assert store.seal(*sealable(2, tasks=30, trials=4, size=8000)).id == "gen-0002"
    assert len(list(store.episodes("gen-0002"))) == 120


@contextlib.contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """Mount a disk of that size; skip the test where one may not."""
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("mounting a file system takes rights this process has not")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def test_a_disk_that_fills_up_while_sealing_keeps_what_was_sealed(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "9m") as disk:
        store = open_registry(disk / ".eigen")
        first = store.seal(*sealable(1))
        error = refusal(lambda: store.seal(*sealable(2, tasks=200, trials=4, size=8000)))
        assert error.message == f"the registry {disk}/.eigen/registry.duckdb cannot be written: no space left on device"
        assert store.generations() == [first]
        assert list((disk / ".eigen" / "generations").glob("*.duckdb")) == [contents_of(first, disk / ".eigen")]
        assert len(list((disk / ".eigen" / "generations").iterdir())) == 2
        assert list(store.episodes("latest")) == list(sealable(1)[2].episodes)
        # What the failed seal had taken of the disk is free again.
        assert store.seal(*sealable(3)).id == "gen-0002"


def test_a_disk_too_full_for_a_registry_leaves_none(tmp_path: Path) -> None:
    tiny = SMALL_DISK.replace("600_000", "2_000")
    out, _ = start(SEAL.format(prepare=tiny), tmp_path / ".eigen").communicate()
    assert "cannot be written: file too large" in out
    assert [path.name for path in (tmp_path / ".eigen").rglob("*")] == ["generations"]


def test_a_read_only_registry_can_be_read_and_not_sealed_into(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    first = store.seal(*sealable(1))
    before = files_of(tmp_path)
    (tmp_path / "registry.duckdb").chmod(0o444)
    tmp_path.chmod(0o555)
    script = SEAL.format(prepare=BOUND_BY_MODES + "print(store.generation('latest').id)")
    out, _ = start(script, tmp_path).communicate()
    tmp_path.chmod(0o755)
    assert out == (
        f"gen-0001\nthe registry {tmp_path}/registry.duckdb cannot be opened or made: permission denied\t"
        f"fix the permissions of {tmp_path}, or name another folder with --registry\n"
    )
    assert files_of(tmp_path) == before
    assert store.generations() == [first]


def test_a_read_only_folder_gets_no_registry(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    out, _ = start(SEAL.format(prepare=BOUND_BY_MODES), tmp_path).communicate()
    tmp_path.chmod(0o755)
    assert "cannot be opened or made: permission denied" in out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"short", bytes(range(256)) * 80], ids=["empty", "short", "garbage"])
def test_a_file_that_is_no_database_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "registry.duckdb").write_bytes(content)
    store = open_registry(tmp_path)
    for attempt in (store.generations, lambda: store.generation("latest"), lambda: store.seal(*sealable(1))):
        error = refusal(attempt)
        assert "is damaged or no registry" in error.message
        assert error.hint and error.hint.startswith("move registry.duckdb away, and registry.duckdb.wal with it")
    assert files_of(tmp_path) == {"registry.duckdb": content}


def test_a_truncated_registry_says_so_and_is_not_made_worse(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    store.seal(*sealable(1, tasks=60, trials=4, size=8000))
    path = tmp_path / "registry.duckdb"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    error = refusal(lambda: (store.generations(), list(store.episodes("latest")), store.seal(*sealable(2))))
    assert "is damaged or no registry" in error.message
    path.write_bytes(whole)
    assert len(list(store.episodes("latest"))) == 240


def test_changed_bytes_are_noticed(tmp_path: Path) -> None:
    import duckdb

    store = open_registry(tmp_path)
    store.seal(*sealable(1))
    with duckdb.connect(tmp_path / "registry.duckdb") as con:
        con.execute("UPDATE generations SET body = replace(body, '\"passed\":2', '\"passed\":6')")
    error = refusal(lambda: store.generation("latest"))
    assert error.message == "gen-0001 is damaged: its content does not have the hash it was sealed under"


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("tasks", "UPDATE tasks SET body = replace(body, 'hurried', 'relaxed') WHERE ordinal = 1"),
        ("tasks", "DELETE FROM tasks WHERE ordinal = 2"),
        ("episodes", "UPDATE episodes SET verdict = replace(verdict, 'ZX3F01 is open', 'ZX3F02 is open')"),
        ("episodes", "UPDATE episodes SET ordinal = 100 WHERE ordinal = 0"),
        ("plans", "DELETE FROM plans WHERE ordinal = 0"),
        ("rejected", "INSERT INTO proposals SELECT * REPLACE (9 AS ordinal) FROM proposals WHERE ordinal = 0"),
    ],
)
def test_changed_contents_are_noticed_at_the_end_of_a_whole_reading(tmp_path: Path, table: str, change: str) -> None:
    import duckdb

    store = open_registry(tmp_path)
    path = contents_of(store.seal(*sealable(1)), tmp_path)
    with duckdb.connect(path) as con:
        con.execute(change)
    for kind in ("plans", "tasks", "rejected", "episodes"):
        if kind == table:
            error = refusal(lambda: list(getattr(store, table)("latest")))
            assert error.message.startswith("gen-0001 is damaged: its ")
            assert "are not those it was sealed with" in error.message
        else:
            assert list(getattr(store, kind)("latest"))
    # What was observed of an episode is no content.
    with duckdb.connect(path) as con:
        con.execute("UPDATE episodes SET observed = replace(observed, '\"calls\":20', '\"calls\":21')")
    if table != "episodes":
        assert {record.usage.calls for record in store.episodes("latest")} == {21}


def test_a_log_without_its_registry_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "registry.duckdb.wal").write_bytes(b"seals, perhaps")
    store = open_registry(tmp_path)
    for attempt in (store.generations, lambda: store.generation("latest"), lambda: store.seal(*sealable(1))):
        error = refusal(attempt)
        assert error.message == (
            f"{tmp_path}/registry.duckdb.wal is there, but registry.duckdb, to which it belongs, is not"
        )
        assert error.hint and "move registry.duckdb.wal away too" in error.hint
    assert files_of(tmp_path) == {"registry.duckdb.wal": b"seals, perhaps"}


def test_a_log_that_duckdb_would_pass_over_is_refused(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    first = store.seal(*sealable(1))
    # Killed between the commit and the checkpoint that closing makes, so that the second seal is in the log alone.
    script = """
import contextlib, os, signal, sys
from pathlib import Path
from registry_samples import sealable
from eigen_registry import open_registry, sealing
from eigen_registry.transaction import transaction

@contextlib.contextmanager
def fatal(con):
    with transaction(con):
        yield
    os.kill(os.getpid(), signal.SIGKILL)

sealing.transaction = fatal
open_registry(Path(sys.argv[1])).seal(*sealable(2))
"""
    assert start(script, tmp_path).wait() == -9
    log, whole = tmp_path / "registry.duckdb.wal", (tmp_path / "registry.duckdb").read_bytes()
    kept = log.read_bytes()
    assert [generation.id for generation in store.generations()] == ["gen-0001", "gen-0002"]
    (tmp_path / "registry.duckdb").write_bytes(whole)
    for junk in (b"\xff" + kept[1:], b"junk" * 1000):
        log.write_bytes(junk)
        for attempt in (store.generations, lambda: store.seal(*sealable(3))):
            error = refusal(attempt)
            assert error.message == f"{log} is damaged: it does not begin as a write-ahead log does"
        assert log.read_bytes() == junk
    for torn in (b"", kept[:2], bytes(100)):
        log.write_bytes(torn)
        assert store.generations() == [first]


def test_pipes_are_refused_without_waiting_for_someone_to_write(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    for name in ("registry.duckdb", "registry.duckdb.wal"):
        os.mkfifo(tmp_path / name)
        for attempt in (store.generations, lambda: store.generation("latest"), lambda: store.seal(*sealable(1))):
            error = refusal(attempt)
            assert error.message == f"{tmp_path / name} is a pipe or device, where a registry has a file"
            assert error.hint and error.hint.startswith("move it away")
        (tmp_path / name).unlink()
    assert store.seal(*sealable(1)).id == "gen-0001"


def test_a_round_made_here_is_not_sealed_where_its_parent_is_gone(tmp_path: Path) -> None:
    store = open_registry(tmp_path / ".eigen")
    first = store.seal(*sealable(1))
    shutil.rmtree(tmp_path / ".eigen")
    error = refusal(lambda: store.seal(*sealable(2, parent=first.hash)))
    assert f"parent {first.hash[:12]} is no longer in the registry" in error.message
    assert not (tmp_path / ".eigen").exists()
    other = store.seal(*sealable(5))
    assert "no longer" in refusal(lambda: store.seal(*sealable(2, parent=first.hash))).message
    assert store.generations() == [other]


def test_a_registry_of_a_newer_eigen_is_not_touched(tmp_path: Path) -> None:
    import duckdb

    store = open_registry(tmp_path)
    store.seal(*sealable(1))
    with duckdb.connect(tmp_path / "registry.duckdb") as con:
        con.execute("INSERT INTO schema_versions VALUES (999, 'later', now())")
    before = files_of(tmp_path)
    for attempt in (store.generations, lambda: store.seal(*sealable(2))):
        error = refusal(attempt)
        assert "is of a newer eigen: schema 999, where this one knows" in error.message
        assert error.hint and "upgrade eigen-cli" in error.hint
    assert files_of(tmp_path) == before


def test_someone_elses_database_is_not_touched(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(tmp_path / "registry.duckdb") as con:
        con.execute("CREATE TABLE theirs AS SELECT 1 AS one")
    before = files_of(tmp_path)
    store = open_registry(tmp_path)
    for attempt in (store.generations, lambda: store.seal(*sealable(1))):
        assert "is a DuckDB file, but not an eigen registry" in refusal(attempt).message
    assert files_of(tmp_path) == before


def test_a_folder_where_the_file_should_be_and_the_reverse(tmp_path: Path) -> None:
    (tmp_path / "registry.duckdb").mkdir()
    store = open_registry(tmp_path)
    for attempt in (store.generations, lambda: store.seal(*sealable(1))):
        error = refusal(attempt)
        assert error.message == f"{tmp_path}/registry.duckdb is a folder, where a registry has a file"
    (tmp_path / "file").write_text("mine")
    store = open_registry(tmp_path / "file")
    for attempt in (store.generations, lambda: store.seal(*sealable(1))):
        assert refusal(attempt).message == f"{tmp_path}/file is not a folder"
    store = open_registry(tmp_path / "file" / "below")
    assert "Not a directory" in refusal(lambda: store.seal(*sealable(1))).message
    assert (tmp_path / "file").read_text() == "mine"


def test_whoever_keeps_the_file_is_named(tmp_path: Path) -> None:
    store = open_registry(tmp_path, patience=0.3)
    store.seal(*sealable(1))
    script = (
        "import sys, duckdb\nwith duckdb.connect(sys.argv[1]):\n    print('open', flush=True)\n    sys.stdin.read()\n"
    )
    holder = start(script, tmp_path / "registry.duckdb")
    assert holder.stdin and holder.stdout
    with holder:
        assert holder.stdout.readline() == "open\n"
        for attempt in (store.generations, lambda: store.seal(*sealable(2))):
            error = refusal(attempt)
            assert f"registry.duckdb is in use by process {holder.pid} (python" in error.message
            assert error.hint and error.hint.startswith("wait until it is done, or stop it")
        holder.stdin.close()
    assert store.seal(*sealable(2)).id == "gen-0002"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "IO Error: Trying to read a database file with version number 999, but we can only read 64 to 69.\nMore.",
            "the registry r/registry.duckdb was written by a newer DuckDB than the one installed",
        ),
        (
            "INTERNAL Error: Failure while replaying WAL file: x\nStack Trace:\n0x1",
            "the registry r/registry.duckdb is damaged or no registry: Failure while replaying WAL file: x",
        ),
        ("Out of Memory Error: failed\nmore", "the registry r/registry.duckdb cannot be used: failed"),
        ("", "the registry r/registry.duckdb cannot be used: RuntimeError"),
    ],
)
def test_errors_that_need_another_machine_to_happen(text: str, message: str) -> None:
    error = explain(Path("r/registry.duckdb"), RuntimeError(text))
    assert error.message == message and error.hint
