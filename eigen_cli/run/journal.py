"""The call journal of one run: an append-only file from which a killed run resumes.

The first frame that is not whole, with nothing whole after it, is the torn tail of a killed writer: readers stop
there, the next writer cuts it off. Damage before whole frames is no torn tail: it is passed over, and the next writer
keeps the damaged file beside the journal. `eigen_cli.run.frames` has the format.

An entry is acknowledged, and its reply usable, once the kernel has the whole frame: it then survives the death of
the process. One thread makes it survive the death of the machine, at most `SYNC_WITHIN` seconds later.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from eigen_cli.api.errors import RegistryError
from eigen_cli.run.frames import FRAME, HEADER, MAGIC, VERSION, Entry, framed, frames, header_is_whole, unframed
from eigen_cli.run.journal_files import hold, mend, names, opened, refuse

CALL = "call"
"""The kind of entry that `append` writes and `lookup` finds; notes have kinds of their own."""
SYNC_WITHIN = 0.1
_GATHER = SYNC_WITHIN / 2
"""Seconds the syncing thread lets writes gather; the other half is left for an fsync already under way."""


class Journal:
    """The locked writer of a journal, with an index of what it holds.

    Only keys and offsets are kept in memory; payloads are read on demand. Methods may be called from any thread.
    """

    def __init__(self, path: Path, file: int) -> None:
        """Take over an open, locked file; use `Journal.open`."""
        self.path = path
        self._file = file
        self._lock = threading.Lock()
        self._calls: dict[str, int] = {}
        self._notes: dict[str, list[int]] = {}
        self._sync_error: OSError | None = None
        self._closed = False
        self._dirty = threading.Event()
        self._closing = threading.Event()
        self._end = HEADER.size
        damaged = self._index()
        if damaged:
            mend(path, file, damaged, end=self._end)
            self._index()
        else:
            os.ftruncate(file, self._end)
        self.damaged = len(damaged)
        """Damaged stretches that opening found, each at least one entry lost; `mend` kept the file that has them."""
        self._syncer = threading.Thread(target=self._sync_forever, name="journal-sync", daemon=True)
        self._syncer.start()

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Open a journal for writing, creating it (and its folder) if need be, and cut off a torn tail.

        Raises `RegistryError` when another process writes it, when the file is no journal or a newer eigen's, and
        when the disk refuses.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            refuse(path, "cannot be opened", error)
        file = hold(path, create=True)
        try:
            header_is_whole(path, os.pread(file, HEADER.size, 0))
            os.pwrite(file, HEADER.pack(MAGIC, VERSION, os.getpid()), 0)
            return cls(path, file)
        except OSError as error:
            os.close(file)
            refuse(path, "cannot be opened", error)
        except BaseException:
            os.close(file)
            raise

    def lookup(self, key: str, fingerprint: str) -> bytes | None:
        """Return the reply last recorded under a key, or None if there is none or it answered another request."""
        offset = self._calls.get(key)
        if offset is None:
            return None
        entry = self._read(offset)
        return entry.payload if entry.fingerprint == fingerprint else None

    def append(self, key: str, fingerprint: str, payload: bytes) -> None:
        """Record a call's reply; once this returns, killing the process cannot lose it.

        Raises `RegistryError` when the disk refuses; the journal is then as it was before.
        """
        self._write(Entry(CALL, key, fingerprint, payload))

    def note(self, kind: str, key: str, payload: bytes) -> None:
        """Record something else the run must know after a restart; same guarantee as `append`."""
        if kind == CALL:
            raise ValueError(f"{CALL!r} entries are written by append()")
        self._write(Entry(kind, key, "", payload))

    def calls(self) -> Iterator[tuple[str, bytes]]:
        """Iterate over key and payload of every recorded call; of one asked again, only what it was last answered."""
        for key, offset in tuple(self._calls.items()):
            yield key, self._read(offset).payload

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Iterate over key and payload of the notes of a kind, oldest first."""
        for offset in tuple(self._notes.get(kind, ())):
            entry = self._read(offset)
            yield entry.key, entry.payload

    def texts(self, kind: str) -> Iterator[tuple[str, str]]:
        """Iterate over key and payload of notes whose payload is text; raise `RegistryError` where one is not."""
        for key, payload in self.notes(kind):
            try:
                yield key, payload.decode()
            except UnicodeDecodeError as error:
                raise self._unreadable(f"its note {kind!r} is no text") from error

    def close(self) -> None:
        """Sync, stop the syncing thread and let go of the lock. Closing twice is harmless.

        Raises `RegistryError` when not all of it is on disk, or when the file is no longer at its path.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._closing.set()
        self._dirty.set()
        self._syncer.join()
        kept = names(self.path, self._file)
        os.close(self._file)
        self._check_synced()
        if not kept:
            raise RegistryError(
                f"the journal {self.path} was deleted or moved away while this run wrote it",
                hint="what was recorded or sealed since may be gone; put the folder back, or run the command again",
            )

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except RegistryError:
            # One that is under way already says more exactly what went wrong.
            if not isinstance(error, RegistryError):
                raise

    def _index(self) -> list[tuple[int, int]]:
        """Read the file anew and return the damaged stretches between its entries."""
        self._calls.clear()
        self._notes.clear()
        self._end, damaged = HEADER.size, []
        with os.fdopen(self._file, "rb", closefd=False) as stream:
            stream.seek(HEADER.size)
            for entry, start, end in frames(stream):
                if entry is None:
                    damaged.append((start, end))
                else:
                    self._remember(entry, start)
                self._end = end
        return damaged

    def _write(self, entry: Entry) -> None:
        frame = memoryview(framed(entry))
        with self._lock:
            if self._closed:
                raise ValueError(f"the journal {self.path} is closed")
            self._check_synced()
            offset = written = self._end
            try:
                # At an explicit offset, so that whatever a failed write left behind is overwritten by the next one.
                while frame:
                    count = os.pwrite(self._file, frame, written)
                    frame, written = frame[count:], written + count
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, offset)
                refuse(self.path, "cannot be written", error)
            self._end = written
            self._remember(entry, offset)
        if not self._dirty.is_set():
            self._dirty.set()

    def _remember(self, entry: Entry, offset: int) -> None:
        if entry.kind == CALL:
            self._calls[entry.key] = offset
        else:
            self._notes.setdefault(entry.kind, []).append(offset)

    def _read(self, offset: int) -> Entry:
        try:
            head = os.pread(self._file, FRAME.size, offset)
            length = FRAME.unpack(head)[0] if len(head) == FRAME.size else 0
            fits = offset + FRAME.size + length <= self._end
            entry = unframed(head, os.pread(self._file, length, offset + FRAME.size) if fits else b"")
        except OSError as error:
            raise RegistryError(f"the journal {self.path} cannot be read: {error}") from error
        if entry is None:
            raise RegistryError(
                f"the journal {self.path} was changed by something else while in use",
                hint="run the command again: calls whose replies are gone are made again",
            )
        return entry

    def _unreadable(self, why: str) -> RegistryError:
        return RegistryError(
            f"the journal {self.path} cannot be used: {why}",
            hint="it was written by another version, or damaged; --fresh sets the journal aside and starts anew",
        )

    def _sync_forever(self) -> None:
        closing = False
        while not closing:
            self._dirty.wait()
            self._closing.wait(_GATHER)
            self._dirty.clear()
            # Read only now: a close before the clear is seen here, one after it sets `dirty` again.
            closing = self._closing.is_set()
            try:
                os.fsync(self._file)
            except OSError as error:
                # The kernel may have dropped the pages: going on would promise what the disk did not keep.
                self._sync_error = error
                return

    def _check_synced(self) -> None:
        if self._sync_error is not None:
            raise RegistryError(
                f"the journal {self.path} could not be brought to disk: {self._sync_error.strerror}",
                hint="check the disk, then run the same command: replies it did not keep are asked for again",
            ) from self._sync_error


def read_entries(path: Path) -> Iterator[Entry]:
    """Iterate over the entries of a journal, oldest first, taking no lock: a run may be writing it.

    Passes over damaged ones and ends before a torn tail. A journal that does not exist yet has no entries.
    """
    try:
        file = opened(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        with os.fdopen(file, "rb") as stream:
            if header_is_whole(path, stream.read(HEADER.size)):
                for entry, _, _ in frames(stream):
                    if entry is not None:
                        yield entry
    except OSError as error:
        refuse(path, "cannot be read", error)
