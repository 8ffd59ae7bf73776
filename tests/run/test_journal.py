"""The journal keeps what it acknowledged, and tells plainly when it cannot."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from eigen_cli.api.errors import RegistryError
from eigen_cli.run.journal import MAGIC, SYNC_WITHIN, VERSION, Entry, Journal, read_entries

HEADER_BYTES = 16


def write(path: Path, *payloads: bytes) -> None:
    with Journal.open(path) as journal:
        for index, payload in enumerate(payloads):
            journal.append(f"key-{index}", "print", payload)


def payloads(path: Path) -> list[bytes]:
    return [entry.payload for entry in read_entries(path)]


def test_replies_are_found_before_and_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "journals" / "run.journal"
    with Journal.open(path) as journal:
        journal.append("run/1/agent/0/0", "aa", b"first \x00 reply")
        journal.append("run/1/agent/1/0", "bb", b"")
        assert journal.lookup("run/1/agent/0/0", "aa") == b"first \x00 reply"
        assert journal.lookup("run/1/agent/1/0", "bb") == b""
        assert journal.lookup("run/1/agent/2/0", "aa") is None
    with Journal.open(path) as journal:
        assert journal.lookup("run/1/agent/0/0", "aa") == b"first \x00 reply"
        assert journal.lookup("run/1/agent/1/0", "bb") == b""


def test_a_changed_request_is_a_miss_and_its_reply_takes_the_place(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    with Journal.open(path) as journal:
        journal.append("key", "old prompt", b"old")
        assert journal.lookup("key", "new prompt") is None
        journal.append("key", "new prompt", b"new")
    with Journal.open(path) as journal:
        assert journal.lookup("key", "new prompt") == b"new"
        assert journal.lookup("key", "old prompt") is None
    assert payloads(path) == [b"old", b"new"]


def test_notes_are_kept_in_order_apart_from_replies(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    with Journal.open(path) as journal:
        journal.note("identity", "run", b"{}")
        journal.append("sealed", "print", b"a reply whose key is a note's kind")
        journal.note("sealed", "1", b"hash one")
        journal.note("sealed", "2", b"hash two")
        assert list(journal.notes("sealed")) == [("1", b"hash one"), ("2", b"hash two")]
        with pytest.raises(ValueError, match="append"):
            journal.note("call", "key", b"")
    with Journal.open(path) as journal:
        assert list(journal.notes("sealed")) == [("1", b"hash one"), ("2", b"hash two")]
        assert list(journal.notes("identity")) == [("run", b"{}")]
        assert list(journal.notes("other")) == []
        assert journal.lookup("1", "") is None
    assert [entry.kind for entry in read_entries(path)] == ["identity", "call", "sealed", "sealed"]


def test_readers_find_nothing_where_no_run_has_started(tmp_path: Path) -> None:
    assert list(read_entries(tmp_path / "run.journal")) == []
    assert list(tmp_path.iterdir()) == []


def test_a_tail_torn_at_any_byte_costs_only_the_torn_entry(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    write(path, b"one", b"two")
    kept = path.stat().st_size
    write(path, b"one", b"two", b"three" * 10)
    whole = path.read_bytes()
    complete = payloads(path)
    torn = tmp_path / "torn.journal"
    for size in range(kept + 1, len(whole)):
        torn.write_bytes(whole[:size])
        before = payloads(torn)
        assert before == complete[: len(before)] and len(before) >= 2
        with Journal.open(torn) as journal:
            assert torn.stat().st_size <= size
            journal.append("after", "print", b"next")
            assert journal.lookup("key-1", "print") == b"two"
        assert payloads(torn) == [*before, b"next"]


def test_a_header_torn_at_any_byte_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    for size in range(HEADER_BYTES):
        path.write_bytes(struct.pack("<8sII", MAGIC, VERSION, 4242)[:size])
        assert payloads(path) == []
        write(path, b"one")
        assert payloads(path) == [b"one"]


@pytest.mark.parametrize(
    "tail",
    [bytes(4096), struct.pack("<II", 0xFFFF_FFF0, 7) + b"x" * 100, struct.pack("<II", 5, 0) + b"wrong"],
    ids=["zeros", "enormous length", "wrong checksum"],
)
def test_a_damaged_tail_is_not_read_and_cut_off(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "run.journal"
    write(path, b"one")
    whole = path.stat().st_size
    with path.open("ab") as stream:
        stream.write(tail)
    assert payloads(path) == [b"one"]
    with Journal.open(path):
        assert path.stat().st_size == whole


def test_a_second_writer_is_told_who_writes(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    script = (
        "import sys\nfrom pathlib import Path\nfrom eigen_cli.run.journal import Journal\n"
        "with Journal.open(Path(sys.argv[1])) as journal:\n"
        "    journal.append('key', 'print', b'held')\n    print('open', flush=True)\n    sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin and holder.stdout
    with holder:
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(RegistryError, match=f"process {holder.pid}") as caught:
            Journal.open(path)
        assert payloads(path) == [b"held"]
        holder.stdin.close()
    assert caught.value.hint and "resumes" in caught.value.hint
    with Journal.open(path) as journal:
        assert journal.lookup("key", "print") == b"held"
        with pytest.raises(RegistryError, match=f"process {os.getpid()}"):
            Journal.open(path)


def test_bad_paths_are_one_clear_line_and_stay_as_they_are(tmp_path: Path) -> None:
    garbage, newer, folder = tmp_path / "garbage", tmp_path / "newer", tmp_path / "folder"
    garbage.write_bytes(b"not a journal, but something someone may want")
    newer.write_bytes(struct.pack("<8sII", MAGIC, VERSION + 1, 0) + b"entries of another kind")
    folder.mkdir()
    for path, message in (
        (garbage, "not an eigen journal"),
        (newer, f"format {VERSION + 1}"),
        (folder, "directory"),
        (garbage / "run.journal", "[Nn]ot a directory|exists"),
    ):
        before = path.read_bytes() if path.is_file() else None
        with pytest.raises(RegistryError, match=message) as caught:
            Journal.open(path)
        assert "\n" not in caught.value.message and caught.value.hint
        assert (path.read_bytes() if path.is_file() else None) == before
    with pytest.raises(RegistryError, match="not an eigen journal"):
        list(read_entries(garbage))


def test_a_full_disk_damages_nothing_and_writing_goes_on_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    script = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from eigen_cli.api.errors import RegistryError\nfrom eigen_cli.run.journal import Journal\n"
        "path = Path(sys.argv[1])\n"
        "_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1900, hard))\n"
        "with Journal.open(path) as journal:\n"
        "    acknowledged = 0\n"
        "    try:\n"
        "        while True:\n"
        "            journal.append(f'key-{acknowledged}', 'print', bytes(300))\n"
        "            acknowledged += 1\n"
        "    except RegistryError as error:\n"
        "        print(acknowledged, path.stat().st_size, error.message, '|', error.hint, sep='\\t')\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))\n"
        "    journal.append('later', 'print', b'room again')\n"
        "    assert journal.lookup('later', 'print') == b'room again'\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    acknowledged, size, message, _, hint = done.stdout.rstrip("\n").split("\t")
    frame = (int(size) - HEADER_BYTES) / int(acknowledged)
    assert int(acknowledged) == 5 and frame.is_integer() and 300 < frame < 400
    assert "cannot be written: File too large" in message and "free some space" in hint
    assert payloads(path) == [bytes(300)] * 5 + [b"room again"]


def test_syncing_happens_in_its_own_thread_and_gathers_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, calls, fsync = threading.Event(), [], os.fsync

    def spy(file: int) -> None:
        fsync(file)
        calls.append((threading.current_thread().name, os.fstat(file).st_size))
        synced.set()

    monkeypatch.setattr(os, "fsync", spy)
    path = tmp_path / "run.journal"
    with Journal.open(path) as journal:
        journal.append("first", "print", b"x")
        assert synced.wait(100 * SYNC_WITHIN)
        for index in range(200):
            journal.append(f"key-{index}", "print", b"x" * 1000)
    assert {name for name, _ in calls} == {"journal-sync"}
    assert calls[-1][1] == path.stat().st_size > 200_000
    assert 2 <= len(calls) < 100
    assert "journal-sync" not in {thread.name for thread in threading.enumerate()}
    journal.close()
    with pytest.raises(ValueError, match="closed"):
        journal.append("late", "print", b"")


def test_a_disk_that_fails_to_sync_stops_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = threading.Event()

    def broken(_file: int) -> None:
        failed.set()
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    journal = Journal.open(tmp_path / "run.journal")
    journal.append("first", "print", b"x")
    assert failed.wait(10)
    journal._syncer.join()
    with pytest.raises(RegistryError, match="Input/output error"):
        journal.append("second", "print", b"y")
    with pytest.raises(RegistryError, match="could not be brought to disk"):
        journal.close()


def test_threads_may_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"

    def work(journal: Journal, name: str) -> None:
        for index in range(200):
            journal.append(f"{name}/{index}", name, f"{name}{index}".encode() * 20)

    with Journal.open(path) as journal:
        threads = [threading.Thread(target=work, args=(journal, name)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    entries = list(read_entries(path))
    assert len(entries) == 800
    assert Entry("call", "c/199", "c", b"c199" * 20) in entries
    assert {entry.key for entry in entries} == {f"{name}/{index}" for name in "abcd" for index in range(200)}


def test_a_close_that_meets_the_end_of_a_sync_is_not_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The syncing thread once waited for ever when `close` came between its waking and its clearing the flag."""
    journal = Journal.open(tmp_path / "j")
    dirty = journal._dirty
    clear = dirty.clear

    def close_comes_first() -> None:
        journal._closing.set()
        dirty.set()
        clear()

    monkeypatch.setattr(dirty, "clear", close_comes_first)
    journal.append("key", "hash", b"reply")
    journal._syncer.join(timeout=5)
    assert not journal._syncer.is_alive()
    journal.close()
