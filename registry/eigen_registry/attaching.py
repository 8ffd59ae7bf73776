"""The DuckDB of this process, to which files are attached for as long as somebody uses them.

Starting a DuckDB takes 40 ms of CPU, attaching a file to one that runs 2. And only who knows of every use of a file can
keep its lock: a process loses its locks on a file when it closes any of several descriptors of it.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import secrets
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

MEMORY = "256MB"
"""DuckDB would fill most of the machine's memory with what it has read."""


def quoted(path: str | Path) -> str:
    """Return a path as SQL has it; ATTACH takes no parameters."""
    return "'" + str(path).replace("'", "''") + "'"


@dataclass
class _File:
    """An attached file: of which DuckDB, under which name, for how many users."""

    path: str
    root: duckdb.DuckDBPyConnection
    name: str
    read_only: bool
    users: int = 0


class _Attaching:
    """A DuckDB that is started when it is first needed, and what is attached to it."""

    def __init__(self) -> None:
        # Whoever lets go of an iterator lets go of a file, and the interpreter may do that for anybody at any moment.
        self._lock = threading.RLock()
        self._root: duckdb.DuckDBPyConnection | None = None
        self._files: dict[str, _File] = {}
        self._numbers = itertools.count()

    @contextlib.contextmanager
    def attached(self, path: Path, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        file = self._taken(os.path.realpath(path), read_only=read_only)
        try:
            with contextlib.closing(file.root.cursor()) as con:
                con.execute(f"USE {file.name}")
                yield con
        except (duckdb.FatalException, duckdb.InternalException):
            # It takes nothing more after these, from nobody.
            self.forget(file.root)
            raise
        finally:
            self._given_back(file)

    def forget(self, root: duckdb.DuckDBPyConnection) -> None:
        """Start another DuckDB next time, unless this one was forgotten before."""
        with self._lock:
            if root is self._root:
                self._root, self._files = None, {}

    def rest(self) -> None:
        """Stop the DuckDB unless somebody uses it, so that a process forked from this one inherits none."""
        with self._lock:
            if self._root is not None and not self._files:
                self._root.close()
                self._root = None

    def begin_anew(self) -> None:
        """Leave alone what a forked process has of a DuckDB in use: its threads are not there."""
        self._inherited = self._root
        self._lock, self._root, self._files = threading.RLock(), None, {}

    def _taken(self, path: str, *, read_only: bool) -> _File:
        with self._lock:
            file = self._files.get(path)
            if file is None or not (read_only and file.read_only):  # DuckDB refuses what is in use otherwise
                file = self._attach(path, read_only=read_only)
                self._files[path] = file
            file.users += 1
            return file

    def _attach(self, path: str, *, read_only: bool) -> _File:
        if self._root is None:
            # A folder that DuckDB makes when it needs one, and deletes; nobody else can have it ready.
            spilled = Path(tempfile.gettempdir()) / f"eigen-{secrets.token_hex(8)}"
            self._root = duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": str(spilled)})
        file = _File(path, self._root, f"file_{next(self._numbers)}", read_only)
        how = "READ_ONLY" if read_only else "READ_WRITE"
        self._root.execute(f"ATTACH {quoted(path)} AS {file.name} ({how})")
        return file

    def _given_back(self, file: _File) -> None:
        with self._lock:
            file.users -= 1
            if file.users:
                return
            if self._files.get(file.path) is file:
                del self._files[file.path]
            # One that gave up may refuse this too; the file is closed with it.
            with contextlib.nullcontext() if file.root is self._root else contextlib.suppress(duckdb.Error):
                file.root.execute(f"DETACH {file.name}")


_attaching = _Attaching()
attached = _attaching.attached
"""Yield a connection whose tables are those of a DuckDB file, and let go of the file when its last user has.

Any number may read a file at once, or one write it; otherwise raises `duckdb.Error`, see `refusals.is_busy`.
"""

atexit.register(_attaching.rest)
os.register_at_fork(before=_attaching.rest, after_in_child=_attaching.begin_anew)
