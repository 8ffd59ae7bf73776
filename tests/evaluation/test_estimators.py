"""pass^k and its intervals against enumeration, hand values and simulated truth."""

from __future__ import annotations

import random
from itertools import combinations, product
from math import comb

import pytest

from eigen_cli.api.canonical import derive_rng
from eigen_cli.evaluation.estimators import Tally, differences, highest_k, macro, pass_hats, sampled


def by_enumeration(outcomes: tuple[bool, ...], k: int) -> float:
    """Return the share of k-subsets of one task's trials that passed throughout."""
    subsets = list(combinations(outcomes, k))
    return sum(all(subset) for subset in subsets) / len(subsets)


@pytest.mark.parametrize("trials", [1, 2, 3, 4, 5])
def test_pass_hat_k_is_the_share_of_subsets_that_pass_throughout(trials: int) -> None:
    for outcomes in product((True, False), repeat=trials):
        tally = Tally(trials, sum(outcomes))
        for k in range(1, trials + 1):
            assert tally.pass_hat(k) == pytest.approx(by_enumeration(outcomes, k))


def test_hand_values() -> None:
    tallies = [Tally(4, 4), Tally(4, 3), Tally(4, 1), Tally(4, 0)]
    rows = pass_hats(tallies, highest_k(tallies))
    assert rows == [(1, 1, 1, 1), (0.75, 0.5, 0.25, 0), (0.25, 0, 0, 0), (0, 0, 0, 0)]
    assert sampled(rows, derive_rng("hand")).means == (0.5, 0.375, 0.3125, 0.25)


def test_pass_hat_k_is_unbiased() -> None:
    """Over all outcomes of n trials weighed by their chance, the estimate of pass^k is the true p^k."""
    p, n = 0.3, 5
    for k in range(1, n + 1):
        expected = sum(comb(n, c) * p**c * (1 - p) ** (n - c) * Tally(n, c).pass_hat(k) for c in range(n + 1))
        assert expected == pytest.approx(p**k)


def test_missing_trials_shrink_k_and_n_and_tasks_without_any_are_none() -> None:
    tallies = [Tally(4, 2), Tally(3, 3), Tally(0, 0)]
    assert highest_k(tallies) == 3
    assert pass_hats(tallies, 3) == [(0.5, 1 / 6, 0), (1, 1, 1)]
    assert highest_k([Tally(0, 0)]) == highest_k([]) == 0
    assert pass_hats([Tally(0, 0)], 0) == []


def test_a_resample_is_that_of_whole_tasks() -> None:
    """Grouping equal rows draws what drawing tasks one by one draws: mean and spread are those of the sample mean."""
    rng = random.Random(3)
    values = [(rng.choice((0.0, 0.25, 0.5, 1.0)),) for _ in range(40)]
    sample = sampled(values, derive_rng("whole"), resamples=20_000)
    mean = sum(value for (value,) in values) / 40
    variance = sum((value - mean) ** 2 for (value,) in values) / 40 / 40
    drawn = sample.resampled[0]
    centre = sum(drawn) / len(drawn)
    assert sample.means == (pytest.approx(mean),)
    assert centre == pytest.approx(mean, abs=4 * (variance / 20_000) ** 0.5)
    assert sum((value - centre) ** 2 for value in drawn) / len(drawn) == pytest.approx(variance, rel=0.05)


def test_statistics_of_one_sample_share_their_resamples() -> None:
    values = [(float(n % 2), 1.0 - n % 2) for n in range(9)]
    first, second = sampled(values, derive_rng("shared"), resamples=50).resampled
    assert [one + other for one, other in zip(first, second, strict=True)] == pytest.approx([1.0] * 50)


def test_the_same_seed_gives_the_same_interval_in_whatever_order_tasks_come() -> None:
    values = [(n / 7, n / 9) for n in range(7)]
    first = sampled(values, derive_rng("order"), resamples=200)
    again = sampled(values[::-1], derive_rng("order"), resamples=200)
    other = sampled(values, derive_rng("another"), resamples=200)
    assert (first.interval(0), first.interval(1)) == (again.interval(0), again.interval(1))
    assert first.resampled == again.resampled != other.resampled


def test_an_interval_leaves_out_as_much_at_each_end() -> None:
    sample = sampled([(0.0,), (1.0,)] * 25, derive_rng("ends"))
    ordered, interval = sorted(sample.resampled[0]), sample.interval(0)
    assert (interval.low, interval.high) == (ordered[50], ordered[-51])
    assert interval.low < interval.mean == 0.5 < interval.high
    alike = sampled([(1.0,)] * 8, derive_rng("alike")).interval(0)
    assert (alike.mean, alike.low, alike.high) == (1.0, 1.0, 1.0)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    """Tasks of unequal difficulty, four trials each: the truth is the mean of p^k over all tasks there could be."""
    covered, runs = {1: 0, 2: 0, 4: 0}, 150
    truth = {1: 0.5, 2: 1 / 3, 4: 1 / 5}  # moments of the uniform distribution
    for run in range(runs):
        rng = random.Random(run)
        tallies = [Tally(4, sum(rng.random() < p for _ in range(4))) for p in (rng.random() for _ in range(60))]
        sample = sampled(pass_hats(tallies, 4), derive_rng("coverage", run), resamples=250)
        for k in covered:
            interval = sample.interval(k - 1)
            covered[k] += interval.low <= truth[k] <= interval.high
    for k, count in covered.items():
        assert 0.88 <= count / runs <= 0.995, (k, count)


def test_paired_differences_take_common_tasks_and_vary_less_than_unpaired_ones() -> None:
    rng = random.Random(5)
    theirs = {f"t{n}": Tally(4, rng.randrange(4)) for n in range(50)}
    ours = {task: Tally(4, tally.passed + 1) for task, tally in theirs.items()} | {"more": Tally(4, 0)}
    values = differences(ours, theirs | {"fewer": Tally(4, 4), "more": Tally(0, 0)})
    assert len(values) == 50
    assert {row[0] for row in values} == {0.25}
    interval = sampled(values, derive_rng("paired")).interval(0)
    assert (interval.mean, interval.low, interval.high) == (0.25, 0.25, 0.25)
    apart = [sampled(pass_hats(side.values(), 1), derive_rng("apart")).interval(0) for side in (ours, theirs)]
    assert all(side.high - side.low > 0.1 for side in apart)
    assert differences(ours, {}) == []


def test_the_macro_mean_weighs_domains_alike_and_resamples_each_within_itself() -> None:
    small = sampled([(1.0, 1.0), (0.0, 0.0)], derive_rng("small"), resamples=400)
    large = sampled([(1.0,)] * 100, derive_rng("large"), resamples=400)
    mean = macro([small, large])
    assert mean.means == (0.75,)
    assert set(mean.resampled[0]) == {0.5, 0.75, 1.0}
    assert mean.resampled[0] == tuple((value + 1.0) / 2 for value in small.resampled[0])


def test_the_largest_evaluation_takes_seconds_at_most() -> None:
    """2,285 tasks of four trials and 2,000 resamples: rows, not tasks, are what each resample sums over."""
    rng = random.Random(1)
    tallies = [Tally(4, rng.randrange(5)) for _ in range(2285)]
    sample = sampled(pass_hats(tallies, 4), derive_rng("large"))
    assert [len(drawn) for drawn in sample.resampled] == [2000] * 4
    interval = sample.interval(0)
    assert 0.01 < interval.high - interval.low < 0.06
