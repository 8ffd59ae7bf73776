"""Lists that `eigen show` prints: pages of light rows, words found, and which episodes make a sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eigen_cli.api.browsing import EpisodeFilter, EpisodeRow, Found, TaskRow
from eigen_cli.api.store import Store
from eigen_cli.commands.record_views import cut_to
from eigen_cli.console import aligned

PAGE = 50
"""Rows of one page."""
FOUND = 50
"""Places a search shows at most."""
_SCANNED = 1_000
"""Rows read at a time while a sample is drawn."""


def task_rows_table(rows: Sequence[TaskRow], *, width: int) -> str:
    """Return one line a task, with how many of its trials passed."""
    header = ("task", "domain", "split", "difficulty", "passed", "template", "reason")
    cells = [
        (
            row.id,
            row.domain,
            row.split,
            str(row.difficulty),
            f"{row.passed}/{row.trials}",
            row.template or row.family,
            row.reason,
        )
        for row in rows
    ]
    return cut_to(aligned(cells, header=header, right=(3, 4)), width)


def episode_rows_table(rows: Sequence[EpisodeRow], *, width: int) -> str:
    """Return one line an episode."""
    header = ("episode", "task", "trial", "reward", "blame", "turns", "stop")
    cells = [
        (
            row.id,
            row.task,
            str(row.trial),
            "none" if row.reward is None else f"{row.reward:g}",
            row.blame or "-",
            str(row.turns),
            row.stop,
        )
        for row in rows
    ]
    return cut_to(aligned(cells, header=header, right=(2, 3, 5)), width)


def found_table(found: Sequence[Found], *, width: int) -> str:
    """Return one line a place where words were found, with what stands around them."""
    cells = [(each.id, each.task if each.kind == "episode" else "-", each.excerpt) for each in found]
    return cut_to(aligned(cells, header=("id", "of task", "excerpt")), width)


def sampled_ids(store: Store, ref: str, count: int) -> list[str]:
    """Return the ids of at most `count` episodes: failures first, each task's first one before anyone's second.

    Reads rows, and no more of them than it takes: where enough tasks failed, not even those of all failures.
    """
    chosen = _spread(store, ref, count, passed=False)
    if len(chosen) < count:
        chosen += _spread(store, ref, count - len(chosen), passed=True)
    return chosen


def _spread(store: Store, ref: str, count: int, *, passed: bool) -> list[str]:
    ranks: dict[str, int] = {}
    by_rank: list[list[str]] = []
    for row in _all_rows(store, ref, EpisodeFilter(passed=passed)):
        rank = ranks.get(row.task, 0)
        ranks[row.task] = rank + 1
        if rank == len(by_rank):
            by_rank.append([])
        if len(by_rank[rank]) < count:
            by_rank[rank].append(row.id)
        if len(by_rank[0]) == count:
            break  # as many tasks as are wanted: nobody's second comes into it
    return [id_ for ids in by_rank for id_ in ids][:count]


def _all_rows(store: Store, ref: str, which: EpisodeFilter) -> Iterator[EpisodeRow]:
    offset = 0
    while rows := store.episode_rows(ref, which, limit=_SCANNED, offset=offset):
        yield from rows
        offset += len(rows)
