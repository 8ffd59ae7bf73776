"""Gold, replayed: what every call of a task brought, which checks hold afterwards, and the hashes of the outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.checks import checks_of
from eigen_cli.api.domain import CheckContext, Domain
from eigen_cli.api.messages import Message, Requestor
from eigen_cli.api.tasks import Action, CheckCall, Task
from eigen_cli.episode.replay import GoldReplayer
from eigen_cli.world.base import BaseCache
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World


class ReplayedAction(msgspec.Struct, frozen=True):
    """One gold call and what it returned."""

    name: str
    arguments: dict[str, Any]
    requestor: Requestor
    error: bool
    content: str


class ReplayedCheck(msgspec.Struct, frozen=True):
    """One check of a task after its gold; `problem` says why it could not be asked, and it then does not hold."""

    name: str
    arguments: dict[str, Any]
    holds: bool
    problem: str = ""


class ReplayedTask(msgspec.Struct, frozen=True):
    """A task's gold after its replay; the keys of `eigen replay --json`."""

    id: str
    actions: tuple[ReplayedAction, ...]
    errors: tuple[str, ...]
    """Refused calls, each with its text."""
    checks: tuple[ReplayedCheck, ...]
    state_hash: str
    outcome_hash: str
    tau2_hash: Mapping[str, str]
    """The gold state as tau2-bench hashes it, by side; empty for domains that are not its."""

    @property
    def broken(self) -> tuple[ReplayedCheck, ...]:
        """The checks that do not hold."""
        return tuple(check for check in self.checks if not check.holds)


def replayed_tasks(domain: Domain, tasks: Sequence[Task]) -> Iterator[ReplayedTask]:
    """Replay tasks in order; their worlds are built once and shared."""
    toolbox, bases = Toolbox(domain), BaseCache()
    for task in tasks:
        initial = World(bases.get(domain, task.world)).patched(task.patch)
        yield replayed_task(task, GoldReplayer(task.gold, initial, toolbox))


def replayed_task(task: Task, gold: GoldReplayer) -> ReplayedTask:
    """Replay one task's gold."""
    done = gold.replayed
    actions = tuple(
        ReplayedAction(action.name, action.arguments, action.requestor, outcome.error, outcome.content)
        for action, outcome in zip(task.gold, done.outcomes, strict=True)
    )
    return ReplayedTask(
        id=task.id,
        actions=actions,
        errors=tuple(f"{_call_text(action)}: {action.content}" for action in actions if action.error),
        checks=tuple(_checked(task, gold)),
        state_hash=done.world.state_hash(),
        outcome_hash=done.world.outcome_hash(),
        tau2_hash=gold.domain.benchmark_hashes(task, gold),
    )


def _checked(task: Task, gold: GoldReplayer) -> Iterator[ReplayedCheck]:
    """Ask a task's checks about gold as an episode in which all that had to be told was told."""
    if not task.checks:
        return
    told = tuple(Message(speaker="agent", text=f"{item.label}: {item.value}") for item in task.communicate)
    made = tuple((action, not done.error) for action, done in zip(task.gold, gold.replayed.outcomes, strict=True))
    context = CheckContext(gold.initial_world(), gold.gold_world(), told, made)
    for call in task.checks:
        yield _asked(call, context, gold.domain)


def _asked(call: CheckCall, context: CheckContext, domain: Domain) -> ReplayedCheck:
    check = checks_of(domain).get(call.name)
    if check is None:
        return ReplayedCheck(call.name, call.arguments, False, f"{domain.name} has no check of that name")
    try:
        return ReplayedCheck(call.name, call.arguments, check(context, **call.arguments))
    except Exception as error:  # a check of a plugin, or arguments it does not take: this task's fact, not our end
        return ReplayedCheck(call.name, call.arguments, False, f"{type(error).__name__}: {error}")


def _call_text(action: ReplayedAction | Action) -> str:
    by = " by the user" if action.requestor == "user" else ""
    return f"{action.name} {canonical_json(action.arguments).decode()}{by}"
