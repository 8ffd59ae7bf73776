"""The synthesizer: tasks for a plan, grounded in real records and in gold actions that run."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass

from eigen_cli.api.backend import Chat, Request
from eigen_cli.api.canonical import SHORT, content_hash, derive_rng
from eigen_cli.api.checks import checks_of
from eigen_cli.api.domain import Domain, Draft
from eigen_cli.api.inputs import SynthesizerInputs
from eigen_cli.api.outputs import SynthesizerOutput, schema_of
from eigen_cli.api.plans import Plan, SynthesisPlan
from eigen_cli.api.tasks import Provenance, RewardBasis, Scenario, Split, Task, WorldRef
from eigen_cli.api.verdicts import Rejection
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.draft_text import draft_text, returned_text, success_text
from eigen_cli.roles.prompting import load_prompt, user_tools_text
from eigen_cli.roles.structured import ask_structured

_DRAWS = 8
"""How often a template may fail to find fitting records before another is tried."""


@dataclass(frozen=True)
class Grounding:
    """Where one proposal starts: a template's draft over a generated world."""

    plan: Plan
    round_: int
    number: int
    name: str
    """Names the proposal within its run: the `task` part of its call keys."""
    template: str
    draft: Draft
    world: WorldRef


@dataclass(frozen=True)
class Attempt:
    """A rejected attempt at a proposal, to be repaired."""

    number: int = 0
    previous: str = ""
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True)
class Proposed:
    """A written task, the text it was written in, and how many answers it took to get one that validates."""

    task: Task
    text: str
    answers: int


def allot_templates(synthesis: SynthesisPlan, count: int, *, names: tuple[object, ...]) -> list[str]:
    """Return a template for each of `count` proposals, in proportion to the quotas (largest remainder), shuffled.

    Quotas that round to nothing take turns: which of equal remainders win is drawn from `names`.
    """
    quotas = [quota for quota in synthesis.quotas if quota.weight > 0]
    total = sum(quota.weight for quota in quotas)
    rng = derive_rng("allot", *names)
    shares = [(quota.weight * count // total, quota.weight * count % total, rng.random(), quota) for quota in quotas]
    allotted = [quota.template for whole, _, _, quota in shares for _ in range(whole)]
    by_remainder = sorted(shares, key=lambda share: (-share[1], share[2]))
    allotted += [share[3].template for share in by_remainder[: count - len(allotted)]]
    rng.shuffle(allotted)
    return allotted


def ground(
    context: RoleContext, plan: Plan, *, round_: int, number: int, name: str, template: str, world: WorldRef
) -> Grounding | None:
    """Draw real records for a proposal; falls over to the plan's other templates when one finds nothing that fits."""
    order = [template, *(quota.template for quota in plan.body.synthesis.quotas if quota.template != template)]
    view = context.world(world)
    for candidate in order:
        rng = derive_rng(context.seed, "ground", round_, plan.id, name, candidate)
        for _ in range(_DRAWS):
            draft = context.templates[candidate].draft(view, rng)
            if draft is not None:
                return Grounding(plan, round_, number, name, candidate, draft, world)
    return None


async def synthesize(context: RoleContext, grounding: Grounding, attempt: Attempt) -> Proposed:
    """Ask for a task, or for the repair of one. Raises `UnusableReplyError` when no answer validates."""
    output, completion, used = await ask_structured(
        context.completer, _request(context, grounding, attempt), SynthesizerOutput, repairs=context.repairs
    )
    provenance = Provenance(
        plan=grounding.plan.id,
        round=grounding.round_,
        proposal=grounding.number,
        attempt=attempt.number,
        template=grounding.template,
        model=completion.model,
        prompt_version=load_prompt("synthesizer").version,
    )
    return Proposed(build_task(context, output, grounding, provenance), completion.text, used)


def build_task(context: RoleContext, output: SynthesizerOutput, grounding: Grounding, provenance: Provenance) -> Task:
    """Return the task an output describes.

    Its id follows from content and proposal; its split from family and world, not from chance.
    """
    domain, template = context.domain, context.templates[grounding.template]
    scenario = Scenario(
        persona=output.persona,
        reason=output.reason,
        known=output.known,
        goals=output.goals,
        unknown=output.unknown,
        instructions=output.instructions,
    )
    content = (domain.name, scenario, output.gold, output.communicate, output.checks, grounding.draft.patch)
    return Task(
        id=f"task-{content_hash((content, grounding.world, grounding.round_, grounding.name))[:SHORT]}",
        domain=domain.name,
        family=template.family,
        split=assign_split(domain.name, template.family, grounding.world),
        world=grounding.world,
        scenario=scenario,
        gold=output.gold,
        reward=RewardBasis(domain.reward_training, domain.reward_evaluation),
        provenance=provenance,
        communicate=output.communicate,
        checks=output.checks,
        clauses=output.clauses,
        difficulty=template.difficulty,
        patch=grounding.draft.patch,
    )


def assign_split(domain: str, family: str, world: WorldRef) -> Split:
    """Return the split of a scenario family in a generated world: 80 % train, 10 % validation, 10 % test.

    A function of names alone, so every turn, trial and twin of a task follows it, in every round and run.
    """
    share = derive_rng("split", domain, family, world.seed, world.size).random()
    return "train" if share < 0.8 else "validation" if share < 0.9 else "test"


def _request(context: RoleContext, grounding: Grounding, attempt: Attempt) -> Request:
    prompt = load_prompt("synthesizer")
    domain, synthesis = context.domain, grounding.plan.body.synthesis
    text = prompt.render(
        domain=domain.title,
        policy=context.policy,
        tools=context.tools,
        focus=synthesis.focus,
        guidelines="\n".join(f"- {guideline.text}" for guideline in synthesis.guidelines),
        user_tools=user_tools_text(context.toolbox.schemas["user"]),
        success=success_text(domain.reward_training),
        template=grounding.template.replace("_", " "),
        draft=draft_text(grounding.draft),
        returned=returned_text(context, grounding.world, grounding.draft),
        persona=_persona_text(context, grounding),
        facts="; ".join(f"{kind.name} ({kind.label})" for kind in domain.fact_kinds) or "(free)",
        checks=_checks_text(domain),
        repair=_repair_text(attempt),
    )
    return Request(
        role="synthesizer",
        # Repairs of a rejected task and of an unusable answer share one counter, ten apart.
        key=context.key(
            "synthesizer",
            round_=grounding.round_,
            plan=grounding.plan.id,
            task=grounding.name,
            attempt=attempt.number * 10,
        ),
        inputs=SynthesizerInputs(
            domain, grounding.plan, grounding.template, grounding.draft, attempt.previous, attempt.rejections
        ),
        chat=Chat.of({"role": "user", "content": text}),
        schema=schema_of(SynthesizerOutput),
        prompt_version=prompt.version,
    )


def _checks_text(domain: Domain) -> str:
    """Return the checks a task may name: arguments and what each proves."""
    lines = []
    for name, check in checks_of(domain).items():
        arguments = ", ".join(list(inspect.signature(check).parameters)[1:])
        summary = (inspect.getdoc(check) or "").split("\n", 1)[0]
        lines.append(f"- `{name}({arguments})` {summary}")
    return "\n".join(lines)


def _persona_text(context: RoleContext, grounding: Grounding) -> str:
    names = grounding.plan.body.synthesis.personas
    personas: Mapping[str, str] = {persona.name: persona.text for persona in context.domain.personas}
    chosen = [name for name in names if name in personas] or list(personas)
    if not chosen:
        return "anyone"
    return personas[derive_rng(context.seed, "persona", grounding.name).choice(chosen)]


def _repair_text(attempt: Attempt) -> str:
    if not attempt.rejections:
        return ""
    reasons = "\n".join(f"- {rejection.reason}: {rejection.evidence}" for rejection in attempt.rejections)
    return f"\n## Your last version was rejected\n{attempt.previous}\n\nReasons:\n{reasons}\nMend exactly these.\n"
