"""Tasks: what the user wants, what the user knows, and what would make the episode a success."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from eigen_cli.api.messages import Requestor

Split = Literal["train", "validation", "test"]

STOP_TOKEN = "###STOP###"
"""What a simulated user writes to end the call (the spelling tau2-bench's users use)."""


class Fact(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something the user knows. `name` is one of the domain's fact kinds; `value` is a JSON value."""

    name: str
    value: Any
    text: str = ""
    """How this user would phrase it; empty means the fact kind's own wording."""


class Goal(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing the user wants from the call.

    `request` is the opening sentence in the user's words. `facts` belong to this goal only (the reservation to
    cancel), while `Scenario.known` holds for the whole call (the user's id).
    """

    intent: str
    request: str
    facts: tuple[Fact, ...] = ()


class Scenario(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that the simulated user is told."""

    persona: str
    reason: str
    known: tuple[Fact, ...] = ()
    goals: tuple[Goal, ...] = ()
    unknown: tuple[str, ...] = ()
    instructions: str = ""

    def facts(self) -> tuple[Fact, ...]:
        """Return every fact the user may state, call-wide ones first."""
        return self.known + tuple(fact for goal in self.goals for fact in goal.facts)


class Action(msgspec.Struct, frozen=True, omit_defaults=True):
    """A gold tool call."""

    name: str
    arguments: dict[str, Any]
    requestor: Requestor = "agent"


class Communicate(msgspec.Struct, frozen=True):
    """Something the agent must tell the user, compared as a value and not as a substring.

    `kind` number: any spelling of the same amount (`$1,250`, `1250.00`). `name`: whole words, case-insensitive.
    """

    kind: Literal["number", "name"]
    value: str
    label: str = ""


class CheckCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A named check with its arguments; the name is one of the domain's or a built-in one."""

    name: str
    arguments: dict[str, Any] = {}


class RecordPatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """One record put into (or, with `record=None`, removed from) the world before the episode starts."""

    table: str
    key: str
    record: dict[str, Any] | None = None


class WorldRef(msgspec.Struct, frozen=True):
    """Names a generated world: same domain fingerprint, seed and size give the same records."""

    seed: int
    size: int
    """Records to generate, approximately; 0 is the domain's default."""


class RewardBasis(msgspec.Struct, frozen=True, omit_defaults=True):
    """Verifiers whose scores are multiplied into the reward, recorded apart for training and evaluation."""

    training: tuple[str, ...]
    evaluation: tuple[str, ...]


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a task comes from. `template` is empty for a task grounded by exploration alone."""

    plan: str
    round: int
    proposal: int
    attempt: int = 0
    template: str = ""
    model: str = ""
    prompt_version: str = ""


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """A scenario with its executable measure of success."""

    id: str
    domain: str
    family: str
    split: Split
    world: WorldRef
    scenario: Scenario
    gold: tuple[Action, ...]
    reward: RewardBasis
    provenance: Provenance
    communicate: tuple[Communicate, ...] = ()
    checks: tuple[CheckCall, ...] = ()
    clauses: tuple[str, ...] = ()
    difficulty: int = 1
    patch: tuple[RecordPatch, ...] = ()
    imported: dict[str, Any] = {}
    """What the format a task came from says and these fields cannot, as it was written; for the plugin that imported
    it, which scores and exports by it. Never shown to any role."""
    schema: int = 1


class SkippedTask(msgspec.Struct, frozen=True):
    """A task of a set that cannot be used, and why."""

    id: str
    why: str


class TaskSet(msgspec.Struct, frozen=True):
    """Tasks a domain comes with: a benchmark's, named by its data's release, dealt into named splits."""

    release: str
    tasks: tuple[Task, ...]
    splits: Mapping[str, tuple[str, ...]]
    """Task ids by split, in the order of the release."""
    skipped: tuple[SkippedTask, ...] = ()
