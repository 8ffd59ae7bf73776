"""The reflector: turns a round's rejections and blamed failures into a child of each plan."""

from __future__ import annotations

from collections.abc import Mapping

from eigen_cli.api.backend import Chat, Request
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.inputs import CoverageGap, ReflectorInputs
from eigen_cli.api.outputs import ReflectorOutput, schema_of
from eigen_cli.api.plans import Plan, PlanBody, PlanOutcome, ProbeFigures
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.planner import gap_text, personas_text, plan_problem, templates_text
from eigen_cli.roles.prompting import load_prompt
from eigen_cli.roles.reasons import reasons_text
from eigen_cli.roles.structured import ask_structured


async def reflect(
    context: RoleContext,
    plan: Plan,
    outcome: PlanOutcome,
    *,
    round_: int,
    gap: CoverageGap,
    figures: ProbeFigures | None = None,
) -> Plan:
    """Return the child of a plan. Raises `UnusableReplyError` when no usable child is written."""
    inputs = ReflectorInputs(
        domain=context.domain,
        plan=plan,
        templates=context.templates,
        proposed=outcome.proposed,
        accepted=outcome.accepted,
        rejections=outcome.rejections,
        rejections_by_template=outcome.rejections_by_template,
        blame=outcome.blame,
        pass_rates=outcome.pass_rates,
        gap=gap,
        figures=figures,
    )
    output, _, _ = await ask_structured(
        context.completer,
        _request(context, inputs, round_),
        ReflectorOutput,
        repairs=context.repairs,
        check=lambda answer: plan_problem(context, answer.synthesis),
    )
    body = PlanBody(
        context.domain.name, plan.body.slot, output.synthesis, output.evaluation, parent=plan.id, author="reflector"
    )
    return Plan.of(body)


def _request(context: RoleContext, inputs: ReflectorInputs, round_: int) -> Request:
    prompt = load_prompt("reflector")
    body = inputs.plan.body
    text = prompt.render(
        domain=context.domain.title,
        plan=canonical_json({"synthesis": body.synthesis, "evaluation": body.evaluation}).decode(),
        outcome=_outcome_text(inputs),
        gap=gap_text(inputs.gap),
        templates=templates_text(context),
        policy=context.policy,
        personas=personas_text(context),
        reasons=reasons_text(),
    )
    return Request(
        role="reflector",
        key=context.key("reflector", round_=round_, plan=inputs.plan.id),
        inputs=inputs,
        chat=Chat.of({"role": "user", "content": text}),
        schema=schema_of(ReflectorOutput),
        prompt_version=prompt.version,
    )


def _outcome_text(inputs: ReflectorInputs) -> str:
    rates = ", ".join(f"{name} {rate:.2f}" for name, rate in sorted(inputs.pass_rates.items()))
    return "\n".join(
        (
            f"- {inputs.accepted} of {inputs.proposed} tasks were accepted.",
            f"- Rejections by reason: {_counts(inputs.rejections)}.",
            f"- Rejections by template: {_counts(inputs.rejections_by_template)}.",
            f"- Failed episodes by who was to blame: {_counts(inputs.blame)}.",
            f"- Pass rate by template: {rates or 'none'}.",
            *(() if inputs.figures is None else (_figures_text(inputs.figures),)),
        )
    )


def _figures_text(figures: ProbeFigures) -> str:
    return (
        f"- On the trial a child is measured by too, {figures.accepted} of {figures.proposed} tasks were accepted, "
        f"{figures.learnable} were sometimes passed and sometimes failed, and {figures.coverage} tools, pairs of tools "
        "and clauses were covered."
    )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda pair: -pair[1])) or "none"
