"""Writing an export: to a file that appears when it is whole, to a device, or to stdout."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource
from eigen_cli.api.generations import Generation
from eigen_cli.api.samples import SampleKind
from eigen_cli.console import Console


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
    """
    companion = ""
    target = Path(output).resolve()
    if output == "-":
        report = _streamed(exporter, source, kind, strict=strict, opened=console.binary)
    elif target.exists() and not target.is_file():  # a device or a pipe
        report = _streamed(exporter, source, kind, strict=strict, opened=lambda: _opened(target, output))
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
    if beside == target:
        raise ConfigError(f"{exporter.name} describes its files in {beside.name}", hint="give the rows another name")
    with _partial(target, path) as (partial, out):
        with out:
            report = exporter.write(source, kind, out)
        if strict and report.losses:
            return report, ""
        if beside is None:
            partial.replace(target)
            return report, ""
        shown = str(Path(path).with_name(beside.name))
        text = exporter.companion_text(kind, target.name, beside.read_bytes() if beside.exists() else None)
        with _partial(beside, shown) as (companion, words):
            with words:
                words.write(text)
            partial.replace(target)
            companion.replace(beside)
    return report, shown


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


def _opened(target: Path, path: str) -> BinaryIO:
    """Open a file to write; raise `ConfigError` that names the path as it was given, whatever is wrong with it."""
    try:
        return target.open("wb")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if not target.parent.is_dir():
            reason = f"there is no folder {Path(path).parent}"
        raise ConfigError(
            f"{path} cannot be written: {reason}", hint="name a file in a folder that exists and may be written to"
        ) from error
