"""Real tasks and real episodes of a domain, made without any model: what contract checks judge plugins with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from eigen_cli.api.backend import Reply, Request
from eigen_cli.api.canonical import canonical_json, derive_rng
from eigen_cli.api.domain import Domain, Draft, ScenarioTemplate
from eigen_cli.api.errors import BackendError
from eigen_cli.api.messages import Message, ToolCall, ToolResult
from eigen_cli.api.outputs import SynthesizerOutput
from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, Quota, SynthesisPlan
from eigen_cli.api.tasks import Action, Provenance, Task, WorldRef
from eigen_cli.api.verifier import Verifier
from eigen_cli.episode.record import FinishedEpisode
from eigen_cli.evolve.templates import templates_of
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.synthesizer import Grounding, build_task
from eigen_cli.world.base import BaseCache
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World

_DRAWS = 20
"""How often a template may find nothing that fits before it counts as finding nothing."""


@dataclass(frozen=True)
class DraftedTask:
    """A template's draft, and the task it is when nobody rewords it."""

    template: ScenarioTemplate
    draft: Draft
    task: Task


class _NoModel:
    async def complete(self, request: Request) -> Reply:
        raise BackendError(f"contract checks ask no model, but the {request.role} was asked")


def contract_context(domain: Domain, verifiers: dict[str, Verifier] | None = None, *, seed: int = 0) -> RoleContext:
    """Return what roles need of a domain, with no model behind it."""
    toolbox = Toolbox(domain)
    return RoleContext(
        run="contract",
        seed=seed,
        domain=domain,
        templates=templates_of(domain, toolbox),
        toolbox=toolbox,
        bases=BaseCache(),
        completer=_NoModel(),
        verifiers=verifiers or {},
    )


def draw(context: RoleContext, template: ScenarioTemplate, number: int) -> Draft | None:
    """Return the template's draft of a given number, or None where it finds nothing in this world."""
    rng = derive_rng(context.seed, "contract", template.name, number)
    world = context.world(world_of(context))
    return next((draft for _ in range(_DRAWS) if (draft := template.draft(world, rng)) is not None), None)


def world_of(context: RoleContext) -> WorldRef:
    """Return the reference of the world the checks look at: the domain's default size."""
    return WorldRef(seed=context.seed, size=0)


def drafted_tasks(context: RoleContext, *, each: int) -> Iterator[DraftedTask]:
    """Yield `each` tasks of every template, in the domain's order; templates that find nothing yield none."""
    for template in context.templates.values():
        yield from tasks_of_template(context, template, each=each)


def tasks_of_template(context: RoleContext, template: ScenarioTemplate, *, each: int) -> Iterator[DraftedTask]:
    """Yield `each` tasks of one template, fewer where it finds nothing."""
    for number in range(each):
        draft = draw(context, template, number)
        if draft is not None:
            yield DraftedTask(template, draft, task_of(context, template, draft, number=number))


def task_of(context: RoleContext, template: ScenarioTemplate, draft: Draft, *, number: int) -> Task:
    """Return a draft as a task, in the domain's own words."""
    body = PlanBody(context.domain.name, 0, SynthesisPlan("contract", (Quota(template.name, 1),)), EvaluationPlan())
    plan = Plan.of(body)
    personas = context.domain.personas
    output = SynthesizerOutput(
        persona=personas[number % len(personas)].text if personas else "a customer",
        reason=draft.goals[0].request if draft.goals else "",
        goals=draft.goals,
        gold=draft.gold,
        clauses=draft.clauses,
        known=draft.known,
        unknown=draft.unknown,
        instructions=draft.instructions,
        communicate=draft.communicate,
        checks=draft.checks,
    )
    grounding = Grounding(plan, 0, number, f"{template.name}-{number}", template.name, draft, world_of(context))
    return build_task(context, output, grounding, Provenance(plan.id, 0, number, template=template.name))


def played(context: RoleContext, task: Task, actions: tuple[Action, ...], *, tell: bool = True) -> FinishedEpisode:
    """Return the episode of an agent that makes exactly these calls and, with `tell`, says all it has to.

    The user opens with its request, and ends the call after the agent's last words.
    """
    initial = context.initial_world(task)
    messages = [Message(speaker="user", text=" ".join(goal.request for goal in task.scenario.goals))]
    calls: list[tuple[Action, bool]] = []
    world: World = initial
    for number, action in enumerate(actions):
        outcome = context.toolbox.call(world, action.name, action.arguments, requestor=action.requestor)
        raw = canonical_json(action.arguments).decode()
        call = ToolCall(f"call_{number}", action.requestor, action.name, raw, arguments=action.arguments)
        result = ToolResult(call.id, call.requestor, call.name, outcome.content, outcome.error, outcome.changes)
        messages.append(Message(speaker=action.requestor, tool_calls=(call,), finish_reason="tool_calls"))
        messages.append(Message(speaker="environment", result=result))
        calls.append((action, not outcome.error))
        world = outcome.world
    if tell:
        told = "; ".join(f"{item.label or item.kind}: {item.value}" for item in task.communicate)
        messages.append(Message(speaker="agent", text=f"That is done. {told}".rstrip(), finish_reason="stop"))
    messages.append(Message(speaker="user", text="Thank you, goodbye.", finish_reason="stop"))
    return FinishedEpisode(tuple(messages), tuple(calls), initial, world, "user_stop")
