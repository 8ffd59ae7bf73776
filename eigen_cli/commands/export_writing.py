"""Writing an export: to a file that appears when it is whole, to a device, or to stdout."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource
from eigen_cli.api.generations import Generation
from eigen_cli.api.samples import SampleKind
from eigen_cli.console import Console

_ORDINARY = "name a file in a folder that exists and may be written to"
_DUCKDB, _DUCKDB_AT = b"DUCK", 8
"""What every DuckDB file has near its beginning, and where."""


@dataclass(frozen=True)
class Exported:
    """What came of an export."""

    generation: Generation
    format: str
    kind: SampleKind
    output: str
    """The file as the user named it; `-` is stdout."""
    report: ExportReport
    refused: bool
    """Whether it was held back because something was lost."""
    companion: str = ""
    """The file written beside it, if any."""


def write_export(
    console: Console, exporter: Exporter, source: ExportSource, kind: SampleKind, *, output: str, strict: bool
) -> Exported:
    """Write the rows of a kind and, beside a file, the format's companion.

    A file, and its companion, appear or change only when everything is written. With `strict` nothing is written
    where something is lost, on stdout neither: the rows are then held in a temporary file until that is known.

    Raises `ConfigError` before anything is written where the rows or the companion cannot go: over a folder, a device
    that is no stream, a pipe that nobody reads, a DuckDB file.
    """
    companion = ""
    if output == "-":
        report = _streamed(exporter, source, kind, strict=strict, opened=console.binary)
    elif _is_stream(output):
        with _opened_stream(output) as out:
            report = _streamed(exporter, source, kind, strict=strict, opened=lambda: nullcontext(out))
    else:
        report, companion = _filed(exporter, source, kind, path=output, strict=strict)
    refused = strict and bool(report.losses)
    return Exported(source.generation, exporter.name, kind, output, report, refused, companion)


def _streamed(
    exporter: Exporter,
    source: ExportSource,
    kind: SampleKind,
    *,
    strict: bool,
    opened: Callable[[], AbstractContextManager[BinaryIO]],
) -> ExportReport:
    if not strict:
        with opened() as out:
            return exporter.write(source, kind, out)
    with TemporaryFile() as held:
        report = exporter.write(source, kind, held)
        if not report.losses:
            held.seek(0)
            with opened() as out:
                shutil.copyfileobj(held, out)
    return report


def _filed(
    exporter: Exporter, source: ExportSource, kind: SampleKind, *, path: str, strict: bool
) -> tuple[ExportReport, str]:
    """Write a file and its companion beside it; return the report and the companion's path."""
    target = Path(path).resolve()
    beside = target.with_name(exporter.companion) if exporter.companion else None
    shown = str(Path(path).with_name(beside.name)) if beside else ""
    _refuse_database(target, path)
    if beside is not None:
        if beside == target:
            raise ConfigError(
                f"{exporter.name} describes its files in {beside.name}", hint="give the rows another name"
            )
        _refuse_no_file(beside, shown)
        _refuse_database(beside, shown)
    with _partial(target, path) as (partial, out):
        with out:
            report = exporter.write(source, kind, out)
        if strict and report.losses:
            return report, ""
        if beside is None:
            partial.replace(target)
            return report, ""
        with _locked(beside.parent):
            text = exporter.companion_text(kind, target.name, beside.read_bytes() if beside.exists() else None)
            with _partial(beside, shown) as (companion, words):
                with words:
                    words.write(text)
                partial.replace(target)
                companion.replace(beside)
    return report, shown


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock for moments, so that two exports into it do not both add to one companion.

    The folder itself is locked: a lock file would have to be left lying among the user's.
    """
    held = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without such locks
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _is_stream(path: str) -> bool:
    """Tell whether what lies at a path takes rows as they come: a pipe, a terminal, `/dev/null`.

    The path is taken as it was given: `/dev/fd/63`, as shells name pipes, leads to nothing when it is resolved.
    """
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False  # opening it says what is wrong
    if stat.S_ISDIR(mode):
        raise ConfigError(f"{path} cannot be written: is a directory", hint=_ORDINARY)
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise ConfigError(f"{path} cannot be written: it is a disk or a socket", hint=_ORDINARY)
    return not stat.S_ISREG(mode)


def _refuse_no_file(beside: Path, shown: str) -> None:
    """Raise `ConfigError` where something else than a file lies in a companion's place; reading a pipe would hang."""
    if beside.exists() and not beside.is_file():
        what = "a folder" if beside.is_dir() else "a pipe or device"
        raise ConfigError(
            f"{shown} belongs to what is exported, and {what} is there", hint="move it away, or name another folder"
        )


def _refuse_database(target: Path, shown: str) -> None:
    """Raise `ConfigError` where a DuckDB file would be written over, or its log: it may be any registry's."""
    for file in (target, target.with_suffix("")) if target.suffix == ".wal" else (target,):
        try:
            with file.open("rb") as stream:
                begins = stream.read(_DUCKDB_AT + len(_DUCKDB))
        except FileNotFoundError:
            continue
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise ConfigError(f"{shown} cannot be written: {reason}", hint=_ORDINARY) from error
        if begins[_DUCKDB_AT:] == _DUCKDB:
            what = "is a DuckDB file" if file == target else "belongs to a DuckDB file"
            raise ConfigError(
                f"{shown} {what}, maybe a registry's, and is not written over",
                hint="name another file, or move that one away",
            )


@contextmanager
def _partial(target: Path, path: str) -> Iterator[tuple[Path, BinaryIO]]:
    """Open a file of another name beside a target, which takes its place or is gone in the end."""
    partial = target.with_name(f"{target.name}.partial-{os.getpid()}")
    out = _opened(partial, path)
    try:
        yield partial, out
    finally:
        out.close()
        partial.unlink(missing_ok=True)


def _opened_stream(path: str) -> BinaryIO:
    """Open a pipe or a device to write; raise `ConfigError` for a pipe that nobody reads, which would wait for ever."""
    try:
        opened = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        reason = "nobody reads from it" if error.errno == errno.ENXIO else (error.strerror or str(error)).lower()
        raise ConfigError(
            f"{path} cannot be written: {reason}", hint=f"start its reader first, or {_ORDINARY}"
        ) from error
    os.set_blocking(opened, True)
    return os.fdopen(opened, "wb")


def _opened(target: Path, path: str) -> BinaryIO:
    """Open a file to write; raise `ConfigError` that names the path as it was given, whatever is wrong with it."""
    try:
        return target.open("wb")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if not target.parent.is_dir():
            reason = f"there is no folder {Path(path).parent}"
        raise ConfigError(f"{path} cannot be written: {reason}", hint=_ORDINARY) from error
