"""Shares with their uncertainty, in closed form: what a comparison of many thousand tasks can afford.

A share's 95 % interval is Wilson's (1927), a difference's is Newcombe's (1998, method 10): both hold for small counts
and near 0 and 1. Trials of one task are no independent evidence, so a pass rate's count of trials is first divided by
its design effect, estimated from how unequal tasks are (Dean and Pagano, J. Surv. Stat. Methodol. 3:484, 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import msgspec

from eigen_cli.api.browsing import TrialCount

_Z = 1.959963984540054
"""Standard normal quantile of a two-sided 95 % interval."""


class Share(msgspec.Struct, frozen=True):
    """A count of successes with its 95 % interval; without anything counted, all but the counts is None."""

    count: int
    total: int
    share: float | None = None
    low: float | None = None
    high: float | None = None
    effective: float = 0.0
    """Independent observations the total is worth."""


class ShareChange(msgspec.Struct, frozen=True):
    """A share before and after, and their difference (after minus before) with its 95 % interval."""

    before: Share
    after: Share
    difference: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def clear(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def share_of(count: int, total: int, *, effective: float | None = None) -> Share:
    """Return a share with Wilson's interval; `effective`, if given, is what the total is worth (more than 0)."""
    if not total:
        return Share(count, total)
    size = total if effective is None else effective
    share = count / total
    centre = share + _Z * _Z / (2 * size)
    spread = _Z * sqrt(share * (1 - share) / size + _Z * _Z / (4 * size * size))
    scale = 1 + _Z * _Z / size
    low = 0.0 if count == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if count == total else min(1.0, (centre + spread) / scale)
    return Share(count, total, share, low, high, size)


def clustered_share(counts: Sequence[TrialCount]) -> Share:
    """Return the share of trials that passed, tasks being the sample and trials their clusters."""
    trials = sum(each.trials * each.tasks for each in counts)
    passed = sum(each.passed * each.tasks for each in counts)
    return share_of(passed, trials, effective=_worth(counts, trials, passed)) if trials else Share(0, 0)


def _worth(counts: Sequence[TrialCount], trials: int, passed: int) -> float:
    """Return how many independent trials the trials are worth: at most as many as there are.

    Where all or none passed, tasks cannot be seen to differ; they then count once each.
    """
    tasks = sum(each.tasks for each in counts if each.trials)
    if passed in (0, trials) or tasks == 1:
        return float(tasks)
    share = passed / trials
    squares = sum(each.tasks * (each.passed - share * each.trials) ** 2 for each in counts)
    variance = tasks / (tasks - 1) * squares / trials**2
    return min(float(trials), share * (1 - share) / variance) if variance else float(trials)


def change_of(before: Share, after: Share) -> ShareChange:
    """Return the difference of two independent shares with Newcombe's interval."""
    if before.share is None or before.low is None or before.high is None:
        return ShareChange(before, after)
    if after.share is None or after.low is None or after.high is None:
        return ShareChange(before, after)
    difference = after.share - before.share
    down = sqrt((after.share - after.low) ** 2 + (before.high - before.share) ** 2)
    up = sqrt((after.high - after.share) ** 2 + (before.share - before.low) ** 2)
    return ShareChange(before, after, difference, difference - down, difference + up)
