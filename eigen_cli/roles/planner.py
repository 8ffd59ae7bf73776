"""The planner: non-overlapping (synthesis, evaluation) plans for a round."""

from __future__ import annotations

from collections import Counter

from eigen_cli.api.backend import Chat, Request
from eigen_cli.api.inputs import CoverageGap, PlannerInputs
from eigen_cli.api.outputs import PlannerOutput, schema_of
from eigen_cli.api.plans import Plan, PlanBody, SynthesisPlan
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.prompting import load_prompt, user_tools_text
from eigen_cli.roles.reasons import reasons_text
from eigen_cli.roles.structured import ask_structured

_NEARLY_ALL = 0.75
"""Share of the templates above which a tool is named once for all of them."""


async def write_plans(
    context: RoleContext, *, round_: int, slots: int, gap: CoverageGap, attempt: int = 0
) -> tuple[Plan, ...]:
    """Return one plan a slot; each is written knowing the ones before it, so that their foci do not overlap.

    Raises `UnusableReplyError` when a planner keeps writing plans that cannot be used.
    """
    plans: tuple[Plan, ...] = ()
    for slot in range(slots):
        inputs = PlannerInputs(context.domain, slot, slots, plans, gap, context.templates)
        request = _request(context, inputs, round_, attempt)
        output, _, _ = await ask_structured(
            context.completer,
            request,
            PlannerOutput,
            repairs=context.repairs,
            check=lambda answer: plan_problem(context, answer.synthesis),
        )
        plans += (Plan.of(PlanBody(context.domain.name, slot, output.synthesis, output.evaluation)),)
    return plans


def plan_problem(context: RoleContext, synthesis: SynthesisPlan) -> str | None:
    """Return why a synthesis plan cannot be used, in words its author can act on, or None."""
    unknown = [quota.template for quota in synthesis.quotas if quota.template not in context.templates]
    if unknown:
        return f"there is no template {unknown[0]!r}; the templates are {', '.join(context.templates)}"
    if not any(quota.weight > 0 for quota in synthesis.quotas):
        return "no template has a positive weight"
    personas = {persona.name for persona in context.domain.personas}
    strangers = [name for name in synthesis.personas if name not in personas]
    if strangers:
        return f"there is no persona {strangers[0]!r}; the personas are {', '.join(sorted(personas))}"
    return None


def templates_text(context: RoleContext) -> str:
    """Return the templates as prompts list them: name, difficulty, tools and clauses they can cover.

    Tools that nearly every template uses are named once, before the list.
    """
    templates = context.templates
    uses = Counter(tool for template in templates.values() for tool in template.tools)
    common = [tool for tool, count in uses.items() if count > _NEARLY_ALL * len(templates)]
    lines = [f"Nearly all use {', '.join(common)}; each line names the others."] if common else []
    for name, template in templates.items():
        tools = ", ".join(tool for tool in template.tools if tool not in common) or "no others"
        clauses = ", ".join(template.clauses) or "none"
        lines.append(f"- {name} (difficulty {template.difficulty}): tools {tools}; clauses {clauses}")
    return "\n".join(lines)


def gap_text(gap: CoverageGap) -> str:
    """Return a coverage gap as prompts show it."""
    pairs = ", ".join(f"{first} then {second}" for first, second in gap.tool_pairs[:20])
    parts = [("tools", ", ".join(gap.tools)), ("tool pairs", pairs), ("clauses", ", ".join(gap.clauses))]
    lines = [f"- {label}: {names}" for label, names in parts if names]
    return "\n".join(lines) or "(nothing is known to be missing)"


def personas_text(context: RoleContext) -> str:
    """Return the domain's personas: name and what they are like."""
    return "\n".join(f"- {persona.name}: {persona.text}" for persona in context.domain.personas) or "(none)"


def _request(context: RoleContext, inputs: PlannerInputs, round_: int, attempt: int) -> Request:
    prompt = load_prompt("planner")
    siblings = "\n".join(f"- {plan.body.synthesis.focus}" for plan in inputs.siblings) or "(none yet)"
    text = prompt.render(
        domain=context.domain.title,
        policy=context.policy,
        tools=context.tools,
        user_tools=user_tools_text(context.toolbox.schemas["user"]),
        templates=templates_text(context),
        siblings=siblings,
        gap=gap_text(inputs.gap),
        slot=str(inputs.slot + 1),
        slots=str(inputs.slots),
        personas=personas_text(context),
        reasons=reasons_text(),
    )
    return Request(
        role="planner",
        key=context.key("planner", round_=round_, plan=f"slot-{inputs.slot}", attempt=attempt),
        inputs=inputs,
        chat=Chat.of({"role": "user", "content": text}),
        schema=schema_of(PlannerOutput),
        prompt_version=prompt.version,
    )
