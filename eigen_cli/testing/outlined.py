"""A generation's outline, worked out from its records: what a store must give without reading them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from eigen_cli.api.browsing import Outline, TrialCount
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.tasks import Task


def outline_of(tasks: Iterable[Task], episodes: Iterable[EpisodeRecord]) -> Outline:
    """Return what tasks touch and how their trials went; every task counts, also one without a trial."""
    trials: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    stops: Counter[str] = Counter()
    for record in episodes:
        stops[record.episode.stop] += 1
        if record.verdict.reward is not None:
            trials[record.episode.task] += 1
            passed[record.episode.task] += record.verdict.passed
    tools: dict[str, set[str]] = {}
    pairs: dict[str, set[tuple[str, str]]] = {}
    clauses: dict[str, set[str]] = {}
    counts: Counter[tuple[str, int, int]] = Counter()
    for task in tasks:
        names = [action.name for action in task.gold]
        tools.setdefault(task.domain, set()).update(names)
        pairs.setdefault(task.domain, set()).update(pairwise(names))
        clauses.setdefault(task.domain, set()).update(task.clauses)
        counts[task.domain, trials[task.id], passed[task.id]] += 1
    return Outline(
        tools={domain: tuple(sorted(names)) for domain, names in sorted(tools.items())},
        tool_pairs={domain: tuple(sorted(found)) for domain, found in sorted(pairs.items())},
        clauses={domain: tuple(sorted(names)) for domain, names in sorted(clauses.items())},
        trials=tuple(TrialCount(*key, tasks=number) for key, number in sorted(counts.items())),
        stops=dict(sorted(stops.items())),
    )
