"""What changed between two generations' tasks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import duckdb
import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from registry_samples import sealable

from eigen_cli.api.browsing import ContentChange, TaskChanges
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.testing import memory_views
from eigen_registry import open_registry, task_changes

_, _, contents = sealable(tasks=6)
TASKS: tuple[Task, ...] = tuple(contents.tasks)


def seal(store: Store, tasks: list[Task], round_: int) -> str:
    body, observed, sample = sealable(round_)
    return store.seal(body, observed, msgspec.structs.replace(sample, tasks=tasks, episodes=())).hash


def test_added_dropped_and_changed_tasks_are_named_with_what_differs(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    other = msgspec.structs.replace(TASKS[1], difficulty=5, clauses=(), communicate=())
    before = seal(store, [TASKS[0], TASKS[1], TASKS[2]], 1)
    after = seal(store, [TASKS[3], other, TASKS[0]], 2)
    assert store.task_changes(before, after) == TaskChanges(
        same=1,
        added=1,
        dropped=1,
        changed=1,
        first=(
            ContentChange("changed", TASKS[1].id, "airline", "cancel", ("communicate", "clauses", "difficulty")),
            ContentChange("added", TASKS[3].id, "airline", "cancel"),
            ContentChange("dropped", TASKS[2].id, "airline", "cancel"),
        ),
    )


def test_a_generation_has_not_changed_since_itself(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    one, none = seal(store, list(TASKS), 1), seal(store, [], 2)
    assert store.task_changes(one, one) == TaskChanges(same=6, added=0, dropped=0, changed=0)
    assert store.task_changes(none, none) == TaskChanges(same=0, added=0, dropped=0, changed=0)
    assert store.task_changes(none, one, first=0) == TaskChanges(same=0, added=6, dropped=0, changed=0)


@settings(max_examples=25, deadline=None)
@given(data=st.data(), first=st.integers(0, 3))
def test_changes_equal_those_of_plain_comparison(data: st.DataObject, first: int) -> None:
    difficulties = st.dictionaries(st.sampled_from(range(6)), st.integers(1, 2))
    before, after = (
        [msgspec.structs.replace(TASKS[index], difficulty=value) for index, value in data.draw(difficulties).items()]
        for _ in range(2)
    )
    with kept(before, after) as (old, new):
        expected = memory_views.task_changes(before, after, first=first)
        assert task_changes.task_changes(old, new, first=first) == expected


@contextlib.contextmanager
def kept(*generations: list[Task]) -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """Put the tasks of generations where they are compared, without sealing."""
    with contextlib.ExitStack() as stack:
        root = stack.enter_context(contextlib.closing(duckdb.connect(config={"threads": 1})))
        yield [
            _kept(stack.enter_context(contextlib.closing(root.cursor())), at, tasks)
            for at, tasks in enumerate(generations)
        ]


def _kept(con: duckdb.DuckDBPyConnection, number: int, tasks: list[Task]) -> duckdb.DuckDBPyConnection:
    con.execute(f"ATTACH ':memory:' AS kept_{number}; USE kept_{number}")
    con.execute("CREATE TABLE tasks (ordinal INTEGER, id VARCHAR, domain VARCHAR, template VARCHAR, body JSON)")
    con.execute("CREATE TABLE task_digests (id VARCHAR, digest UHUGEINT)")
    for ordinal, task in enumerate(tasks):
        row = (ordinal, task.id, task.domain, task.provenance.template, canonical_json(task).decode())
        con.execute("INSERT INTO tasks VALUES (?, ?, ?, ?, ?)", row)
    task_changes.build(con)
    return con
