"""Which tasks are evaluated or replayed: a benchmark's own split, or those a generation stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.domain import Domain
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.generations import Generation
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import SkippedTask, Split, Task, TaskSet
from eigen_cli.evaluation.settings import EvalSettings
from eigen_cli.nearest import nearest_hint

EVERY = "all"
"""The split that is every task."""


@dataclass(frozen=True)
class Selection:
    """The tasks of an evaluation, in order, and what names them."""

    tasks: tuple[Task, ...]
    split: str
    release: str
    skipped: tuple[SkippedTask, ...] = ()
    generation: Generation | None = None
    """The generation that is judged, or the tasks come from."""


def select(settings: EvalSettings, domain: Domain, store: Store) -> Selection:
    """Return the tasks that settings name.

    Raises `ConfigError` for a split, a task or a generation without such tasks, naming those there are, and
    `RegistryError` where the registry cannot be read.
    """
    judged = None if settings.generation is None else store.generation(settings.generation)
    task_set = domain.task_set()
    if task_set is None:
        selection = of_generation(domain, store, judged or latest(domain, store), split=settings.split)
    else:
        selection = replace(of_set(domain, task_set, split=settings.split), generation=judged)
    return replace(selection, tasks=_kept(settings, selection))


def of_set(domain: Domain, task_set: TaskSet, *, split: str) -> Selection:
    """Return a split of the tasks a domain comes with; raises `ConfigError` for a split it does not have."""
    if split == EVERY and EVERY not in task_set.splits:
        return Selection(task_set.tasks, EVERY, task_set.release, task_set.skipped)
    if split not in task_set.splits:
        raise _no_split(split, domain, [*sorted(task_set.splits), EVERY])
    wanted = task_set.splits[split]
    tasks = {task.id: task for task in task_set.tasks}
    dealt = {id_ for ids in task_set.splits.values() for id_ in ids}
    # A task too broken to be dealt into any split is missing from every one of them.
    skipped = tuple(item for item in task_set.skipped if item.id in wanted or item.id not in dealt)
    known = {item.id for item in skipped}
    skipped += tuple(
        SkippedTask(id_, "the release has no such task") for id_ in wanted if id_ not in tasks and id_ not in known
    )
    return Selection(tuple(tasks[id_] for id_ in wanted if id_ in tasks), split, task_set.release, skipped)


def of_generation(domain: Domain, store: Store, generation: Generation, *, split: str) -> Selection:
    """Return a domain's tasks in a generation; raises `ConfigError` where the split holds none."""
    if split not in (*get_args(Split), EVERY):
        raise _no_split(split, domain, [*get_args(Split), EVERY])
    own = [task for task in store.tasks(generation.id) if task.domain == domain.name]
    tasks = tuple(task for task in own if split in (task.split, EVERY))
    if not tasks:
        found = ", ".join(f"{one} {count}" for one, count in sorted(Counter(task.split for task in own).items()))
        which = "" if split == EVERY else f"{split} "
        raise ConfigError(
            f"{generation.id} has no {which}task of {domain.name}; it has {found or 'none at all'}",
            hint="name another generation with --generation, another --split, or evolve with more --tasks",
        )
    return Selection(tasks, split, f"generation {generation.hash[:SHORT]}", generation=generation)


def latest(domain: Domain, store: Store) -> Generation:
    """Return the last generation with tasks of a domain; raises `ConfigError` where there is none."""
    for generation in reversed(store.generations()):
        if domain.name in generation.body.by_domain:
            return generation
    raise ConfigError(
        f"{domain.name} comes with no tasks, and {store.folder} has no generation of it",
        hint=f"`eigen evolve {domain.name}` makes one, or name a registry that has one with --registry",
    )


def _kept(settings: EvalSettings, selection: Selection) -> tuple[Task, ...]:
    """Return the selected tasks that `--task` and `--limit` leave."""
    tasks = {task.id: task for task in selection.tasks}
    _refuse_unknown(settings.tasks, tasks, selection)
    wanted: Sequence[str] = [id_ for id_ in tasks if id_ in settings.tasks] if settings.tasks else list(tasks)
    if not wanted:
        skipped = f", {len(selection.skipped)} skipped: {selection.skipped[0].why}" if selection.skipped else ""
        raise ConfigError(f"the split {selection.split} of {selection.release} has no usable task{skipped}")
    return tuple(tasks[id_] for id_ in wanted[: settings.limit])


def _refuse_unknown(ids: Sequence[str], tasks: dict[str, Task], selection: Selection) -> None:
    skipped = {item.id: item.why for item in selection.skipped}
    for id_ in ids:
        if id_ in skipped:
            raise ConfigError(f"the task {id_!r} cannot be used: {skipped[id_]}")
        if id_ not in tasks:
            raise ConfigError(
                f"the split {selection.split} of {selection.release} has no task {id_!r}", hint=nearest_hint(id_, tasks)
            )


def _no_split(split: str, domain: Domain, known: Sequence[str]) -> ConfigError:
    return ConfigError(
        f"{domain.name} has no split {split!r}; there are {', '.join(known)}", hint=nearest_hint(split, known)
    )
