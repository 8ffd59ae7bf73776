"""Pages of episodes against plain sorting and filtering."""

from __future__ import annotations

import itertools

import pytest
from msgspec.structs import replace
from registry_samples import sealable

from eigen_cli.api.browsing import EpisodeFilter, TaskFilter
from eigen_cli.api.generations import GenerationContents
from eigen_cli.api.store import Store
from eigen_cli.testing.memory_store import MemoryStore
from eigen_registry import episode_pages, open_registry
from eigen_registry.attaching import attached

FILTERS = [
    {},
    {"task": "task-01003-a"},
    {"task": "task-01003"},
    {"passed": True},
    {"passed": False, "blame": "agent"},
    {"blame": "infrastructure"},
    {"stop": "agent_turn_limit"},
    {"tasks": TaskFilter()},
    {"tasks": TaskFilter(template="cancel")},
    {"tasks": TaskFilter(clause="9.9", split="train"), "passed": True},
    {"tasks": TaskFilter(tool="book_reservation", difficulty=3, order="difficulty", descending=True)},
    {"tasks": TaskFilter(domain="airline"), "task": "task-01003-a"},
    {"tasks": TaskFilter(domain="retail")},
]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, MemoryStore]:
    body, observed, contents = sealable(tasks=20, trials=4)
    tasks = []
    for number, task in enumerate(contents.tasks):
        gold = (replace(task.gold[0], name="book_reservation"),) if number % 3 == 0 else task.gold
        origin = replace(task.provenance, template=("book", "cancel")[number % 2])
        clauses = ("9.9",) if number % 6 == 0 else task.clauses
        domain = "retail" if number > 15 else task.domain
        tasks.append(
            replace(task, gold=gold, provenance=origin, clauses=clauses, domain=domain, difficulty=1 + number % 4)
        )
    contents = GenerationContents(contents.plans, tasks, contents.rejected, contents.episodes)
    stores = (open_registry(tmp_path_factory.mktemp("registry")), MemoryStore())
    for store in stores:
        store.seal(body, observed, contents)
    return stores


@pytest.mark.parametrize("which", FILTERS, ids=str)
def test_pages_equal_plain_sorting(stores, which: dict) -> None:
    on_disk, in_memory = stores
    path = on_disk.folder / "generations" / f"{on_disk.generation('latest').hash}.duckdb"
    with attached(path, read_only=True) as con:
        for order, descending in itertools.product(["ordinal", "reward", "turns"], (False, True)):
            wanted = EpisodeFilter(**which, order=order, descending=descending)
            for limit, offset in ((100, 0), (5, 3), (5, 100), (0, 0)):
                page = episode_pages.episode_rows(con, wanted, limit=limit, offset=offset)
                assert page == in_memory.episode_rows("latest", wanted, limit=limit, offset=offset)


def test_the_episodes_of_some_tasks_are_theirs_alone(stores) -> None:
    on_disk, in_memory = stores
    templates = {task.id: task.provenance.template for task in in_memory.tasks("latest")}
    rows = on_disk.episode_rows("latest", EpisodeFilter(tasks=TaskFilter(template="book")), limit=100)
    assert len(rows) == 40 and {templates[row.task] for row in rows} == {"book"}


def test_what_has_no_reward_comes_last_both_ways(stores) -> None:
    on_disk, _ = stores
    for descending in (False, True):
        rows = on_disk.episode_rows("latest", EpisodeFilter(order="reward", descending=descending), limit=80)
        rewards = [row.reward for row in rows]
        judged = [reward for reward in rewards if reward is not None]
        assert rewards == [*sorted(judged, reverse=descending), *[None] * 26]
        assert len(judged) == 54


def test_a_row_says_what_lists_show(stores) -> None:
    on_disk, _ = stores
    row = on_disk.episode_rows("latest", EpisodeFilter(blame="agent"), limit=1)[0]
    assert (row.ordinal, row.id, row.task, row.trial) == (1, "ep-01000-a-1", "task-01000-a", 1)
    assert (row.stop, row.reward, row.passed, row.blame) == ("agent_turn_limit", 0.5, False, "agent")
