"""Verifiers: code that scores a finished episode."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol

from eigen_cli.api.domain import Domain
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Action, Task
from eigen_cli.api.verdicts import Part
from eigen_cli.api.world import WorldView


class EpisodeView(Protocol):
    """A finished episode as verifiers see it."""

    @property
    def messages(self) -> Sequence[Message]:
        """Everything said, called and returned."""

    @property
    def calls(self) -> Sequence[tuple[Action, bool]]:
        """Every call that ran, in order, with whether it succeeded."""

    @property
    def initial(self) -> WorldView:
        """The world at the start."""

    @property
    def final(self) -> WorldView:
        """The world at the end."""

    @property
    def stop(self) -> str:
        """The stop reason."""


class ReplayedCall(Protocol):
    """What one replayed call returned."""

    @property
    def content(self) -> str:
        """Its text."""

    @property
    def error(self) -> bool:
        """Whether it was refused."""


class Replay(Protocol):
    """A list of actions, executed in order; a refused one changes nothing and the next still runs."""

    @property
    def world(self) -> WorldView:
        """The world after the last one."""

    @property
    def outcomes(self) -> Sequence[ReplayedCall]:
        """What each returned."""


class Replayer(Protocol):
    """Gold actions, executed."""

    @property
    def domain(self) -> Domain:
        """The task's domain."""

    def gold_world(self) -> WorldView:
        """Return the world after the gold actions (computed once)."""

    def gold_errors(self) -> Sequence[str]:
        """Return the errors the gold actions met."""

    def initial_world(self) -> WorldView:
        """Return the world the task starts in."""

    def replay(self, actions: Sequence[Action], *, domain: Domain | None = None) -> Replay:
        """Run actions on the task's initial world, with the tools of another domain of the same tables if one is given;
        never cached."""


class Verifier(ABC):
    """Base class of verifier plugins. Stateless and pure; raise `version` whenever a verdict could change."""

    name: ClassVar[str]
    version: ClassVar[str]

    @abstractmethod
    def verify(self, task: Task, episode: EpisodeView, replayer: Replayer) -> Part:
        """Score the episode in [0, 1] with evidence."""
