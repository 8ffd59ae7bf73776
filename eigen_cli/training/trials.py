"""The trials of each task: tasks and episodes of a generation, or what is counted of them, read side by side."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from eigen_cli.api.browsing import TaskFilter, TaskRow
from eigen_cli.api.errors import RegistryError
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task

_PAGE = 10_000
"""Rows of tasks held at a time."""


class Trials(NamedTuple):
    """How often a task was tried to an end, and how often it was passed."""

    judged: int
    passed: int

    @property
    def rate(self) -> float | None:
        """The pass rate, or None where no trial has a reward."""
        return self.passed / self.judged if self.judged else None


class CountedTask(NamedTuple):
    """A task and what became of its trials."""

    task: Task
    trials: Trials


class TriedTask(NamedTuple):
    """A task with its episodes in trial order."""

    task: Task
    records: tuple[EpisodeRecord, ...]

    @property
    def trials(self) -> Trials:
        """What became of them."""
        judged = sum(record.verdict.reward is not None for record in self.records)
        return Trials(judged, sum(record.verdict.passed for record in self.records))


def counted_tasks(store: Store, ref: str) -> Iterator[CountedTask]:
    """Iterate over a generation's tasks and what became of them, without reading any episode."""
    for task, row in zip(store.tasks(ref), _rows(store, ref), strict=True):
        if task.id != row.id:
            raise _disorder(ref, f"the list of tasks has {row.id} where {task.id} stands")
        yield CountedTask(task, Trials(row.trials, row.passed))


def _rows(store: Store, ref: str) -> Iterator[TaskRow]:
    offset = 0
    while rows := store.task_rows(ref, TaskFilter(), limit=_PAGE, offset=offset):
        yield from rows
        offset += len(rows)


def tried_tasks(store: Store, ref: str) -> Iterator[TriedTask]:
    """Iterate over a generation's tasks, each with its episodes; both come in one order, so one task's are held.

    Raises `RegistryError` where they do not.
    """
    groups = groupby(store.episodes(ref), key=lambda record: record.episode.task)
    ahead = next(groups, None)
    for task in store.tasks(ref):
        records: tuple[EpisodeRecord, ...] = ()
        if ahead is not None and ahead[0] == task.id:
            records = tuple(ahead[1])
            ahead = next(groups, None)
        yield TriedTask(task, records)
    if ahead is not None:
        raise _disorder(ref, f"the episodes of {ahead[0]} do not stand in the order of the tasks")


def _disorder(ref: str, what: str) -> RegistryError:
    return RegistryError(f"{ref}: {what}", hint="`eigen verify-registry` says what is damaged")
