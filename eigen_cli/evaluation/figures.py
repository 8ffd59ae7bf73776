"""The figures of an evaluation: from its trials to what its body says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.evaluations import EvaluatedEpisode, Interval, ScoringFigures
from eigen_cli.evaluation.estimators import Sample, Tally, highest_k, pass_hats, sampled


def tallies(episodes: Iterable[EvaluatedEpisode], scoring: str, *, hopeful: bool = False) -> dict[str, Tally]:
    """Return each task's rewarded trials and passes under a scoring; `hopeful` counts undetermined trials as passed.

    A task whose trials are all missing is there with none.
    """
    found: dict[str, Tally] = {}
    for record in episodes:
        before = found.get(record.episode.task, Tally(0, 0))
        passed = record.rewards.get(scoring) == 1.0 or (hopeful and scoring in record.undetermined)
        after = before if record.missing else Tally(before.trials + 1, before.passed + passed)
        found[record.episode.task] = after
    return found


def sample_of(domain: str, counts: Mapping[str, Tally]) -> Sample:
    """Return pass^1 … pass^k of one domain's tasks with their resamples; the draw depends on the domain's name alone.

    So a figure printed again is the same figure, and domains are drawn independently of each other.
    """
    values = pass_hats(counts.values(), highest_k(counts.values()))
    return sampled(values, derive_rng("bootstrap", domain)) if values else Sample((), ())


def by_k(sample: Sample) -> dict[str, Interval]:
    """Return a sample's statistics as pass^k by k."""
    return {str(place + 1): sample.interval(place) for place in range(len(sample.means))}


def scoring_figures(
    domain: str,
    episodes: Sequence[EvaluatedEpisode],
    scoring: str,
    *,
    trials: int,
    untouched_passes: int,
    basis: Mapping[str, int],
) -> ScoringFigures:
    """Return what an evaluation came to under one scoring."""
    counts = tallies(episodes, scoring)
    hopeful = tallies(episodes, scoring, hopeful=True)
    highest = highest_k(hopeful.values())
    rows = pass_hats(hopeful.values(), highest)
    return ScoringFigures(
        pass_hat_k=by_k(sample_of(domain, counts)),
        upper_bound={str(k): sum(row[k - 1] for row in rows) / len(rows) for k in range(1, highest + 1)},
        passed=sum(tally.passed == trials for tally in counts.values()),
        undetermined=sum(scoring in record.undetermined for record in episodes),
        untouched_passes=untouched_passes,
        basis=dict(basis),
    )


def trial_figures(episodes: Sequence[EvaluatedEpisode]) -> dict[str, Any]:
    """Return the fields of a body that hold under every scoring."""
    rewarded = [record for record in episodes if not record.missing]
    count = max(len(rewarded), 1)
    violations = Counter(finding.reason for record in rewarded for finding in record.violations)
    messages = [message for record in rewarded for message in record.episode.messages]
    return {
        "stops": dict(sorted(Counter(record.episode.stop for record in episodes).items())),
        "infrastructure": sum(record.episode.stop == "infrastructure" for record in episodes),
        "missing": len(episodes) - len(rewarded),
        "violations": dict(sorted(violations.items())),
        "violating_episodes": sum(bool(record.violations) for record in rewarded),
        "turns": sum(message.finish_reason is not None for message in messages) / count,
        "tool_calls": sum(len(message.tool_calls) for message in messages) / count,
    }
