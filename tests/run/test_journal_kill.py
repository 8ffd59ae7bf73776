"""SIGKILL at any moment: every entry that was acknowledged is there, and nothing else of it is half there."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from eigen_cli.run.journal import Journal, read_entries

WRITER = """
import random, sys
from pathlib import Path
from eigen_cli.run.journal import Journal

path, first = Path(sys.argv[1]), int(sys.argv[2])
draw = random.Random(first)
with Journal.open(path) as journal:
    for index in range(first, first + 1_000_000):
        journal.append(f"key-{index}", str(index), str(index).encode() * draw.randrange(1, 4000))
        sys.stdout.write(f"{index}\\n")
        sys.stdout.flush()
"""


def start(path: Path, first: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(first)]
    # A small pipe keeps the writer at work near what was read of it, not far ahead and asleep.
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, pipesize=4096)


def test_everything_acknowledged_survives_sigkill(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    draw, acknowledged, following = random.Random(11), set(), 0
    for _ in range(8):
        with start(path, following) as writer:
            assert writer.stdout
            for _ in range(draw.randrange(1, 400)):
                acknowledged.add(int(writer.stdout.readline()))
            writer.kill()
            rest = writer.stdout.read()
        # What the pipe still held was acknowledged too; only a line cut short by the kill was not.
        acknowledged.update(int(line) for line in rest[: rest.rfind("\n") + 1].split())
        found = {int(entry.fingerprint): entry for entry in read_entries(path)}
        assert acknowledged <= found.keys()
        assert sorted(found) == list(range(len(found)))
        following = len(found)
    with Journal.open(path) as journal:
        for index in range(following):
            reply = journal.lookup(f"key-{index}", str(index))
            assert reply is not None and reply == str(index).encode() * (len(reply) // len(str(index)))


def test_readers_see_a_growing_prefix_while_a_writer_writes(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    lengths = [0]
    with start(path, 0) as writer:
        assert writer.stdout
        for _ in range(20):
            acknowledged = [int(writer.stdout.readline()) for _ in range(100)]
            found = [int(entry.fingerprint) for entry in read_entries(path)]
            assert found == list(range(len(found)))
            assert len(found) > acknowledged[-1]
            lengths.append(len(found))
        writer.kill()
    assert lengths == sorted(lengths)
    assert lengths[-1] >= 2000
