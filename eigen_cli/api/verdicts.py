"""Verdicts: what verifiers say of tasks and of episodes, and who is to blame for a failure."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

BlameParty = Literal["task", "agent", "user", "infrastructure", "undetermined"]
BLAME_PARTIES: tuple[BlameParty, ...] = get_args(BlameParty)

RejectionReason = Literal[
    "invalid_output",
    "gold_error",
    "gold_unstable",
    "null_policy_passes",
    "missing_positive_check",
    "policy_breach",
    "missing_fact",
    "near_duplicate",
    "benchmark_overlap",
    "ambiguous",
    "contradiction",
]
REJECTION_REASONS: tuple[RejectionReason, ...] = get_args(RejectionReason)


class Rejection(msgspec.Struct, frozen=True):
    """One named reason a task was turned down, with what was seen."""

    reason: RejectionReason
    evidence: str


class TaskVerdict(msgspec.Struct, frozen=True):
    """A task is accepted exactly when no reason to reject it was found."""

    rejections: tuple[Rejection, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether the task may be rolled out."""
        return not self.rejections


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """One verifier's score of one episode, in [0, 1], and the evidence for it.

    `applicable` is false where the task gives this verifier nothing to judge; the score is then 1 and the part
    cannot by itself make an episode pass. `undecided` are statements about the dialogue that only a judge can decide;
    the score is then that of everything else.
    """

    verifier: str
    version: str
    score: float
    evidence: tuple[str, ...] = ()
    applicable: bool = True
    undecided: tuple[str, ...] = ()


class Blame(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who caused a failure. `by` tells whether code found it or a judge thought it."""

    party: BlameParty
    reason: str
    evidence: str = ""
    turn: int | None = None
    by: Literal["evidence", "judge"] = "evidence"


class EpisodeVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """The executed reward of an episode; `reward` is None only for exhausted infrastructure failures."""

    reward: float | None
    parts: tuple[Part, ...] = ()
    blame: Blame | None = None
    violations: tuple[Blame, ...] = ()
    """Everything the simulated user did against its scenario, also where the episode passed."""

    @property
    def passed(self) -> bool:
        """Whether the reward is full."""
        return self.reward == 1.0
