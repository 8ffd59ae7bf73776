"""A round's figures: of each domain, and added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from eigen_cli.api.generations import Coverage, CoverageCount, Figures
from eigen_cli.api.verdicts import BLAME_PARTIES
from eigen_cli.evolve.coverage import counted, touched_by_all
from eigen_cli.evolve.lanes import LaneRound
from eigen_cli.evolve.proposals import total_rejections

_SPLITS = ("train", "validation", "test")


def figures_of(lane: LaneRound) -> Figures:
    """Return the figures of one domain."""
    episodes, tasks = lane.episodes, lane.made.tasks
    rejections = total_rejections(lane.made.proposals)
    return Figures(
        fingerprint=lane.domain.fingerprint,
        tasks_proposed=len(lane.made.proposals),
        tasks_accepted=len(tasks),
        rejections=rejections,
        episodes=len(episodes),
        passed=sum(episode.passed for episode in episodes),
        blame=_counted((episode.party for episode in episodes if episode.party), BLAME_PARTIES),
        coverage=counted(touched_by_all(tasks), lane.whole),
        near_duplicates=rejections.get("near_duplicate", 0),
        splits=_counted((task.split for task in tasks), _SPLITS),
    )


def added(figures: Sequence[Figures]) -> Figures:
    """Return the figures of all domains: counts added up, a tool of two domains being two tools."""
    return Figures(
        fingerprint=",".join(each.fingerprint for each in figures),
        tasks_proposed=sum(each.tasks_proposed for each in figures),
        tasks_accepted=sum(each.tasks_accepted for each in figures),
        rejections=_added([each.rejections for each in figures]),
        episodes=sum(each.episodes for each in figures),
        passed=sum(each.passed for each in figures),
        blame=_added([each.blame for each in figures]),
        coverage=Coverage(
            tools=_added_counts([each.coverage.tools for each in figures]),
            tool_pairs=_added_counts([each.coverage.tool_pairs for each in figures]),
            clauses=_added_counts([each.coverage.clauses for each in figures]),
        ),
        near_duplicates=sum(each.near_duplicates for each in figures),
        splits=_added([each.splits for each in figures]),
    )


def _counted(names: Iterable[str], known: Sequence[str]) -> dict[str, int]:
    found = Counter(names)
    return {name: found[name] for name in known}


def _added(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names = dict.fromkeys(name for each in counts for name in each)
    return {name: sum(each.get(name, 0) for each in counts) for name in names}


def _added_counts(counts: Sequence[CoverageCount]) -> CoverageCount:
    return CoverageCount(sum(count.covered for count in counts), sum(count.total for count in counts))
