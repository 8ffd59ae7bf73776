"""Gold actions, executed: the world a task's success is measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from eigen_cli.api.domain import Domain
from eigen_cli.api.tasks import Action
from eigen_cli.world.toolbox import CallOutcome, Toolbox
from eigen_cli.world.world import World


@dataclass(frozen=True)
class Replayed:
    """What a list of actions did: each one's outcome, and the world after the last."""

    world: World
    outcomes: tuple[CallOutcome, ...]

    @property
    def errors(self) -> tuple[str, ...]:
        """The texts of calls that were refused."""
        return tuple(outcome.content for outcome in self.outcomes if outcome.error)


def replay(actions: Sequence[Action], world: World, toolbox: Toolbox) -> Replayed:
    """Run actions in order on a world; a refused one changes nothing and the next still runs."""
    outcomes = []
    for action in actions:
        outcome = toolbox.call(world, action.name, action.arguments, requestor=action.requestor)
        outcomes.append(outcome)
        world = outcome.world
    return Replayed(world, tuple(outcomes))


class GoldReplayer:
    """A task's gold, run once on first use (implements `eigen_cli.api.verifier.Replayer`)."""

    def __init__(self, gold: Sequence[Action], initial: World, toolbox: Toolbox) -> None:
        self._gold = gold
        self._initial = initial
        self._toolbox = toolbox
        self._replayed: Replayed | None = None

    @property
    def domain(self) -> Domain:
        """The task's domain."""
        return self._toolbox.domain

    @property
    def replayed(self) -> Replayed:
        """The whole replay."""
        if self._replayed is None:
            self._replayed = replay(self._gold, self._initial, self._toolbox)
        return self._replayed

    def gold_world(self) -> World:
        """Return the world after the gold actions."""
        return self.replayed.world

    def gold_errors(self) -> Sequence[str]:
        """Return the errors the gold actions met."""
        return self.replayed.errors

    def initial_world(self) -> World:
        """Return the world the task starts in."""
        return self._initial

    def replay(self, actions: Sequence[Action], *, domain: Domain | None = None) -> Replayed:
        """Run actions on the initial world, with another domain's tools if one is given."""
        return replay(actions, self._initial, self._toolbox if domain is None else _toolbox_of(domain))


@lru_cache(maxsize=16)
def _toolbox_of(domain: Domain) -> Toolbox:
    return Toolbox(domain)
