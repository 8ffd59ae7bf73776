"""The simulated reflector: answers each material failure with a guideline, and moves weight to where tasks teach.

A pure function of its inputs: it draws nothing and knows neither the round nor what was planted.
"""

from __future__ import annotations

from collections.abc import Mapping

from eigen_cli.api.backend import Request, SimulatedReply
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import ScenarioTemplate
from eigen_cli.api.inputs import ReflectorInputs
from eigen_cli.api.outputs import ReflectorOutput
from eigen_cli.api.plans import EvaluationPlan, Guideline, Quota, SynthesisPlan
from eigen_offline.advice import AGAINST, BLAME_CRITERIA
from eigen_offline.planner import in_focus
from eigen_offline.profiles import Profile
from eigen_offline.replies import replied
from eigen_offline.wording import listed

MATERIAL = 0.04
"""Share of proposals from which a rejection reason is answered."""
BLAMED = 0.1
"""Share of failed episodes from which a blame reason becomes a criterion."""
NEW_TEMPLATES = 3
"""Templates a child may take up at once."""
MORE_PERSONAS = 2
_MISSING = 1.4
"""How much more a template weighs that would still fill a gap, though the plan has it already."""
_SURE = 1.2
"""Shares of one proposal that keep a template in every round, whatever the others weigh."""
TOTAL_WEIGHT = 60
"""Quotas are scaled down to at most this sum."""


def answer(request: Request, profile: Profile) -> SimulatedReply:
    """Return the child of the plan."""
    inputs: ReflectorInputs = request.inputs
    text = canonical_json(_child(inputs, profile.deaf)).decode()
    return replied(text, model=profile.identity)


def _child(inputs: ReflectorInputs, deaf: tuple[str, ...]) -> ReflectorOutput:
    synthesis = inputs.plan.body.synthesis
    heeded = {guideline.reason for guideline in synthesis.guidelines}
    new_reasons = [reason for reason in _material(inputs) if reason not in heeded and reason not in deaf]
    guidelines = synthesis.guidelines + tuple(Guideline(reason, AGAINST[reason]) for reason in new_reasons)
    criteria = _criteria(inputs)
    added = _filling(inputs)
    return ReflectorOutput(
        diagnosis=_diagnosis(inputs, new_reasons, added),
        synthesis=SynthesisPlan(
            focus=synthesis.focus,
            quotas=_quotas(inputs, added),
            personas=_personas(inputs),
            guidelines=guidelines,
        ),
        evaluation=EvaluationPlan(criteria),
    )


def _material(inputs: ReflectorInputs) -> list[str]:
    """Return rejection reasons frequent enough to answer, most frequent first."""
    floor = max(1.0, MATERIAL * inputs.proposed)
    frequent = [(count, reason) for reason, count in inputs.rejections.items() if count >= floor and reason in AGAINST]
    return [reason for _, reason in sorted(frequent, key=lambda pair: (-pair[0], pair[1]))]


def _criteria(inputs: ReflectorInputs) -> tuple[Guideline, ...]:
    criteria = list(inputs.plan.body.evaluation.criteria)
    known = {criterion.reason for criterion in criteria}
    failures = sum(inputs.blame.values())
    for reason, count in sorted(inputs.blame.items(), key=lambda pair: (-pair[1], pair[0])):
        party, _, what = reason.partition(":")
        if reason not in known and count >= BLAMED * failures and party in BLAME_CRITERIA:
            criteria.append(Guideline(reason, BLAME_CRITERIA[party].format(what=(what or party).replace("_", " "))))
    return tuple(criteria)


def _filling(inputs: ReflectorInputs) -> list[str]:
    """Return unused templates of the plan's focus that fill the gap, the most filling first."""
    used = {quota.template for quota in inputs.plan.body.synthesis.quotas}
    candidates = [name for name in _in_focus(inputs) if name not in used]
    order = list(inputs.templates)
    return sorted(candidates, key=lambda name: (-_fills(inputs, inputs.templates[name]), order.index(name)))[
        :NEW_TEMPLATES
    ]


def _fills(inputs: ReflectorInputs, template: ScenarioTemplate) -> int:
    gap, tools = inputs.gap, set(template.tools)
    pairs = sum(first in tools and second in tools for first, second in gap.tool_pairs)
    return 3 * len(tools & set(gap.tools)) + 2 * len(set(template.clauses) & set(gap.clauses)) + pairs


def _in_focus(inputs: ReflectorInputs) -> list[str]:
    """Return the templates of the families that the focus names; all of them if it names none (a model's focus)."""
    focus = inputs.plan.body.synthesis.focus
    named = [name for name, template in inputs.templates.items() if in_focus(focus, template.family)]
    return named or list(inputs.templates)


def _quotas(inputs: ReflectorInputs, added: list[str]) -> tuple[Quota, ...]:
    """Return the child's quotas: what is always or never passed weighs less, what divides trials more, gaps most."""
    weights: dict[str, float] = {}
    for quota in inputs.plan.body.synthesis.quotas:
        template = inputs.templates.get(quota.template)
        missing = _MISSING if template is not None and _fills(inputs, template) else 1.0
        weights[quota.template] = quota.weight * missing * _learnable(inputs.pass_rates.get(quota.template))
    for name in added:
        weights[name] = 4.0
    least = _SURE * sum(weights.values()) / max(1, inputs.proposed)
    for name in _sole_bearers(inputs, list(weights)):
        weights[name] = max(weights[name], least)
    scale = min(1.0, TOTAL_WEIGHT / sum(weights.values()))
    return tuple(Quota(name, max(1, round(weight * scale))) for name, weight in weights.items())


def _sole_bearers(inputs: ReflectorInputs, names: list[str]) -> list[str]:
    """Return the templates that alone among these bring some tool; without them a round would lose it."""
    bearers: dict[str, list[str]] = {}
    for name in names:
        for tool in inputs.templates[name].tools if name in inputs.templates else ():
            bearers.setdefault(tool, []).append(name)
    return list(dict.fromkeys(names[0] for names in bearers.values() if len(names) == 1))


def _learnable(rate: float | None) -> float:
    if rate is None:
        return 1.0
    if rate in (0.0, 1.0):
        return 0.6
    return 1.3 if 0.2 <= rate <= 0.8 else 1.0


def _personas(inputs: ReflectorInputs) -> tuple[str, ...]:
    chosen = inputs.plan.body.synthesis.personas
    others = [persona.name for persona in inputs.domain.personas if persona.name not in chosen]
    start = inputs.plan.body.slot % len(others) if others else 0
    return chosen + tuple((others[start:] + others[:start])[:MORE_PERSONAS])


def _diagnosis(inputs: ReflectorInputs, reasons: list[str], added: list[str]) -> str:
    share = f"{inputs.accepted} of {inputs.proposed} tasks were accepted."
    why = (
        f"New guidelines answer {listed([reason.replace('_', ' ') for reason in reasons])}."
        if reasons
        else "No further rejection reason is frequent enough to answer."
    )
    extremes = [name for name, rate in _sorted(inputs.pass_rates) if rate in (0.0, 1.0)]
    band = f"Weight moves away from {listed(extremes)}, which trials do not tell apart." if extremes else ""
    new = f"New templates {listed(added)} reach for what is uncovered." if added else ""
    return " ".join(part for part in (share, why, band, new) if part)


def _sorted(rates: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(rates.items())
