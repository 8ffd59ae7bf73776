"""Shares with intervals: against published values, and against what clustering must do."""

from __future__ import annotations

import random

import pytest

from eigen_cli.api.browsing import TrialCount
from eigen_cli.evaluation.proportions import Share, ShareChange, change_of, clustered_share, share_of


def counts(*rows: tuple[int, int, int]) -> list[TrialCount]:
    """(trials, passed, tasks) of one domain."""
    return [TrialCount("d", trials, passed, tasks) for trials, passed, tasks in rows]


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [  # Newcombe (1998), Statistics in Medicine 17:857, table I, method 3 (Wilson without continuity correction)
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval_as_published(count: int, total: int, low: float, high: float) -> None:
    share = share_of(count, total)
    assert share.share == count / total
    assert (share.low, share.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize(
    ("ours", "theirs", "low", "high"),
    [  # Newcombe (1998), Statistics in Medicine 17:873, table II, method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0000),
    ],
)
def test_newcombes_interval_as_published(
    ours: tuple[int, int], theirs: tuple[int, int], low: float, high: float
) -> None:
    change = change_of(share_of(*theirs), share_of(*ours))
    assert change.difference == pytest.approx(ours[0] / ours[1] - theirs[0] / theirs[1])
    assert (change.low, change.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))
    assert change.clear


def test_nothing_counted_has_no_share_and_no_difference() -> None:
    nothing = share_of(0, 0)
    assert nothing == Share(0, 0) == clustered_share([])
    assert clustered_share(counts((0, 0, 5))) == nothing
    assert change_of(nothing, share_of(1, 2)) == ShareChange(nothing, share_of(1, 2))
    assert not change_of(share_of(1, 2), nothing).clear


def test_trials_that_always_agree_are_worth_one_each() -> None:
    # 40 tasks, 4 trials each, all or none pass: the trials say no more than the tasks.
    share = clustered_share(counts((4, 4, 20), (4, 0, 20)))
    assert (share.count, share.total) == (80, 160)
    assert share.effective == pytest.approx(39)
    assert share.low == pytest.approx(share_of(20, 40, effective=39).low)


def test_tasks_that_do_not_differ_leave_every_trial_its_worth() -> None:
    share = clustered_share(counts((4, 2, 40)))
    assert share.effective == 160
    assert (share.low, share.high) == (share_of(80, 160).low, share_of(80, 160).high)


def test_where_all_passed_tasks_count_once() -> None:
    assert clustered_share(counts((4, 4, 30))).effective == 30
    assert clustered_share(counts((4, 1, 1))).effective == 1


def test_the_interval_covers_what_it_says_under_clustering() -> None:
    """Tasks with their own chances (0.2 or 0.9) and 4 trials: 95 % intervals hold the truth about 95 times in 100."""
    rng, held, naive = random.Random(5), 0, 0
    for _ in range(400):
        rows: dict[tuple[int, int], int] = {}
        for _ in range(60):
            chance = rng.choice((0.2, 0.9))
            row = (4, sum(rng.random() < chance for _ in range(4)))
            rows[row] = rows.get(row, 0) + 1
        share = clustered_share(counts(*((*row, tasks) for row, tasks in rows.items())))
        held += share.low <= 0.55 <= share.high
        plain = share_of(share.count, share.total)
        naive += plain.low <= 0.55 <= plain.high
    assert 370 <= held <= 392
    assert naive < 345
