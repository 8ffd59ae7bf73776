"""What backends say while they work (a server is loading, is lost, is back) reaches the user as notes and warnings."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from eigen_cli.console import Console


class _Remarks(logging.Handler):
    def __init__(self, console: Console) -> None:
        super().__init__(logging.INFO)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        say = self._console.warn if record.levelno >= logging.WARNING else self._console.note
        say(record.getMessage())


@contextmanager
def remarks(console: Console) -> Iterator[None]:
    """Pass on what the loggers under `eigen` say; for the part of a command in which backends run."""
    logger = logging.getLogger("eigen")
    handler, level = _Remarks(console), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
