"""Pages of episodes against plain sorting and filtering."""

from __future__ import annotations

import contextlib
import itertools

import pytest
from registry_samples import sealable

from eigen_cli.api.browsing import EpisodeFilter
from eigen_cli.api.store import Store
from eigen_cli.testing.memory_store import MemoryStore
from eigen_registry import episode_pages, open_registry
from eigen_registry.contents_file import open_contents

FILTERS = [
    {},
    {"task": "task-01003-a"},
    {"task": "task-01003"},
    {"passed": True},
    {"passed": False, "blame": "agent"},
    {"blame": "infrastructure"},
    {"stop": "agent_turn_limit"},
]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, MemoryStore]:
    stores = (open_registry(tmp_path_factory.mktemp("registry")), MemoryStore())
    for store in stores:
        store.seal(*sealable(tasks=20, trials=4))
    return stores


@pytest.mark.parametrize("which", FILTERS, ids=str)
def test_pages_equal_plain_sorting(stores, which: dict) -> None:
    on_disk, in_memory = stores
    path = on_disk.folder / "generations" / f"{on_disk.generation('latest').hash}.duckdb"
    with contextlib.closing(open_contents(path)) as con:
        for order, descending in itertools.product(["ordinal", "reward", "turns"], (False, True)):
            wanted = EpisodeFilter(**which, order=order, descending=descending)
            for limit, offset in ((100, 0), (5, 3), (5, 100), (0, 0)):
                page = episode_pages.episode_rows(con, wanted, limit=limit, offset=offset)
                assert page == in_memory.episode_rows("latest", wanted, limit=limit, offset=offset)


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
