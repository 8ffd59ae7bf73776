"""What a run will cost, told from its first accepted tasks.

A task's trials cost what they cost; tasks are alike enough that the mean over the first few, with its spread, foretells
the rest. What planner, synthesizer, judge and reflector spend goes along in the proportion seen so far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt

import msgspec

from eigen_cli.api.backend import Usage
from eigen_cli.evolve.settings import EvolveSettings

ENOUGH = 5
"""Accepted tasks from whose cost the rest is foretold."""
_SPREAD = 2.0
"""Standard errors of the mean to either side: about 95 %."""
_DIALOGUE = ("agent", "user")


class Forecast(msgspec.Struct, frozen=True):
    """A run's expected cost, what is spent already included."""

    tasks: int
    """Accepted tasks it is told from."""
    usd: float
    usd_low: float
    usd_high: float
    tokens: int


class Forecaster:
    """Gathers what each accepted task's trials cost, and foretells once, when it has seen `ENOUGH`."""

    def __init__(
        self,
        settings: EvolveSettings,
        domains: int,
        *,
        usage: Callable[[], Mapping[str, Usage]],
        tell: Callable[[Forecast], None],
        continued: bool = False,
    ) -> None:
        """`usage` reads what every role has used so far; `tell` is called once at most.

        `continued`: whether the first round follows another one already.
        """
        self._tasks = proposals(settings, domains, continued=continued)
        self._usage = usage
        self._tell = tell
        self._seen: list[Usage] = []

    def task_done(self, used: Usage) -> None:
        """Note that all trials of a task are over, and what they used."""
        if len(self._seen) >= ENOUGH:
            return
        self._seen.append(used)
        if len(self._seen) == ENOUGH:
            self._tell(foretold(self._seen, self._usage(), tasks=self._tasks))


def proposals(settings: EvolveSettings, domains: int, *, continued: bool = False) -> int:
    """Return how many proposals all rounds and probes make, if every one is accepted."""
    probed = settings.plans * settings.probed(continued=continued) * domains
    return settings.rounds * settings.tasks + probed * settings.probe


def foretold(seen: Sequence[Usage], used: Mapping[str, Usage], *, tasks: int) -> Forecast:
    """Return the cost of `tasks` tasks, told from those seen and from what every role has used."""
    costs = [usage.cost_usd for usage in seen]
    mean = sum(costs) / len(costs)
    error = sqrt(sum((cost - mean) ** 2 for cost in costs) / (len(costs) - 1) / len(costs))
    scale = _overhead(used, lambda usage: usage.cost_usd)
    tokens = sum(usage.prompt_tokens + usage.completion_tokens for usage in seen) / len(seen)
    low, high = max(mean - _SPREAD * error, 0.0), mean + _SPREAD * error
    return Forecast(
        tasks=len(seen),
        usd=mean * tasks * scale,
        usd_low=low * tasks * scale,
        usd_high=high * tasks * scale,
        tokens=round(tokens * tasks * _overhead(used, lambda usage: usage.prompt_tokens + usage.completion_tokens)),
    )


def _overhead(used: Mapping[str, Usage], cost: Callable[[Usage], float]) -> float:
    """Return what all roles cost for every unit that agent and user cost."""
    dialogue = sum(cost(usage) for role, usage in used.items() if role in _DIALOGUE)
    return sum(cost(usage) for usage in used.values()) / dialogue if dialogue else 1.0
