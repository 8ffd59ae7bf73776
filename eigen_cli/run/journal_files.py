"""Journals as files: opened without ever blocking, locked, mended, renamed out of the way."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from eigen_cli.api.errors import RegistryError
from eigen_cli.run.frames import ELSEWHERE, HEADER, MAGIC

_PIECE = 1 << 20
_BESIDE = ".mending"


def opened(path: Path, flags: int) -> int:
    """Open a journal's file; `FileNotFoundError` is the caller's, all else that goes wrong is a `RegistryError`."""
    try:
        # A pipe, opened for reading, would otherwise wait for someone to write into it.
        file = os.open(path, flags | os.O_NONBLOCK, 0o644)
    except FileNotFoundError:
        raise
    except OSError as error:
        with contextlib.suppress(OSError):
            _check_kind(path, path.stat().st_mode)
        refuse(path, "cannot be opened", error)
    try:
        _check_kind(path, os.fstat(file).st_mode)
    except RegistryError:
        os.close(file)
        raise
    return file


def hold(path: Path, *, create: bool = False) -> int:
    """Open a journal and lock it for this process; raise `RegistryError` where another one has it.

    What was opened may be renamed before it is locked: it is opened again until the two are one.
    """
    while True:
        try:
            file = opened(path, os.O_RDWR | (os.O_CREAT if create else 0))
        except FileNotFoundError as error:
            refuse(path, "cannot be opened", error)
        try:
            _lock(path, file)
            if names(path, file):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def names(path: Path, file: int) -> bool:
    """Tell whether a path still names an open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except OSError:
        return False


def rename_held(path: Path, ending: str) -> Path:
    """Rename a journal that no one writes to `NAME.N` and an ending, N being the first that is free."""
    file = hold(path)
    try:
        aside = _free(path.with_suffix(""), ending)
        path.rename(aside)
    except OSError as error:
        refuse(path, "cannot be renamed", error)
    finally:
        os.close(file)
    return aside


def mend(path: Path, file: int, damaged: Sequence[tuple[int, int]], *, end: int) -> Path:
    """Put a journal without its damaged stretches in place of a locked one and return where that one is now.

    The descriptor names the new file afterwards, and holds its lock. Until the new one is whole and on disk the old
    one stays as it is.
    """
    beside = path.with_name(path.name + _BESIDE)
    fresh = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        fcntl.flock(fresh, fcntl.LOCK_EX | fcntl.LOCK_NB)
        starts = [0, *(stop for _, stop in damaged)]
        stops = [*(start for start, _ in damaged), end]
        for start, stop in zip(starts, stops, strict=True):
            _copy(file, fresh, start, stop)
        os.fsync(fresh)
        aside = _free(path, ".damaged")
        try:
            os.link(path, aside)
        except OSError:  # A file system without hard links.
            shutil.copyfile(path, aside)
        beside.replace(path)
        os.dup2(fresh, file, inheritable=False)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    finally:
        os.close(fresh)
    return aside


def refuse(path: Path, what: str, error: OSError) -> NoReturn:
    """Raise what an error of the system means for a journal."""
    raise RegistryError(
        f"the journal {path} {what}: {error.strerror or error}",
        hint="free some space or fix the folder's permissions, then run the same command: nothing recorded is lost",
    ) from error


def _lock(path: Path, file: int) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        header = os.pread(file, HEADER.size, 0)
        whole = len(header) == HEADER.size and header.startswith(MAGIC)
        holder = f"process {HEADER.unpack(header)[2]}" if whole else "another process"
        raise RegistryError(
            f"this run is already being written by {holder} (journal {path})",
            hint="wait for that process or stop it, then run the same command: it resumes where the other left off",
        ) from error
    except OSError as error:
        refuse(path, "cannot be locked", error)


def _check_kind(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = "directory" if stat.S_ISDIR(mode) else "pipe" if stat.S_ISFIFO(mode) else "device or socket"
        raise RegistryError(f"{path} is a {kind}, where a journal should be", hint=ELSEWHERE)


def _free(path: Path, ending: str) -> Path:
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.{number}{ending}")):
        number += 1
    return aside


def _copy(source: int, target: int, start: int, stop: int) -> None:
    """Append a stretch of one file to another."""
    while start < stop:
        piece = os.pread(source, min(_PIECE, stop - start), start)
        if not piece:
            raise OSError(errno.EIO, "it became shorter while it was read")
        start += len(piece)
        while piece:
            piece = piece[os.write(target, piece) :]


def set_aside(path: Path) -> None:
    """Rename a journal out of the way; its replies stay readable. Raises `RegistryError` while a run writes it."""
    if os.path.lexists(path):
        rename_held(path, ".old")
