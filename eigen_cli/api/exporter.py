"""Exporters: a generation written in somebody else's format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import BinaryIO, ClassVar

from eigen_cli.api.store import Store


@dataclass(frozen=True)
class ExportReport:
    """How many rows were written and what the format could not say."""

    rows: int
    dropped: int = 0
    losses: tuple[str, ...] = field(default_factory=tuple)


class Exporter(ABC):
    """Base class of exporter plugins; streams, never holds a generation in memory."""

    name: ClassVar[str]

    @abstractmethod
    def write(self, store: Store, generation: str, out: BinaryIO) -> ExportReport:
        """Write one generation to a binary stream."""
