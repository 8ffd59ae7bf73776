"""The journal keeps what it acknowledged, and tells plainly when it cannot."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import msgspec
import pytest

from eigen_cli.api.errors import RegistryError
from eigen_cli.run.frames import MAGIC, VERSION, Entry, framed
from eigen_cli.run.journal import SYNC_WITHIN, Journal, read_entries
from eigen_cli.run.journal_files import set_aside

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
            assert journal.damaged == 0
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
    ("tail", "lost"),
    [(bytes(4096), 0), (struct.pack("<II", 0xFFFF_FFF0, 7) + b"x" * 100, 0), (struct.pack("<II", 5, 0) + b"wrong", 1)],
    ids=["zeros", "enormous length", "wrong checksum"],
)
def test_a_damaged_tail_is_not_read_and_cut_off(tmp_path: Path, tail: bytes, lost: int) -> None:
    path = tmp_path / "run.journal"
    write(path, b"one")
    whole = path.stat().st_size
    with path.open("ab") as stream:
        stream.write(tail)
    assert payloads(path) == [b"one"]
    damaged = path.read_bytes()
    with Journal.open(path) as journal:
        assert path.stat().st_size == whole
        assert journal.damaged == lost
    # A whole frame with a wrong checksum was acknowledged once: it is kept for whoever can read it.
    assert [copy.read_bytes()[HEADER_BYTES:] for copy in tmp_path.glob("*.damaged")] == [damaged[HEADER_BYTES:]] * lost


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


@pytest.mark.proof
def test_one_flipped_bit_costs_one_entry_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    write(path, *(f"reply {index}".encode() * 3 for index in range(5)))
    whole, complete = path.read_bytes(), payloads(path)
    size = (len(whole) - HEADER_BYTES) // 5
    for bit in range(HEADER_BYTES * 8, len(whole) * 8):
        hurt = bytearray(whole)
        hurt[bit // 8] ^= 1 << bit % 8
        path.write_bytes(hurt)
        lost = (bit // 8 - HEADER_BYTES) // size
        kept = complete[:lost] + complete[lost + 1 :]
        assert payloads(path) == kept
        with Journal.open(path) as journal:
            assert journal.damaged == 1
            assert journal.lookup(f"key-{lost}", "print") is None
            assert [journal.lookup(f"key-{i}", "print") for i in range(5) if i != lost] == kept
            with pytest.raises(RegistryError, match=f"process {os.getpid()}"):
                Journal.open(path)
            journal.append(f"key-{lost}", "print", b"again")
        (copy,) = tmp_path.glob("*.damaged")
        assert copy.name == "run.journal.1.damaged"
        assert copy.read_bytes()[HEADER_BYTES:] == hurt[HEADER_BYTES:]
        copy.unlink()
        assert payloads(path) == [*kept, b"again"]
        with Journal.open(path) as journal:
            assert journal.damaged == 0
    assert [found.name for found in tmp_path.iterdir()] == ["run.journal"]


def test_damaged_copies_are_numbered_and_damage_beyond_a_length_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    write(path, *(bytes([65 + index]) * 100 for index in range(9)))
    for number, hole in enumerate((b"\0" * 200, b"\xff" * 200), start=1):
        before = payloads(path)
        hurt = bytearray(path.read_bytes())
        middle = len(hurt) // 2
        hurt[middle : middle + 200] = hole
        path.write_bytes(hurt)
        with Journal.open(path) as journal:
            assert journal.damaged == 1
        assert (tmp_path / f"run.journal.{number}.damaged").exists()
        kept = payloads(path)
        assert kept == [payload for payload in before if payload in kept]
        assert len(before) - 3 <= len(kept) < len(before) and kept[0] == before[0] and kept[-1] == before[-1]


def test_a_frame_planted_in_a_damaged_reply_is_not_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    write(path, b"one", b"<<" + framed(Entry("call", "forged", "print", b"evil")) + b">>", b"three")
    hurt = bytearray(path.read_bytes())
    hurt[hurt.index(b"<<")] ^= 1
    path.write_bytes(hurt)
    with Journal.open(path) as journal:
        assert journal.damaged == 1
        assert journal.lookup("forged", "print") is None
    assert payloads(path) == [b"one", b"three"]


def test_a_frame_that_checks_but_is_no_entry_is_lost_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    write(path, b"one")
    for body in (b"\xc1 no MessagePack", msgspec.msgpack.encode(["call", 7]), b"\x94\xa4call\xa1\xff\xa1p\xc4\x01x"):
        with path.open("ab") as stream:
            stream.write(struct.pack("<II", len(body), zlib.crc32(body)) + body)
            stream.write(framed(Entry("call", "two", "print", b"two")))
        with Journal.open(path) as journal:
            assert journal.damaged == 1
            assert journal.lookup("two", "print") == b"two"


def test_a_note_that_is_no_text_names_the_way_out(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "run.journal") as journal:
        journal.note("sealed", "1", "größe".encode())
        assert list(journal.texts("sealed")) == [("1", "größe")]
        journal.note("sealed", "2", b"\xff\xfe")
        with pytest.raises(RegistryError, match="note 'sealed' is no text") as caught:
            list(journal.texts("sealed"))
    assert caught.value.hint and "--fresh" in caught.value.hint


def test_a_journal_changed_while_in_use_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    with Journal.open(path) as journal:
        journal.append("key", "print", b"reply")
        whole = path.read_bytes()
        foreign = b"\xc1" * (len(whole) - HEADER_BYTES - 8)
        for other in (
            whole[:HEADER_BYTES],
            whole[:-1],
            whole[:HEADER_BYTES] + b"\xff" * 8 + whole[HEADER_BYTES + 8 :],
            whole[:HEADER_BYTES] + struct.pack("<II", len(foreign), zlib.crc32(foreign)) + foreign,
        ):
            path.write_bytes(other)
            with pytest.raises(RegistryError, match="changed by something else"):
                journal.lookup("key", "print")


@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
def test_a_journal_that_went_away_while_written_is_no_success(tmp_path: Path, how: str) -> None:
    path = tmp_path / ".eigen" / "run.journal"
    journal = Journal.open(path)
    journal.append("key", "print", b"reply")
    if how == "deleted":
        shutil.rmtree(path.parent)
    else:
        path.parent.rename(tmp_path / "elsewhere")
    if how == "replaced":
        write(path, b"of another run")
    with pytest.raises(RegistryError, match="deleted or moved away") as caught:
        journal.close()
    assert caught.value.hint
    journal.close()


def test_leaving_a_journal_that_went_away_keeps_the_error_that_says_more(tmp_path: Path) -> None:
    for error, match in ((RegistryError("its parent is gone"), "parent"), (KeyboardInterrupt(), "deleted or moved")):
        path = tmp_path / "run.journal"
        with pytest.raises(RegistryError, match=match), Journal.open(path):
            path.unlink()
            raise error


@pytest.mark.parametrize(("kind", "noun"), [("pipe", "a pipe"), ("directory", "a directory"), ("socket", "a device")])
def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path, kind: str, noun: str) -> None:
    path = tmp_path / "j"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
    for attempt in (lambda: Journal.open(path), lambda: list(read_entries(path)), lambda: set_aside(path)):
        with pytest.raises(RegistryError, match=f"{noun}.*where a journal should be") as caught:
            attempt()
        assert caught.value.hint and "--registry" in caught.value.hint
    assert [found.name for found in tmp_path.iterdir()] == ["j"]


def test_setting_aside_spares_the_journal_of_a_live_run(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    set_aside(path)
    assert list(tmp_path.iterdir()) == []
    with Journal.open(path) as journal:
        journal.append("key", "print", b"first")
        with pytest.raises(RegistryError, match=f"already being written by process {os.getpid()}"):
            set_aside(path)
        assert [found.name for found in tmp_path.iterdir()] == ["run.journal"]
    set_aside(path)
    write(path, b"second")
    set_aside(path)
    assert {found.name for found in tmp_path.iterdir()} == {"run.1.old", "run.2.old"}
    assert payloads(tmp_path / "run.1.old") == [b"first"] and payloads(tmp_path / "run.2.old") == [b"second"]
    # A newer eigen's is what --fresh is recommended for.
    path.write_bytes(struct.pack("<8sII", MAGIC, VERSION + 1, 0))
    set_aside(path)
    assert (tmp_path / "run.3.old").exists() and not path.exists()


def test_a_journal_set_aside_between_opening_and_locking_is_opened_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.journal"
    write(path, b"old")
    flock, calls = fcntl.flock, []

    def late(file: int, operation: int) -> None:
        calls.append(file)
        if len(calls) == 1:
            path.rename(tmp_path / "run.1.old")
        flock(file, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with Journal.open(path) as journal:
        assert len(calls) == 2
        assert journal.lookup("key-0", "print") is None
        journal.append("key-0", "print", b"new")
    assert payloads(path) == [b"new"] and payloads(tmp_path / "run.1.old") == [b"old"]


def test_a_disk_too_full_to_mend_leaves_the_damaged_journal_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.journal"
    write(path, b"one", b"two", b"three")
    hurt = bytearray(path.read_bytes())
    hurt[hurt.index(b"two")] ^= 1
    path.write_bytes(hurt)

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(RegistryError, match="No space left"):
        patch.setattr(os, "fsync", full)
        Journal.open(path)
    assert [found.name for found in tmp_path.iterdir()] == ["run.journal"]
    assert path.read_bytes()[HEADER_BYTES:] == hurt[HEADER_BYTES:]
    with Journal.open(path) as journal:
        assert journal.damaged == 1
    assert payloads(path) == [b"one", b"three"]
