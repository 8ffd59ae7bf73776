"""Where a play stands: the transcript, the stretch of it that is about the current goal, and what is accounted for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from eigen_cli.api.domain import Domain
from eigen_offline.faults import AgentLapses
from eigen_offline.transcript import Line, Transcript

NEVER = 1 << 40


class Turn(NamedTuple):
    """What the agent does now: words or one call, and the faults that take effect with it."""

    text: str = ""
    call: tuple[str, dict[str, Any]] | None = None
    faults: tuple[str, ...] = ()


class GoalOver(Exception):
    """The goal ends here, whatever its procedure had left."""


@dataclass(frozen=True)
class Scope:
    """The stretch of the call that belongs to one goal: its number (-1 for the opening), the message that asked for
    it, the words that are about it, and the message at which another request took its place."""

    index: int
    start: int
    clause: str
    limit: int = NEVER


class Stage:
    """Shared by the parts of a player; changes as procedures are walked."""

    def __init__(self, domain: Domain, log: Transcript, lapses: AgentLapses, *, seed: int) -> None:
        self.domain, self.log, self.lapses, self.seed = domain, log, lapses, seed
        self.at = -1
        """The message up to which the transcript is accounted for."""
        self.floor = -1
        """The last write accounted for: reads before it may be stale."""
        self.over = False
        """Whether the caller was passed on."""
        self.enter(Scope(-1, 0, ""))

    def enter(self, scope: Scope) -> None:
        """Turn to a goal."""
        self.scope = scope
        self.refresh()
        self.confirm_floor = scope.start
        """The last answer to a confirmation."""
        self.wrote = 0
        """Writes made for this goal."""
        self.refused = False
        self.notes: list[str] = []
        """Faults that take effect with the goal's next write."""

    def refresh(self) -> None:
        """Look again at what was said in this goal, after the transcript has grown."""
        start, limit = self.scope.start, self.scope.limit
        self.user = [line for line in self.log.user if start <= line.at < limit]
        self.agent = [line for line in self.log.agent if start <= line.at < limit]

    def reach(self, at: int) -> None:
        """Account for the transcript up to a message."""
        if at > self.at:
            self.at = at

    def hit(self, fault: str) -> float | None:
        """Return the placing number of a fault that is due in this goal, else None. The opening has none."""
        return self.lapses.hit(fault, self.scope.index) if self.scope.index >= 0 else None

    def reply(self, at: int) -> Line | None:
        """Return the first thing the user said in this goal after message `at`."""
        for line in self.user:
            if line.at > at:
                return line
        return None
