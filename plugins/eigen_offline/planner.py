"""The simulated planner: a narrow first guess. It knows the list of templates and nothing of how tasks turn out."""

from __future__ import annotations

from collections.abc import Mapping

from eigen_cli.api.backend import Request, SimulatedReply
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import ScenarioTemplate
from eigen_cli.api.inputs import CoverageGap, PlannerInputs
from eigen_cli.api.outputs import PlannerOutput
from eigen_cli.api.plans import EvaluationPlan, Quota, SynthesisPlan
from eigen_offline.profiles import Profile
from eigen_offline.replies import replied
from eigen_offline.wording import listed

WIDTH = 3
"""Templates of a first plan: what anyone would think of."""
PERSONAS = 2


def answer(request: Request, profile: Profile) -> SimulatedReply:
    """Return a plan for the slot: its part of the families, the simplest templates of it, few personas."""
    inputs: PlannerInputs = request.inputs
    text = canonical_json(_plan(inputs)).decode()
    return replied(text, model=profile.identity)


def _plan(inputs: PlannerInputs) -> PlannerOutput:
    templates = inputs.templates or {template.name: template for template in inputs.domain.templates}
    families = families_of(templates, inputs.slot, inputs.slots)
    own = [name for name, template in templates.items() if template.family in families]
    taken = {quota.template for plan in inputs.siblings for quota in plan.body.synthesis.quotas}
    free = [name for name in own if name not in taken] or [name for name in templates if name not in taken]
    # More slots than families: the last ones share templates, with their own weights.
    names = sorted(free or own or templates, key=lambda name: _rank(templates, name, inputs.gap))[:WIDTH]
    personas = [persona.name for persona in inputs.domain.personas]
    start = inputs.slot * PERSONAS
    chosen = (personas[start:] + personas[:start])[:PERSONAS] if personas else []
    synthesis = SynthesisPlan(
        focus=focus_on(families),
        quotas=tuple(Quota(name, 3 if free else 1 + inputs.slot % 9) for name in names),
        personas=tuple(chosen),
    )
    return PlannerOutput(synthesis=synthesis, evaluation=EvaluationPlan())


def families_of(templates: Mapping[str, ScenarioTemplate], slot: int, slots: int) -> tuple[str, ...]:
    """Return the families of a slot: every slots-th one, so that neighbours in the domain's list are dealt out."""
    families = tuple(dict.fromkeys(template.family for template in templates.values()))
    return families[slot::slots] or families[slot % len(families) :][:1]


def focus_on(families: tuple[str, ...]) -> str:
    """Return the focus of a plan on families, which `in_focus` finds again in it."""
    return f"Conversations about {listed([_quoted(family) for family in families])}."


def in_focus(focus: str, family: str) -> bool:
    """Whether a focus names a family."""
    return _quoted(family) in focus


def _quoted(family: str) -> str:
    return f"'{family.replace('_', ' ')}'"


def _rank(templates: Mapping[str, ScenarioTemplate], name: str, gap: CoverageGap) -> tuple[int, int, int]:
    template = templates[name]
    fills = len(set(template.tools) & set(gap.tools)) + len(set(template.clauses) & set(gap.clauses))
    return (-fills, template.difficulty, list(templates).index(name))
