"""Plans: the pair of what to make (synthesis) and how to judge it (evaluation), versioned with a parent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from eigen_cli.api.canonical import SHORT, content_hash


class Quota(msgspec.Struct, frozen=True):
    """Relative weight of one scenario template in a plan's proposals."""

    template: str
    weight: int


class Guideline(msgspec.Struct, frozen=True):
    """An instruction to the synthesizer or a criterion for the verifier, and the failure it answers.

    `reason` is a rejection reason or a blame reason; empty for guidelines the planner wrote unprompted.
    """

    reason: str
    text: str


class SynthesisPlan(msgspec.Struct, frozen=True):
    """What to make: a focus no other plan of the round has, template quotas, personas, and guidelines."""

    focus: str
    quotas: tuple[Quota, ...]
    personas: tuple[str, ...] = ()
    guidelines: tuple[Guideline, ...] = ()


class EvaluationPlan(msgspec.Struct, frozen=True):
    """How to judge it: criteria handed to the judge for what evidence cannot settle."""

    criteria: tuple[Guideline, ...] = ()


class ProbeFigures(msgspec.Struct, frozen=True):
    """What a plan yields on the fixed probe: counts, never rates, so that they compare exactly.

    `learnable` counts accepted tasks whose pass rate for the named agent lies strictly between 0 and 1.
    `coverage` counts distinct tools, tool pairs and clauses over accepted tasks.
    """

    proposed: int
    accepted: int
    learnable: int
    coverage: int
    agent: str


class PlanBody(msgspec.Struct, frozen=True):
    """The hashed content of a plan."""

    domain: str
    slot: int
    synthesis: SynthesisPlan
    evaluation: EvaluationPlan
    parent: str | None = None
    author: Literal["planner", "reflector"] = "planner"


class Plan(msgspec.Struct, frozen=True):
    """A plan and the id its content gives it."""

    id: str
    body: PlanBody

    @staticmethod
    def of(body: PlanBody) -> Plan:
        """Return the plan with its content-derived id."""
        return Plan(id=f"plan-{content_hash(body)[:SHORT]}", body=body)


class PlanOutcome(msgspec.Struct, frozen=True):
    """What became of one plan's proposals in a round: all that the reflector is taught of it."""

    proposed: int
    accepted: int
    rejections: Mapping[str, int]
    """How often each reason turned an attempt down, repaired ones too."""
    rejections_by_template: Mapping[str, int]
    blame: Mapping[str, int]
    """Failed episodes by `party:reason`."""
    pass_rates: Mapping[str, float]
    """By template, over episodes that have a reward."""


class PlanRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A plan as a generation stores it: used, or kept as rejected, with the figures that decided it."""

    plan: Plan
    status: Literal["used", "adopted", "rejected"]
    figures: ProbeFigures | None = None
    parent_figures: ProbeFigures | None = None
    why: str = ""
    outcome: PlanOutcome | None = None
    """What it brought; None for a rejected plan, and in generations sealed before this was kept."""
