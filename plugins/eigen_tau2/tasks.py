"""The tasks a bridged domain comes with: the release's, dealt into its splits, or those of a file."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from eigen_cli.api.canonical import SHORT, content_hash
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.tasks import SkippedTask, Split, Task, TaskSet
from eigen_tau2 import areal
from eigen_tau2.bridged import Bridged
from eigen_tau2.task_files import named, read_rows
from eigen_tau2.task_reader import TaskReader

FILE = "file"
"""The split that holds every task of a task file."""
APART = "file-apart"
"""Those of them that name nobody whom a test task of the release names."""
OVERLAPS = "overlaps"
"""Key of `Task.imported`: the personal ids that an imported task shares with the release's test tasks."""

_replace = msgspec.structs.replace


def read_task_set(domain: Bridged) -> TaskSet:
    """Return a domain's task set. Tasks that cannot be used are in `skipped`, each with what was found.

    Raises `ConfigError` for files that are something else altogether.
    """
    release = _Release(domain)
    if path := domain.options.get("tau2_tasks"):
        return _file_set(release, Path(path).expanduser())
    reader = release.reader

    def read(name: str, row: Any, number: int) -> Task:
        _check_domain(row, domain)
        return reader.task(row, number=number, split=release.split(name))

    tasks, skipped = _collected(named(release.rows), read, where=f"the tau2 data of {domain.folder}")
    skipped += _unknown(release.splits, {task.id for task in tasks} | {item.id for item in skipped})
    return TaskSet(domain.release, tasks, _dealt(release.splits, tasks), skipped)


@dataclass(frozen=True)
class _Release:
    """What a release says of its own tasks, which imported ones are held against."""

    domain: Bridged

    @cached_property
    def rows(self) -> list[Any]:
        return self.domain.files.tasks()

    @cached_property
    def splits(self) -> Mapping[str, tuple[str, ...]]:
        return self.domain.files.splits() or {"base": tuple(name for name, _ in named(self.rows))}

    @cached_property
    def _held_out(self) -> frozenset[str]:
        return frozenset(self.splits.get("test", ()))

    def split(self, task: str) -> Split:
        return "test" if task in self._held_out else "train"

    @cached_property
    def reader(self) -> TaskReader:
        return TaskReader(self.domain, tolerated=lambda: self._gold_texts)

    @cached_property
    def _gold_texts(self) -> frozenset[str]:
        gold = (_part(row, "evaluation_criteria", "actions") for row in self.rows)
        return frozenset(text for actions in gold for text in _texts(actions))

    @cached_property
    def tested(self) -> frozenset[str]:
        """The people, orders and so on that test tasks name."""
        return frozenset[str]().union(*(self.people(row) for name, row in named(self.rows) if name in self._held_out))

    def people(self, row: Any) -> frozenset[str]:
        """The personal ids a task's gold or its user's instructions name."""
        told = (_part(row, "evaluation_criteria", "actions"), _part(row, "user_scenario"))
        return self.reader.ids().named_in("\n".join(text for part in told for text in _texts(part)))


def _file_set(release: _Release, path: Path) -> TaskSet:
    domain, rows = release.domain, read_rows(path)
    databases = areal.Databases(domain, path.parent)
    from_areal = any(isinstance(row, dict) and areal.is_row(row) for row in rows)
    seen: set[str] = set()

    def read(name: str, row: Any, number: int) -> Task:
        if name in seen:
            raise ValueError("another task of the file has this id")
        seen.add(name)
        _check_domain(row, domain)
        if not from_areal:
            return _marked(release.reader.task(row, number=number, split=release.split(name)), release)
        seed, plain = databases.seed(row.get("db_path")), areal.task_of_row(row, domain)
        task = release.reader.task(plain, number=number, split="train", seed=seed)
        kept = {**task.imported, "row": areal.rest_of_row(row)}
        return _marked(_replace(task, id=name, imported=kept), release)

    pairs = zip(areal.unique_ids(rows), rows, strict=True) if from_areal else named(rows)
    tasks, skipped = _collected(pairs, read, where=f"tau2_tasks: {path}")
    ids = tuple(task.id for task in tasks)
    apart = tuple(task.id for task in tasks if OVERLAPS not in task.imported)
    splits = {FILE: ids, APART: apart} | ({} if from_areal else _dealt(release.splits, tasks))
    overlap = f"{len(ids) - len(apart)} of {len(ids)} tasks name ids of test tasks"
    name = f"{path.name} {content_hash(rows)[:SHORT]} on {domain.release}; {overlap}"
    return TaskSet(name, tasks, {split: found for split, found in splits.items() if found}, skipped)


def _marked(task: Task, release: _Release) -> Task:
    shared = release.people(task.imported["task"]) & release.tested
    return _replace(task, imported={**task.imported, OVERLAPS: sorted(shared)}) if shared else task


def _check_domain(row: Any, domain: Bridged) -> None:
    if not isinstance(row, dict):
        raise ValueError("it is null, or no JSON" if row is None else f"it is {row!r:.60}, not an object")
    told = areal.domain_of(row)
    if told is not None and told != domain.folder:
        raise ValueError(f"it is a task of {told!r}, not of {domain.folder!r}")


def _collected(
    rows: Iterable[tuple[str, Any]], read: Callable[[str, Any, int], Task], *, where: str
) -> tuple[tuple[Task, ...], tuple[SkippedTask, ...]]:
    """Read what can be read; raises `ConfigError` where nothing can, with the first reason."""
    tasks, skipped = [], []
    for number, (name, row) in enumerate(rows):
        try:
            tasks.append(read(name, row, number))
        except ValueError as error:
            skipped.append(SkippedTask(name, str(error)))
    if not tasks:
        first = f"; the first ({skipped[0].id}): {skipped[0].why}" if skipped else ""
        raise ConfigError(
            f"{where} holds no task that can be used, of {len(skipped)}{first}",
            hint="each task needs id, user_scenario and evaluation_criteria, and gold calls of this domain's tools",
        )
    return tuple(tasks), tuple(skipped)


def _unknown(splits: Mapping[str, tuple[str, ...]], known: Container[str]) -> tuple[SkippedTask, ...]:
    """Return what splits name and the release lacks, once each."""
    named_by = {id_: name for name, ids in splits.items() for id_ in ids if id_ not in known}
    return tuple(
        SkippedTask(id_, f"the split {name} names it, and the release has no such task")
        for id_, name in named_by.items()
    )


def _dealt(splits: Mapping[str, tuple[str, ...]], tasks: Iterable[Task]) -> dict[str, tuple[str, ...]]:
    usable = {task.id for task in tasks}
    return {name: tuple(id_ for id_ in ids if id_ in usable) for name, ids in splits.items()}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _part(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
