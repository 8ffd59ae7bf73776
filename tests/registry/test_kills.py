"""Writers killed at any instant: what is sealed is whole, and the next writer finds nothing in its way."""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path

import duckdb
import pytest
from registry_processes import start
from registry_samples import sealable
from test_migrate import registry_of_version

from eigen_registry.migrate import known_steps, migrate, schema_version
from eigen_registry.store import DuckStore

# Seals rounds from 1 on in the folder argv[1] until it is killed, and says each hash once it is sealed.
SEALER = """
import itertools, sys
from pathlib import Path
from registry_samples import sealable
from eigen_registry.store import DuckStore

store = DuckStore(Path(sys.argv[1]))
print("ready", flush=True)
for round_ in itertools.count(int(sys.argv[2])):
    print(store.seal(*sealable(round_, tasks=75, trials=4, size=2000)).hash, flush=True)
"""
# Opens the registry in the folder argv[1], which brings it up to date, and says how many generations it has.
OPENER = """
import sys
from pathlib import Path
from eigen_registry.store import DuckStore

print("ready", flush=True)
print(len(DuckStore(Path(sys.argv[1])).generations()), flush=True)
"""


def killed_while_sealing(folder: Path, seconds: float, first: int) -> list[str]:
    """Return the hashes that a writer said it had sealed before it was killed, so many seconds after it was ready."""
    with start(SEALER, folder, first) as writer:
        assert writer.stdout and writer.stdout.readline() == "ready\n"
        time.sleep(seconds)  # when it is killed is the experiment, not something that is waited for
        writer.kill()
        return [line.strip() for line in writer.stdout if line.endswith("\n")]


def check(store: DuckStore, said: list[str]) -> None:
    """Everything that was said to be sealed is there, and everything that is there is whole."""
    found = store.generations()
    assert set(said) <= {generation.hash for generation in found}
    for generation in found:
        store.verify(generation.id)
        assert sum(1 for _ in store.episodes(generation.id)) == 300
    kept = {f"{generation.hash}.duckdb" for generation in found}
    # A file of the one that was just being sealed may be there whole and not be named yet.
    whole = {path.name for path in (store.folder / "generations").glob("*.duckdb")}
    assert kept <= whole and len(whole) <= len(kept) + 1


@pytest.mark.proof
def test_fifty_kills_in_one_registry_lose_nothing_and_leave_nothing_in_the_way(tmp_path: Path) -> None:
    store, said, span = DuckStore(tmp_path), [], 1.5
    for kill in range(50):
        said += killed_while_sealing(tmp_path, span * (kill + 1) / 50, first=len(store.generations()) + 1)
        check(store, said)
        if kill % 10 == 9:
            count = len(store.generations())
            # Sealing goes on; and the registry is begun anew, so that checking stays quick.
            assert store.seal(*sealable(1000 + kill, tasks=75, trials=4, size=2000)).id == f"gen-{count + 1:04d}"
            assert [path.name for path in (tmp_path / "generations").iterdir() if path.name.startswith(".")] == []
            store.clean()
            # One more, where the kill came between putting contents in place and naming them.
            assert len(list((tmp_path / "generations").glob("*.duckdb"))) in (count + 1, count + 2)
            shutil.rmtree(tmp_path / "generations")
            (tmp_path / "registry.duckdb").unlink()
            said.clear()


def test_a_kill_while_sealing(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    for seconds in (0.2, 0.5):
        check(store, killed_while_sealing(tmp_path, seconds, first=1))
    again = store.seal(*sealable(1, tasks=75, trials=4, size=2000))
    store.verify(again.id)
    assert not [path for path in (tmp_path / "generations").iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    "moment", [0.0, 0.2, *(pytest.param(moment, marks=pytest.mark.proof) for moment in (0.1, 0.35))]
)
def test_a_kill_while_an_old_registry_is_brought_up_to_date(tmp_path: Path, moment: float) -> None:
    registry_of_version(tmp_path, 2)
    with start(OPENER, tmp_path) as opener:
        assert opener.stdout and opener.stdout.readline() == "ready\n"
        time.sleep(moment)
        opener.kill()
    store = DuckStore(tmp_path)
    assert [generation.id for generation in store.generations()] == ["gen-0001"]
    store.verify("gen-0001")
    store.verify_evaluation("eval-0001")
    with contextlib.closing(duckdb.connect(tmp_path / "registry.duckdb", read_only=True)) as con:
        assert schema_version(con) == known_steps()[-1].version
    assert len(list((tmp_path / "generations").iterdir())) == 1


def test_files_that_were_moved_before_a_kill_are_kept_and_the_step_is_done_again(tmp_path: Path) -> None:
    registry_of_version(tmp_path, 2)
    steps = known_steps()
    assert steps[2].before is not None
    with contextlib.closing(duckdb.connect(tmp_path / "registry.duckdb")) as con:
        steps[2].before(con)
        (moved,) = (tmp_path / "generations").iterdir()
        before = moved.stat().st_ino
        migrate(con, steps)
    assert moved.stat().st_ino == before
    DuckStore(tmp_path).verify("gen-0001")
