"""Exporters: a generation written in somebody else's format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Protocol

from eigen_cli.api.generations import EpisodeRecord, Generation
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.samples import ChatSample, RlTask, SampleKind
from eigen_cli.api.tasks import Task


@dataclass(frozen=True)
class Loss:
    """Something a format could not say: of how many rows it is true, and whether they were dropped for it."""

    what: str
    rows: int
    dropped: bool = False


@dataclass(frozen=True)
class ExportReport:
    """How many rows were written and what the format could not say, most rows first."""

    rows: int
    losses: tuple[Loss, ...] = ()

    @property
    def dropped(self) -> int:
        """How many rows were not written."""
        return sum(loss.rows for loss in self.losses if loss.dropped)


class ExportSource(Protocol):
    """A generation and what was selected of it. Every call reads anew, streaming; equal calls give equal samples."""

    @property
    def generation(self) -> Generation:
        """The generation."""

    def chats(self, kind: SampleKind) -> Iterator[ChatSample]:
        """Iterate over the selected dialogues of `agent_sft` or `user_sft`, in task and trial order."""

    def rl_tasks(self) -> Iterator[RlTask]:
        """Iterate over the selected tasks, in the generation's order."""

    def tasks(self) -> Iterator[Task]:
        """Iterate over the same tasks as they are stored: for formats without prompts."""

    def episodes(self) -> Iterator[tuple[Task, EpisodeRecord]]:
        """Iterate over all episodes as they are stored, each with its task, in task and trial order."""

    def plans(self) -> Iterator[PlanRecord]:
        """Iterate over all plans in slot order, rejected children after the used ones."""


class Exporter(ABC):
    """Base class of exporter plugins; streams, never holds a generation in memory."""

    name: ClassVar[str]
    kinds: ClassVar[tuple[SampleKind, ...]]
    """What the format can hold; the first is what is written unless the user names another."""
    training: ClassVar[bool] = True
    """Whether dialogues and tasks are written to be trained on. Then what is usual for the kind is selected, and
    simulated generations are refused unless the user allows them."""
    companion: ClassVar[str] = ""
    """Name of a small file that the format wants beside its rows, if any."""

    @abstractmethod
    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        """Write the rows of one kind to a binary stream, and report what the format could not say."""

    def companion_text(self, kind: SampleKind, file_name: str, existing: bytes | None) -> bytes:
        """Return the companion's content, given the name of the file with the rows and what the companion held before.

        Raises `ConfigError` where that cannot be kept.
        """
        raise NotImplementedError(f"{self.name} names a companion and does not write it")
