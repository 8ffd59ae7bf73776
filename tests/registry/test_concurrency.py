"""Several processes on one registry, some of which die: nobody fails, nothing is lost or doubled."""

from __future__ import annotations

import json
import shutil
import threading
import time
from pathlib import Path

import pytest
from registry_processes import start
from registry_samples import sealable

from eigen_cli.api.generations import Generation
from eigen_registry import open_registry

# Seals rounds argv[2] to argv[3] in the folder argv[1] once a line arrives.
SEALER = """
import sys
from pathlib import Path
from registry_samples import sealable
from eigen_registry import open_registry

store = open_registry(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for round_ in range(int(sys.argv[2]), int(sys.argv[3]) + 1):
    print(store.seal(*sealable(round_, tasks=4)).hash, flush=True)
"""

# For each line `folder seconds`: seals BIG there in a child, kills it after that time unless it is done, and prints
# the time the child was given to live or needed.
MORTUARY = """
import os, signal, sys, time
from pathlib import Path
from registry_samples import sealable
from eigen_registry.store import DuckStore

BIG = sealable(2, tasks=30, trials=4, size=4000)
for line in sys.stdin:
    folder, seconds = line.split()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        DuckStore(Path(folder)).seal(*BIG)
        os._exit(0)
    while time.monotonic() - began < float(seconds) and os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.001)
    lived = time.monotonic() - began
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):
        pass
    print(lived, flush=True)
"""
BIG = sealable(2, tasks=30, trials=4, size=4000)


@pytest.mark.proof
def test_a_reader_never_fails_while_a_writer_seals_twenty_generations(tmp_path: Path) -> None:
    store, polls, counts = open_registry(tmp_path), 0, [0]
    with start(SEALER, tmp_path, 1, 20) as writer:
        assert writer.stdin and writer.stdout
        assert writer.stdout.readline() == "ready\n"
        writer.stdin.write("go\n")
        writer.stdin.flush()
        while writer.poll() is None:
            found = store.generations()
            if found:
                assert len(list(store.episodes(found[-1].id))) == 8
            counts.append(len(found))
            polls += 1
            time.sleep(0.02)
        hashes = writer.stdout.read().split()
    assert [generation.hash for generation in store.generations()] == hashes
    assert len(hashes) == 20
    assert counts == sorted(counts)
    assert polls >= 5


def test_two_writers_at_once_both_succeed(tmp_path: Path) -> None:
    """From the very start: both find no registry, and both seal rounds 5 and 6."""
    writers = [start(SEALER, tmp_path / ".eigen", first, last) for first, last in ((1, 6), (5, 10))]
    for writer in writers:
        assert writer.stdout and writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    hashes = [writer.communicate()[0].split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert hashes[0][4:] == hashes[1][:2]
    store = open_registry(tmp_path / ".eigen")
    found = store.generations()
    assert [generation.id for generation in found] == [f"gen-{number:04d}" for number in range(1, 11)]
    assert {generation.hash for generation in found} == {*hashes[0], *hashes[1]}
    assert [len(list(store.episodes(generation.id))) for generation in found] == [8] * 10
    assert sorted(path.name for path in (tmp_path / ".eigen").iterdir()) == ["generations", "registry.duckdb"]
    files = sorted(path.name for path in (tmp_path / ".eigen" / "generations").iterdir())
    assert files == sorted(f"{generation.hash}.{what}" for generation in found for what in ("duckdb", "words"))


def test_threads_of_one_process_share_a_registry(tmp_path: Path) -> None:
    sealed: list[Generation] = []
    failures: list[Exception] = []

    def seal(first: int) -> None:
        try:
            for round_ in (first, first + 1):
                sealed.append(open_registry(tmp_path).seal(*sealable(round_)))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=seal, args=(first,)) for first in (1, 3, 5)]
    for thread in threads:
        thread.start()
    store = open_registry(tmp_path)
    while any(thread.is_alive() for thread in threads):
        assert len(store.generations()) <= 6
        time.sleep(0.05)
    assert failures == []
    assert store.generations() == sorted(sealed, key=lambda generation: generation.id)
    assert len(sealed) == 6


@pytest.mark.proof
def test_sigkill_at_any_moment_of_a_seal_leaves_it_whole_or_absent(tmp_path: Path) -> None:
    base = open_registry(tmp_path / "base").seal(*sealable(1))
    outcomes = set()
    with start(MORTUARY) as mortuary:
        assert mortuary.stdin and mortuary.stdout

        def seal_and_kill(folder: Path, seconds: float) -> float:
            assert mortuary.stdin and mortuary.stdout
            mortuary.stdin.write(f"{folder} {seconds}\n")
            mortuary.stdin.flush()
            return float(json.loads(mortuary.stdout.readline()))

        whole = seal_and_kill(tmp_path / "timed", 60.0)
        for moment in range(8):
            folder = tmp_path / f"killed-{moment}"
            # Every other seal has to make the registry too, and may be killed while it does.
            before = [base] if moment % 2 else []
            if before:
                shutil.copytree(tmp_path / "base", folder)
            seal_and_kill(folder, whole * (moment + 0.5) / 8)
            store = open_registry(folder)
            found = store.generations()
            assert found[: len(before)] == before and len(found) <= len(before) + 1
            outcomes.add(len(found) > len(before))
            again = store.seal(*BIG)
            assert store.generations() == [*before, again]
            assert tuple(store.episodes(again.id)) == BIG[2].episodes
            assert tuple(store.faults(again.id)) == BIG[2].faults
            store.verify(again.id)
            assert len(list((folder / "generations").glob("*.duckdb"))) == len(before) + 1
        mortuary.stdin.close()
    assert False in outcomes
