"""Looking into sealed generations without reading them: pages of light rows, words found, and what changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from eigen_cli.api.episodes import StopReason
from eigen_cli.api.generations import Generation
from eigen_cli.api.tasks import Split
from eigen_cli.api.verdicts import BlameParty

TaskOrder = Literal["ordinal", "difficulty", "pass_rate"]
EpisodeOrder = Literal["ordinal", "reward", "turns"]


class TaskFilter(msgspec.Struct, frozen=True):
    """Which tasks of a generation to list; what is None or empty filters nothing."""

    domain: str | None = None
    split: Split | None = None
    template: str | None = None
    clause: str | None = None
    tool: str | None = None
    """A tool its gold calls."""
    difficulty: int | None = None
    order: TaskOrder = "ordinal"
    descending: bool = False


class TaskRow(msgspec.Struct, frozen=True):
    """A task in a list."""

    ordinal: int
    id: str
    domain: str
    family: str
    split: Split
    plan: str
    template: str
    difficulty: int
    reason: str
    """The scenario's, in its first words."""
    trials: int
    """Trials that have a reward."""
    passed: int


class EpisodeFilter(msgspec.Struct, frozen=True):
    """Which episodes of a generation to list; what is None filters nothing."""

    task: str | None = None
    tasks: TaskFilter | None = None
    """Only those of tasks that this lets through; its order says nothing."""
    passed: bool | None = None
    blame: BlameParty | None = None
    stop: StopReason | None = None
    order: EpisodeOrder = "ordinal"
    descending: bool = False


class EpisodeRow(msgspec.Struct, frozen=True):
    """An episode in a list."""

    ordinal: int
    id: str
    task: str
    trial: int
    stop: StopReason
    reward: float | None
    passed: bool
    blame: BlameParty | None
    turns: int
    """Completions of both sides."""


class Found(msgspec.Struct, frozen=True):
    """A place where the words of a search stand."""

    kind: Literal["task", "episode"]
    id: str
    task: str
    excerpt: str
    """The words and what stands around them, on one line."""


class ContentChange(msgspec.Struct, frozen=True):
    """A task that one generation has and another has not, or that both have and that differs."""

    kind: Literal["added", "dropped", "changed"]
    id: str
    domain: str
    template: str
    fields: tuple[str, ...] = ()
    """What differs, by the names of the task's fields."""


class TaskChanges(msgspec.Struct, frozen=True):
    """How the tasks of two generations differ: counts of all, and the first of them."""

    same: int
    added: int
    dropped: int
    changed: int
    first: tuple[ContentChange, ...] = ()


class TrialCount(msgspec.Struct, frozen=True):
    """How many tasks of a domain have so many trials with a reward, so many of which passed."""

    domain: str
    trials: int
    passed: int
    tasks: int


class Outline(msgspec.Struct, frozen=True):
    """What a generation's tasks touch, by name, and how their trials went, by count. Names are sorted."""

    tools: Mapping[str, tuple[str, ...]]
    """The tools gold calls, by domain."""
    tool_pairs: Mapping[str, tuple[tuple[str, str], ...]]
    """Two tools following each other in one task's gold, by domain."""
    clauses: Mapping[str, tuple[str, ...]]
    """By domain."""
    trials: tuple[TrialCount, ...]
    stops: Mapping[str, int]
    """Episodes by how they ended."""


class Push(msgspec.Struct, frozen=True):
    """A generation that was pushed to the Hub."""

    hash: str
    repo: str
    tag: str
    commit: str
    pushed_at: float
    """Unix seconds."""


class Sealed(msgspec.Struct, frozen=True):
    """What the catalogue calls something that was sealed, be it readable or not."""

    kind: Literal["generation", "evaluation"]
    id: str
    hash: str


class Damaged(msgspec.Struct, frozen=True):
    """A generation whose row in the catalogue cannot be read or is not what was sealed."""

    id: str
    hash: str
    why: str
    """A sentence that names it."""


class Listing(msgspec.Struct, frozen=True):
    """What a registry's catalogue says of its generations."""

    generations: list[Generation]
    """In the order of their ids; all but the damaged ones."""
    tags: dict[str, str]
    """The hash each tag names, by tag; `latest`, which is automatic, is not among them."""
    pushes: list[Push]
    """Oldest first."""
    damaged: tuple[Damaged, ...] = ()
    """In the order of their ids."""

    @property
    def latest(self) -> str | None:
        """The hash that `latest` names: that of the newest generation, damaged or not; None where there is none."""
        newest = [(len(one.id), one.id, one.hash) for one in self.generations[-1:]]
        newest += [(len(one.id), one.id, one.hash) for one in self.damaged[-1:]]
        return max(newest)[-1] if newest else None
