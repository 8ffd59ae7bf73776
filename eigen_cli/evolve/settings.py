"""The settings of a run, and which of them make its identity."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from eigen_cli.api.canonical import content_hash
from eigen_cli.api.episodes import Limits


class EvolveSettings(msgspec.Struct, frozen=True):
    """What `eigen evolve` is asked to do. Sizes are per round."""

    rounds: int = 5
    tasks: int = 40
    """Proposals a round, shared out evenly among the domains; repairs are not counted."""
    trials: int = 4
    seed: int = 0
    plans: int = 4
    """Plans of each domain."""
    probe: int = 6
    """Proposals by which a plan and its child are compared."""
    repairs: int = 1
    """Repair attempts for a rejected task."""
    attempts: int = 3
    """Starts of a trial, infrastructure failures included."""
    concurrency: int = 64
    world_size: int = 0
    validation: bool = True
    evolution: bool = True
    fresh: bool = False
    limits: Limits = Limits()

    def content(self) -> Mapping[str, int | float | str | bool]:
        """Return the settings that change content: not rounds (a run can be extended), concurrency or freshness."""
        return {
            "tasks": self.tasks,
            "trials": self.trials,
            "plans": self.plans,
            "probe": self.probe,
            "repairs": self.repairs,
            "attempts": self.attempts,
            "world_size": self.world_size,
            "validation": self.validation,
            "evolution": self.evolution,
            "agent_turns": self.limits.agent_turns,
            "user_turns": self.limits.user_turns,
            "tool_errors": self.limits.tool_errors,
            "tool_calls": self.limits.tool_calls,
            "tokens": self.limits.tokens,
            "seconds": self.limits.seconds,
        }

    def probed(self, *, continued: bool = False) -> int:
        """Return how many plans of each slot are measured on the probe: the first one, and a child for every round
        that follows another; none where no round does."""
        follow = self.rounds - 1 + continued
        return follow + 1 if self.evolution and follow else 0

    def run_id(
        self,
        domain: str,
        *,
        fingerprint: str,
        actors: Mapping[str, str],
        prompts: Mapping[str, str],
        verifiers: Mapping[str, str],
        parent: str = "",
    ) -> str:
        """Return the digest that names the run: equal settings, domains, actors, prompts and verifiers share it.

        `parent` says what it goes on from; empty for a run that begins.
        """
        identity = (domain, self.seed, self.content(), fingerprint, actors, prompts, verifiers)
        return content_hash((*identity, parent) if parent else identity)


def dealt(total: int, parts: int) -> tuple[int, ...]:
    """Return a total dealt out evenly; the first parts take what does not come out even."""
    return tuple(total // parts + (place < total % parts) for place in range(parts))
