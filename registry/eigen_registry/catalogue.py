"""The catalogue, `registry.duckdb`, opened for moments at a time: the only module that opens it.

It holds a row for everything sealed, tags and pushes. DuckDB lets one process write or many read, never both. So nobody
keeps the file open: reading and writing take milliseconds, and whoever finds the file taken tries again until its
patience ends.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb

from eigen_cli.api.errors import RegistryError
from eigen_registry import refusals
from eigen_registry.attaching import attached, quoted
from eigen_registry.migrate import known_steps, migrate, schema_version

_LOG_BEGINS = b"\x64\x00\x62"
"""What DuckDB begins a write-ahead log with: field 100, its kind of entry, is 98, the log's version."""
_one_writer = threading.Lock()
"""Between processes DuckDB itself lets only one write; threads of one process would share its connection's rights."""


class Catalogue:
    """The DuckDB file that names everything in a registry."""

    def __init__(self, path: Path, *, patience: float) -> None:
        """`patience`: seconds to wait for whoever holds the file."""
        self.path = path
        self._log = path.with_name(path.name + ".wal")
        self._patience = patience

    def exists(self) -> bool:
        """Tell whether anything was ever sealed here; raise where the files in its place are not a registry's."""
        with self.explained():
            folder = self.path.parent
            if folder.exists() and not folder.is_dir():
                raise RegistryError(f"{folder} is not a folder", hint="name another one with --registry")
            # The log first: it is made after the file, so that a registry just being made is no stray log.
            stray = _is_there(self._log)
            if _is_there(self.path):
                self._check_log()
                return True
            if stray:
                raise refusals.stray_log(self.path, self._log)
            return False

    @contextlib.contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open for reading, beside any number of other readers; an older registry is brought up to date first."""
        if not self.exists():
            raise refusals.missing(self.path.parent)
        with self.explained():
            with self._opened(read_only=True) as con:
                if not self._is_behind(con):
                    yield con
                    return
            with self.writing():
                pass
            with self._opened(read_only=True) as con:
                yield con

    @contextlib.contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open for writing, alone, making the registry if there is none."""
        with _one_writer, self.explained():
            if not self.exists():
                self._create()
            with self._opened(read_only=False) as con:
                if not self._is_behind(con):
                    yield con
                    return
                migrate(con, known_steps())
                self._shrink(con)
            with self._opened(read_only=False) as con:
                yield con

    @contextlib.contextmanager
    def _opened(self, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the file when whoever holds it lets go of it."""
        with contextlib.ExitStack() as stack:

            def opened() -> duckdb.DuckDBPyConnection:
                return stack.enter_context(attached(self.path, read_only=read_only))

            try:
                con = opened()
            except duckdb.Error as error:
                if not _is_busy(error):
                    raise
                con = self._patiently(opened)
            yield con

    def _patiently(self, opened: Callable[[], duckdb.DuckDBPyConnection]) -> duckdb.DuckDBPyConnection:
        """Try again and again to open the file, until whoever holds it lets go or patience ends."""
        import tenacity  # 10 ms, and few ever wait

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_is_busy),
            wait=tenacity.wait_random(0.01, 0.1),
            stop=tenacity.stop_after_delay(self._patience),
            reraise=True,
        )
        return retrying(opened)

    def _check_log(self) -> None:
        """Refuse a log that DuckDB would take for none. One cut short, or all zeros, was never committed."""
        try:
            with self._log.open("rb") as stream:
                begins = stream.read(len(_LOG_BEGINS))
        except FileNotFoundError:
            return
        if any(begins) and not _LOG_BEGINS.startswith(begins):
            raise refusals.not_a_log(self._log)

    def _is_behind(self, con: duckdb.DuckDBPyConnection) -> bool:
        """Tell whether migrations are due; raise if this eigen cannot read the file at all."""
        found, known = schema_version(con), known_steps()[-1].version
        if found == 0:
            raise refusals.not_a_registry(self.path)
        if found > known:
            raise refusals.newer(self.path, found, known=known)
        return found < known

    def _create(self) -> None:
        """Make an empty registry elsewhere and put it in place whole, so that no one ever meets half of one.

        Of two processes doing so at once, one wins and the other uses the winner's.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".creating-", dir=self.path.parent) as place:
            fresh = Path(place) / self.path.name
            with attached(fresh, read_only=False) as con:
                migrate(con, known_steps())
            try:
                os.link(fresh, self.path)
            except FileExistsError:
                pass
            except OSError:
                # A file system without hard links; the name was free a moment ago.
                fresh.rename(self.path)

    def _shrink(self, con: duckdb.DuckDBPyConnection) -> None:
        """Put a copy in the catalogue's place: a DuckDB file keeps the blocks of what was moved out of it.

        Nobody else has the file open, and whoever opens it from now on gets the copy.
        """
        ((name,),) = con.execute("SELECT current_database()").fetchall()
        with tempfile.TemporaryDirectory(prefix=".creating-", dir=self.path.parent) as place:
            fresh = Path(place) / self.path.name
            con.execute(f"ATTACH {quoted(fresh)} AS fresh")
            con.execute(f'COPY FROM DATABASE "{name}" TO fresh')
            con.execute("DETACH fresh")
            fresh.replace(self.path)

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Turn what DuckDB and the system raise into one line and a hint."""
        try:
            yield
        except (duckdb.Error, OSError) as error:
            raise refusals.explain(self.path, error) from error


def _is_busy(error: BaseException) -> bool:
    return isinstance(error, duckdb.Error) and refusals.is_busy(str(error))


def _is_there(path: Path) -> bool:
    """Tell whether there is a file; raise for anything else, which opening might wait for without end."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise refusals.not_a_file(path)
    return True
