"""One DuckDB for all the files a process has open: locks hold until the last user is done, forks and failures are its
own affair."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import duckdb
import pytest

from eigen_registry import attaching
from eigen_registry.attaching import attached
from eigen_registry.refusals import is_busy

WRITES = "import sys, duckdb\nduckdb.connect(sys.argv[1]).close()\nprint('written')"
# Forks with a DuckDB that was used, and with one in use; the child reads too and ends as any program does.
FORKS = """
import os, sys
from pathlib import Path
from eigen_registry import attaching
from eigen_registry.attaching import attached

def read():
    with attached(Path(sys.argv[1]), read_only=True) as con:
        return con.execute("FROM things").fetchall()

read()
for _ in range(2):
    child = os.fork()
    if child == 0:
        print(read(), flush=True)
        sys.exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), read(), flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with one table."""
    file = tmp_path / "it's.duckdb"
    with attached(file, read_only=False) as con:
        con.execute("CREATE TABLE things AS SELECT 5 AS number")
    return file


def written_by_another(path: Path) -> str:
    done = subprocess.run([sys.executable, "-c", WRITES, str(path)], capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_readers_share_a_file_and_its_lock_until_the_last_is_done(path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "link.duckdb"
    elsewhere.symlink_to(path)
    with attached(path, read_only=True) as one:
        with attached(elsewhere, read_only=True) as other:
            assert one.execute("FROM things").fetchall() == other.execute("FROM things").fetchall() == [(5,)]
        assert is_busy(written_by_another(path))
        assert one.execute("FROM things").fetchall() == [(5,)]
    assert written_by_another(path) == "written"


def test_who_writes_is_alone(path: Path) -> None:
    with attached(path, read_only=False) as con, pytest.raises(duckdb.Error) as caught, attached(path, read_only=True):
        con.execute("FROM things")
    assert is_busy(str(caught.value))
    with attached(path, read_only=False), pytest.raises(duckdb.Error), attached(path, read_only=False):
        pass
    with attached(path, read_only=True), pytest.raises(duckdb.Error) as caught, attached(path, read_only=False):
        pass
    assert is_busy(str(caught.value))
    assert written_by_another(path) == "written"


def test_each_connection_sees_its_own_file(path: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.duckdb"
    with attached(second, read_only=False) as con:
        con.execute("CREATE TABLE things AS SELECT 6 AS number")
        assert not (tmp_path / "second.duckdb").samefile(path)
    with attached(path, read_only=True) as one, attached(second, read_only=True) as other:
        assert (one.execute("FROM things").fetchall(), other.execute("FROM things").fetchall()) == ([(5,)], [(6,)])


def test_a_duckdb_that_gave_up_is_replaced(path: Path) -> None:
    with attached(path, read_only=True) as bystander:
        with pytest.raises(duckdb.FatalException), attached(path, read_only=True):
            raise duckdb.FatalException("the database has been invalidated")
        with attached(path, read_only=True) as con:
            assert con.execute("FROM things").fetchall() == [(5,)]
        assert bystander.execute("FROM things").fetchall() == [(5,)]
    with attached(path, read_only=False) as con:
        con.execute("INSERT INTO things VALUES (6)")


def test_a_file_may_be_let_go_of_while_another_is_being_attached(path: Path) -> None:
    """The interpreter closes an iterator that nobody has any more whenever it likes, in whatever thread is at work."""

    def reading() -> Generator[object]:
        with attached(path, read_only=True) as con:
            yield con

    def close() -> None:
        with attaching._attaching._lock:
            iterator.close()

    iterator = reading()
    next(iterator)
    closing = threading.Thread(target=close, daemon=True)
    closing.start()
    closing.join(timeout=20)
    assert not closing.is_alive()
    assert written_by_another(path) == "written"


def test_a_forked_process_has_a_duckdb_of_its_own(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKS, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ},
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[(5,)]", "7 [(5,)]"] * 2
