"""Typed inputs of each role's request: what simulated actors answer from. Model backends never send them.

None of these types carries an injected fault, and none but those marked oracle carries gold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eigen_cli.api.domain import Domain, Draft, ScenarioTemplate
from eigen_cli.api.messages import Message
from eigen_cli.api.plans import Plan, ProbeFigures
from eigen_cli.api.tasks import Scenario, Task
from eigen_cli.api.verdicts import Rejection


@dataclass(frozen=True)
class CoverageGap:
    """What earlier generations of the run have not covered, most wanted first."""

    tools: tuple[str, ...] = ()
    tool_pairs: tuple[tuple[str, str], ...] = ()
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlannerInputs:
    """For the planner: the domain and the plans of this round already written (to not overlap with them)."""

    domain: Domain
    slot: int
    slots: int
    siblings: tuple[Plan, ...]
    gap: CoverageGap
    templates: Mapping[str, ScenarioTemplate] = field(default_factory=dict)
    """What plans may weigh: the domain's templates, or those exploration found."""


@dataclass(frozen=True)
class SynthesizerInputs:
    """For the synthesizer: the plan, a grounded draft, and on repair the rejected output with its reasons."""

    domain: Domain
    plan: Plan
    template: str
    draft: Draft
    previous: str = ""
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True)
class AgentInputs:
    """For the agent: the domain and the conversation as the agent sees it (its own tool traffic included)."""

    domain: Domain
    conversation: Sequence[Message]
    task: Task | None = None
    """The task, for a backend declared oracle; None for every other."""


@dataclass(frozen=True)
class UserInputs:
    """For the user: its scenario and the conversation as the user sees it (the agent's tool traffic left out)."""

    domain: Domain
    scenario: Scenario
    conversation: Sequence[Message]
    stop_token: str
    task: Task | None = None
    """The task, for a backend declared oracle; None for every other."""


@dataclass(frozen=True)
class JudgeInputs:
    """For the judge: a failed episode that evidence could not settle, and the plan's criteria."""

    domain: Domain
    plan: Plan
    scenario: Scenario
    messages: Sequence[Message]
    findings: tuple[str, ...]


@dataclass(frozen=True)
class ReflectorInputs:
    """For the reflector: one plan, what became of its tasks, and what stays uncovered."""

    domain: Domain
    plan: Plan
    templates: Mapping[str, ScenarioTemplate]
    proposed: int
    accepted: int
    rejections: Mapping[str, int]
    rejections_by_template: Mapping[str, int]
    blame: Mapping[str, int]
    pass_rates: Mapping[str, float]
    """Pass rate by template over its accepted tasks."""
    gap: CoverageGap
    figures: ProbeFigures | None = None
