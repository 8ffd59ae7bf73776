"""The task verifier's second half: a model's word on what code cannot see in a task, and only on that.

It can turn down what code accepted, never the reverse. Simulated actors are not asked: they cannot read.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from eigen_cli.api.backend import Chat, Request
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_cli.api.outputs import schema_of
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Rejection
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.draft_text import outcomes_text, success_text
from eigen_cli.roles.prompting import load_prompt, user_tools_text
from eigen_cli.roles.scenario_text import scenario_text
from eigen_cli.roles.structured import UnusableReplyError, ask_structured


class TaskProblem(msgspec.Struct, frozen=True):
    """One objection of the reader."""

    reason: Literal["ambiguous", "contradiction", "policy_breach", "missing_fact"]
    evidence: str


class TaskReading(msgspec.Struct, frozen=True):
    """What the reader answers; no problem is consent."""

    problems: tuple[TaskProblem, ...]


async def read_task(context: RoleContext, task: Task, *, name: str, attempt: int) -> tuple[Rejection, ...]:
    """Return what a model objects to in a task that `verify_task` accepted.

    `name` is the proposal's, `attempt` counts its versions. A reader without a usable answer objects to nothing.
    """
    prompt, origin = load_prompt("task_verifier"), task.provenance
    text = prompt.render(
        domain=context.domain.title,
        success=success_text(task.reward.training),
        policy=context.policy,
        tools=context.tools,
        user_tools=user_tools_text(context.toolbox.schemas["user"]),
        scenario=scenario_text(context.domain, task.scenario),
        returned=outcomes_text(task.gold, context.gold(task).replayed.outcomes),
        communicate="\n".join(f"- {item.label}: {item.value}" for item in task.communicate) or "(none)",
        checks="\n".join(f"- {check.name} {canonical_json(check.arguments).decode()}" for check in task.checks)
        or "(none besides)",
    )
    request = Request(
        role="task_verifier",
        # Versions of a task and repairs of an unusable answer share one counter, ten apart, as the synthesizer's do.
        key=context.key("task_verifier", round_=origin.round, plan=origin.plan, task=name, attempt=attempt * 10),
        inputs=None,  # simulators are not asked
        chat=Chat.of({"role": "user", "content": text}),
        schema=schema_of(TaskReading),
        prompt_version=prompt.version,
    )
    try:
        reading, _, _ = await ask_structured(context.completer, request, TaskReading, repairs=context.repairs)
    except BackendUnreachableError:
        raise
    except (UnusableReplyError, BackendError):
        return ()
    return tuple(Rejection(problem.reason, problem.evidence) for problem in reading.problems)
