"""Which faults an actor commits in one episode: drawn once from the episode's names, the same on every turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from eigen_cli.api.backend import CallKey
from eigen_cli.api.canonical import derive_rng
from eigen_offline.profiles import AGENT_FAULTS, DEFECTS, USER_FAULTS

GOALS = 6
"""Goals of one call that have draws of their own; later ones share the last."""


@dataclass(frozen=True)
class AgentLapses:
    """The agent's faults of one episode: for each goal the faults it will commit, with a number to place them by."""

    seed: int
    by_goal: tuple[Mapping[str, float], ...]

    def hit(self, fault: str, goal: int) -> float | None:
        """Return the placing number in [0, 1) if the fault is due in this goal, else None."""
        return self.by_goal[min(goal, GOALS - 1)].get(fault)


@dataclass(frozen=True)
class UserLapses:
    """The user's faults of one episode, each with a number to place it by, and the seed of its manner of speaking."""

    seed: int
    faults: Mapping[str, float]


@lru_cache(maxsize=4096)
def _agent_lapses(run: str, task: str, trial: int, rates: tuple[tuple[str, float], ...]) -> AgentLapses:
    rng = derive_rng(run, task, trial, "agent", "lapses")
    limits = dict(rates)
    # Every fault draws in every goal, whatever its rate: profiles then differ only in how many draws fall below it.
    draws = [{fault: (rng.random(), rng.random()) for fault in AGENT_FAULTS} for _ in range(GOALS)]
    by_goal = tuple(
        {fault: place for fault, (draw, place) in goal.items() if draw < limits.get(fault, 0.0)} for goal in draws
    )
    return AgentLapses(rng.randrange(1 << 32), by_goal)


@lru_cache(maxsize=4096)
def _user_lapses(run: str, task: str, trial: int, rates: tuple[tuple[str, float], ...]) -> UserLapses:
    rng = derive_rng(run, task, trial, "user", "lapses")
    limits = dict(rates)
    draws = {fault: (rng.random(), rng.random()) for fault in USER_FAULTS}
    faults = {fault: place for fault, (draw, place) in draws.items() if draw < limits.get(fault, 0.0)}
    return UserLapses(rng.randrange(1 << 32), faults)


def agent_lapses(key: CallKey, rates: Mapping[str, float]) -> AgentLapses:
    """Return the agent's faults of the episode a call belongs to; a fork keeps those of the episode it forks."""
    return _agent_lapses(key.run, key.task, key.trial, tuple(rates.items()))


def user_lapses(key: CallKey, rates: Mapping[str, float]) -> UserLapses:
    """Return the user's faults of the episode a call belongs to; a fork keeps those of the episode it forks."""
    return _user_lapses(key.run, key.task, key.trial, tuple(rates.items()))


@dataclass(frozen=True)
class DefectDraws:
    """The uniform numbers that decide a proposal's defects, the same for every plan that makes the proposal."""

    draws: Mapping[str, float]
    places: Mapping[str, float]
    fixes: Mapping[str, float]
    """Decide whether a repair that names the reason mends it."""


def defect_draws(key: CallKey) -> DefectDraws:
    """Return the draws of the proposal a call belongs to; attempts and plans share them, so that plans compare."""
    rng = derive_rng(key.run, key.task, "synthesizer", "defects")
    draws, places, fixes = ({defect: rng.random() for defect in DEFECTS} for _ in range(3))
    return DefectDraws(draws, places, fixes)
