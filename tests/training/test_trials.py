"""Tasks with what became of them: from their episodes, and from the registry's list without them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from eigen_tidy_library.domain import TidyLibrary

from eigen_cli.api.browsing import TaskFilter, TaskRow
from eigen_cli.api.errors import RegistryError
from eigen_cli.api.generations import EpisodeRecord, Generation
from eigen_cli.testing.drafted import contract_context, drafted_tasks
from eigen_cli.testing.memory_store import MemoryStore
from eigen_cli.testing.sample_generation import seal_sample
from eigen_cli.training.trials import Trials, counted_tasks, tried_tasks


class Guarded(MemoryStore):
    """Gives two rows a page, and no episode."""

    def task_rows(self, ref: str, which: TaskFilter, *, limit: int = 50, offset: int = 0) -> list[TaskRow]:
        return super().task_rows(ref, which, limit=min(limit, 2), offset=offset)

    def episodes(self, ref: str, *, task: str | None = None) -> Iterator[EpisodeRecord]:
        raise AssertionError("an episode was read")


def sample(store: MemoryStore) -> Generation:
    context = contract_context(TidyLibrary())
    return seal_sample(store, context, list(drafted_tasks(context, each=1)))


def test_both_ways_count_alike() -> None:
    store, guarded = MemoryStore(), Guarded()
    tried = list(tried_tasks(store, sample(store).id))
    counted = list(counted_tasks(guarded, sample(guarded).id))
    assert [(item.task, item.trials) for item in tried] == counted
    assert {item.trials for item in counted} == {Trials(judged=2, passed=1)}
    assert [len(item.records) for item in tried] == [3, 3, 3]


def test_a_rate_needs_a_trial_with_a_reward() -> None:
    assert (Trials(4, 1).rate, Trials(2, 0).rate, Trials(0, 0).rate) == (0.25, 0.0, None)


def test_a_list_in_another_order_is_damage() -> None:
    class Shuffled(MemoryStore):
        def task_rows(self, ref: str, which: TaskFilter, *, limit: int = 50, offset: int = 0) -> list[TaskRow]:
            return super().task_rows(ref, which, limit=limit, offset=offset)[::-1]

    store = Shuffled()
    with pytest.raises(RegistryError, match=r"the list of tasks has task-\w+ where task-\w+ stands"):
        list(counted_tasks(store, sample(store).id))
