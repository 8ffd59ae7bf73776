"""Pages of tasks against plain sorting and filtering."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from registry_samples import sealable

from eigen_cli.api.browsing import TaskFilter
from eigen_cli.api.generations import GenerationContents
from eigen_cli.api.store import Store
from eigen_cli.testing.memory_store import MemoryStore
from eigen_registry import open_registry, task_pages
from eigen_registry.attaching import attached

FILTERS = [
    {},
    {"domain": "airline"},
    {"domain": "retail"},
    {"split": "test"},
    {"template": "book"},
    {"clause": "9.9"},
    {"tool": "book_reservation", "difficulty": 3},
    {"difficulty": 7},
]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, MemoryStore]:
    body, observed, contents = sealable(tasks=40, trials=3)
    tasks = []
    for number, task in enumerate(contents.tasks):
        gold = (msgspec.structs.replace(task.gold[0], name="book_reservation"),) if number % 3 == 0 else task.gold
        origin = msgspec.structs.replace(task.provenance, template=("book", "cancel")[number % 2])
        clauses = ("9.9",) if number % 7 == 0 else task.clauses
        tasks.append(
            msgspec.structs.replace(task, gold=gold, provenance=origin, clauses=clauses, difficulty=1 + number * 7 % 5)
        )
    # The last tasks have no trial, as tasks of a round without validation may.
    episodes = [record for record in contents.episodes if record.episode.task not in {t.id for t in tasks[35:]}]
    contents = GenerationContents((), tasks, (), episodes)
    stores = (open_registry(tmp_path_factory.mktemp("registry")), MemoryStore())
    for store in stores:
        store.seal(body, observed, contents)
    return stores


@pytest.mark.parametrize("which", FILTERS, ids=str)
def test_pages_equal_plain_sorting(stores, which: dict) -> None:
    on_disk, in_memory = stores
    path = on_disk.folder / "generations" / f"{on_disk.generation('latest').hash}.duckdb"
    with attached(path, read_only=True) as con:
        for order, descending in itertools.product(["ordinal", "difficulty", "pass_rate"], (False, True)):
            wanted = TaskFilter(**which, order=order, descending=descending)
            for limit, offset in ((100, 0), (5, 3), (5, 100), (0, 0)):
                page = task_pages.task_rows(con, wanted, limit=limit, offset=offset)
                assert page == in_memory.task_rows("latest", wanted, limit=limit, offset=offset)


def test_a_row_says_what_lists_show(stores) -> None:
    on_disk, _ = stores
    row = on_disk.task_rows("latest", TaskFilter(), limit=1)[0]
    assert (row.ordinal, row.id, row.split, row.template, row.difficulty) == (0, "task-01000-a", "train", "book", 1)
    assert (row.trials, row.passed) == (2, 1)
    assert row.reason.startswith("a trip fell through")


def test_what_has_no_pass_rate_comes_last_both_ways(stores) -> None:
    on_disk, _ = stores
    for descending in (False, True):
        rows = on_disk.task_rows("latest", TaskFilter(order="pass_rate", descending=descending))
        assert [row.ordinal for row in rows[-5:]] == [35, 36, 37, 38, 39]
        rates = [row.passed / row.trials for row in rows[:-5]]
        assert rates == sorted(rates, reverse=descending)


def test_pages_put_together_are_the_whole(stores) -> None:
    on_disk, _ = stores
    which = TaskFilter(order="difficulty")
    pages = [on_disk.task_rows("latest", which, limit=7, offset=offset) for offset in (0, 7, 14, 21, 28, 35)]
    assert list(itertools.chain(*pages)) == on_disk.task_rows("latest", which, limit=100)
