"""Readers in one process, a writer in another that seals generation after generation, and writers that are killed."""

from __future__ import annotations

import itertools
import json
import time
from pathlib import Path

import pytest
from registry_processes import start
from registry_samples import sealable

from eigen_registry.store import DuckStore

# Seals rounds from argv[2] on in the folder argv[1] until its input ends; then says how many.
SEALER = """
import itertools, select, sys
from pathlib import Path
from registry_samples import sealable
from eigen_registry.store import DuckStore

store, sealed = DuckStore(Path(sys.argv[1])), 0
print("ready", flush=True)
for round_ in itertools.count(int(sys.argv[2])):
    if select.select([sys.stdin], [], [], 0)[0]:
        break
    store.seal(*sealable(round_, tasks=20, trials=4, size=2000))
    sealed += 1
print(sealed, flush=True)
"""
# Does all that reading commands do in the folder argv[1], on and on until its input ends; then says how often it read
# and which reads failed.
READER = """
import itertools, json, select, sys
from pathlib import Path
from eigen_cli.api.browsing import EpisodeFilter, TaskFilter
from eigen_registry.store import DuckStore

store, reads, failed = DuckStore(Path(sys.argv[1])), 0, []
read = (
    lambda: store.generations(),
    lambda: store.generation("latest"),
    lambda: store.plans("latest"),
    lambda: store.task_rows("latest", TaskFilter()),
    lambda: store.episode_rows("latest", EpisodeFilter(passed=True)),
    lambda: (ref := store.generation("latest").hash, store.episode(ref, next(store.episodes(ref)).episode.id)),
    lambda: store.search("latest", "hurried"),
    lambda: [len(list(store.episodes(found.id))) for found in store.generations()[-2:]],
    lambda: (list(store.tasks("latest")), list(store.rejected("latest")), list(store.faults("latest"))),
    lambda: store.outline("latest"),
    lambda: store.verify("latest"),
)
print("ready", flush=True)
for number in itertools.count():
    if select.select([sys.stdin], [], [], 0)[0]:
        break
    try:
        read[number % len(read)]()
    except Exception as error:
        failed.append(f"{number % len(read)}: {error!r}")
    reads += 1
print(json.dumps([reads, failed]), flush=True)
"""


def watched(folder: Path, seconds: float) -> tuple[int, int]:
    """Let a reader and a writer work side by side, and a second writer be killed; return what both got done."""
    store = DuckStore(folder)
    store.seal(*sealable(1, tasks=20, trials=4, size=2000))
    with start(READER, folder) as reader, start(SEALER, folder, 2) as writer:
        for process in (reader, writer):
            assert process.stdout and process.stdout.readline() == "ready\n"
        ends = time.monotonic() + seconds
        for first in itertools.count(100_000, 1_000):
            with start(SEALER, folder, first) as doomed:
                assert doomed.stdout and doomed.stdout.readline() == "ready\n"
                time.sleep(max(0.0, min(1.0, ends - time.monotonic())))  # how long it lives is the experiment
                doomed.kill()
            if time.monotonic() >= ends:
                break
        done = [process.communicate("end\n")[0] for process in (reader, writer)]
        assert (reader.returncode, writer.returncode) == (0, 0)
    reads, failed = json.loads(done[0])
    assert failed == []
    found = store.generations()
    assert [generation.id for generation in found] == [f"gen-{number:04d}" for number in range(1, len(found) + 1)]
    assert len(found) > int(done[1])
    store.verify("latest")
    return reads, int(done[1])


def test_no_read_fails_in_three_seconds(tmp_path: Path) -> None:
    reads, sealed = watched(tmp_path, 3.0)
    assert reads >= 5 and sealed >= 1


@pytest.mark.proof
def test_no_read_fails_in_a_minute(tmp_path: Path) -> None:
    reads, sealed = watched(tmp_path, 60.0)
    print(f"{reads} reads while {sealed} generations were sealed, none failed")
    assert reads >= 30 and sealed >= 5
