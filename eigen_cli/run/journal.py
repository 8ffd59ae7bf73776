"""The call journal of one run: an append-only file from which a killed run resumes.

A file is a header (magic, format version, PID of the last writer) and frames (length, CRC-32, body); integers are
little-endian. A frame's body is one `Entry` in MessagePack. Nothing is ever rewritten, so the first frame that does
not check is the torn tail of a killed writer: readers stop there, the next writer cuts it off.

An entry is acknowledged, and its reply usable, once the kernel has the whole frame: it then survives the death of
the process. One thread makes it survive the death of the machine, at most `SYNC_WITHIN` seconds later.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NoReturn

import msgspec

from eigen_cli.api.errors import RegistryError

MAGIC = b"EIGENJNL"
VERSION = 1
CALL = "call"
"""The kind of entry that `append` writes and `lookup` finds; notes have kinds of their own."""
SYNC_WITHIN = 0.1
_GATHER = SYNC_WITHIN / 2
"""Seconds the syncing thread lets writes gather; the other half is left for an fsync already under way."""

_HEADER = struct.Struct("<8sII")
_FRAME = struct.Struct("<II")


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """One acknowledged fact: a call's reply, or a note of the run about itself."""

    kind: str
    key: str
    fingerprint: str
    payload: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Entry).decode


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
        self._end = _HEADER.size
        with open(file, "rb", closefd=False) as stream:
            stream.seek(_HEADER.size)
            for entry, offset, end in _frames(stream):
                self._remember(entry, offset)
                self._end = end
        os.ftruncate(file, self._end)
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
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            _refuse(path, "cannot be opened", error)
        try:
            _claim(path, file)
            return cls(path, file)
        except OSError as error:
            os.close(file)
            _refuse(path, "cannot be opened", error)
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

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Iterate over key and payload of the notes of a kind, oldest first."""
        for offset in tuple(self._notes.get(kind, ())):
            entry = self._read(offset)
            yield entry.key, entry.payload

    def close(self) -> None:
        """Sync, stop the syncing thread and let go of the lock. Closing twice is harmless."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._closing.set()
        self._dirty.set()
        self._syncer.join()
        os.close(self._file)
        self._check_synced()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, entry: Entry) -> None:
        body = _encode(entry)
        frame = memoryview(_FRAME.pack(len(body), zlib.crc32(body)) + body)
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
                _refuse(self.path, "cannot be written", error)
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
            length, checksum = _FRAME.unpack(os.pread(self._file, _FRAME.size, offset))
            body = os.pread(self._file, length, offset + _FRAME.size)
        except (OSError, struct.error) as error:
            raise RegistryError(f"the journal {self.path} cannot be read: {error}") from error
        if zlib.crc32(body) != checksum:
            raise RegistryError(
                f"the journal {self.path} was changed by something else while in use",
                hint="run the command again: calls whose replies are gone are made again",
            )
        return _decode(body)

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

    Ends at the first frame that is not whole. A journal that does not exist yet has no entries.
    """
    try:
        with path.open("rb") as stream:
            if _header_is_whole(path, stream.read(_HEADER.size)):
                for entry, _, _ in _frames(stream):
                    yield entry
    except FileNotFoundError:
        return
    except OSError as error:
        _refuse(path, "cannot be read", error)


def _frames(stream: BinaryIO) -> Iterator[tuple[Entry, int, int]]:
    """Yield each whole entry with the offsets at which its frame starts and ends."""
    start, size = stream.tell(), 0
    while len(head := stream.read(_FRAME.size)) == _FRAME.size:
        length, checksum = _FRAME.unpack(head)
        end = start + _FRAME.size + length
        # A damaged length may claim gigabytes: compare before making room for them.
        if end > size and end > (size := os.fstat(stream.fileno()).st_size):
            return
        body = stream.read(length)
        if zlib.crc32(body) != checksum:
            return
        try:
            entry = _decode(body)
        except msgspec.MsgspecError:
            # Zeros, with which a crash may leave a file grown, are the length and the CRC-32 of an empty body.
            return
        yield entry, start, end
        start = end


def _claim(path: Path, file: int) -> None:
    """Lock the file for this process and write its PID into the header, making the header if the file is new."""
    header = os.pread(file, _HEADER.size, 0)
    whole = _header_is_whole(path, header)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = f"process {_HEADER.unpack(header)[2]}" if whole else "another process"
        raise RegistryError(
            f"this run is already being written by {holder} (journal {path})",
            hint="wait for that process or stop it, then run the same command: it resumes where the other left off",
        ) from error
    os.pwrite(file, _HEADER.pack(MAGIC, VERSION, os.getpid()), 0)


def _header_is_whole(path: Path, header: bytes) -> bool:
    """Tell a journal's header from that of a writer killed while making one; raise when it is neither."""
    if len(header) < _HEADER.size and _HEADER.pack(MAGIC, VERSION, 0).startswith(header[: len(MAGIC)]):
        return False
    magic, version, _ = _HEADER.unpack(header) if len(header) == _HEADER.size else (b"", 0, 0)
    if magic != MAGIC:
        raise RegistryError(
            f"{path} is not an eigen journal", hint="move it away, or name another folder with --registry"
        )
    if version != VERSION:
        raise RegistryError(
            f"the journal {path} has format {version}; this eigen reads format {VERSION}",
            hint="use the eigen that wrote it, or start anew with --fresh",
        )
    return True


def _refuse(path: Path, what: str, error: OSError) -> NoReturn:
    raise RegistryError(
        f"the journal {path} {what}: {error.strerror or error}",
        hint="free some space or fix the folder's permissions, then run the same command: nothing recorded is lost",
    ) from error
