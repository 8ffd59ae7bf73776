"""Generalisation is a claim about tasks nobody trained on: whether training tasks name what the evaluated ones name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from eigen_cli.api.evaluations import Overlap
from eigen_cli.api.tasks import Task
from eigen_cli.roles.context import RoleContext

_EXAMPLES = 5


def overlap(context: RoleContext, tasks: Sequence[Task], generation: str, trained: Iterable[Task]) -> Overlap:
    """Return what the training tasks of a generation share with the evaluated tasks.

    An entity is a record whose key stands in a task's gold arguments or in a fact's value. Keys are compared as text,
    over all domains and worlds: a shared key may be a coincidence, an unshared one is none.
    """
    known: set[str] = set()
    count = 0
    for task in trained:
        if task.split == "train":
            count += 1
            known |= named(task)
    entities: dict[str, str] = {}
    touched = 0
    for task in tasks:
        own = {value: table for value in named(task) if (table := _table_of(context, task, value)) is not None}
        entities |= own
        touched += not known.isdisjoint(own)
    shared = sorted(known & entities.keys())
    return Overlap(
        generation=generation,
        training_tasks=count,
        entities=len(entities),
        shared=dict(sorted(Counter(entities[value] for value in shared).items())),
        tasks=touched,
        examples=tuple(shared[:_EXAMPLES]),
    )


def named(task: Task) -> set[str]:
    """Return every text in a task's gold arguments and fact values; some of them are records' keys."""
    values = [*(action.arguments for action in task.gold), *(fact.value for fact in task.scenario.facts())]
    return {text for value in values for text in _texts(value)}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _table_of(context: RoleContext, task: Task, value: str) -> str | None:
    """Return the table of the task's initial world that has a record under a key."""
    patched = next((patch.table for patch in task.patch if patch.key == value), None)
    tables = context.world(task.world).base.tables
    return patched or next((name for name, table in tables.items() if value in table.rows), None)
