"""One scripted episode, played and scored in both engines: by tau2's own evaluators, and by the official verifiers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

pytest.importorskip("tau2")

from official_evaluators import ActionEvaluator, CommunicateEvaluator, EnvironmentEvaluator
from quick_environment import quick_environment
from tau2.data_model.message import AssistantMessage, UserMessage
from tau2.data_model.message import ToolCall as TheirCall
from tau2.data_model.tasks import Task as TheirTask
from tau2.environment.environment import Environment

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.messages import Message, Requestor, ToolCall, ToolResult
from eigen_cli.api.tasks import Action, Task
from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import Verifier
from eigen_cli.episode.record import FinishedEpisode, executed_calls
from eigen_cli.episode.replay import GoldReplayer
from eigen_cli.world.base import BaseCache
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World
from eigen_tau2.airline import Tau2Airline
from eigen_tau2.bridged import Bridged
from eigen_tau2.retail import Tau2Retail
from eigen_tau2.task_json import SIDES
from eigen_tau2.telecom import Tau2Telecom
from eigen_tau2.verifiers import (
    ActionVerifier,
    CommunicateVerifier,
    DatabaseVerifier,
    EnvironmentVerifier,
    StatementsVerifier,
)
from eigen_tau2.verifiers_corrected import StateVerifier, StrictActionVerifier
from eigen_verifiers.checks import ChecksVerifier
from eigen_verifiers.communicate import CommunicateVerifier as OwnCommunicateVerifier

GREETING = "Hi! How can I help you today?"

VERIFIERS: Mapping[str, Verifier] = {
    verifier.name: verifier
    for verifier in (
        DatabaseVerifier(),
        EnvironmentVerifier(),
        ActionVerifier(),
        CommunicateVerifier(),
        StatementsVerifier(),
        StateVerifier(),
        StrictActionVerifier(),
        ChecksVerifier(),
        OwnCommunicateVerifier(),
    )
}


@dataclass(frozen=True)
class Said:
    """Words of one side."""

    speaker: Requestor
    text: str


Step = Said | Action
Script = tuple[Step, ...]


@dataclass(frozen=True)
class Scores:
    """What code decides of an episode."""

    database: float
    environment: float
    action: float
    communicate: float
    refused: tuple[bool, ...]
    """Which calls were refused."""


class Scene:
    """A domain in both engines, with its official tasks."""

    def __init__(self, domain: Bridged, construct: Callable[..., Environment]) -> None:
        self.domain = domain
        self.toolbox = Toolbox(domain)
        self.construct = construct
        self.task_set = domain.task_set()
        assert not self.task_set.skipped
        self.tasks = {task.id: task for task in self.task_set.tasks}
        self.splits = self.task_set.splits
        self._bases = BaseCache()

    def initial(self, task: Task) -> World:
        """Return the world a task starts in."""
        return World(self._bases.get(self.domain, task.world)).patched(task.patch)

    def replayer(self, task: Task) -> GoldReplayer:
        """Return a task's gold."""
        return GoldReplayer(task.gold, self.initial(task), self.toolbox)

    def played(self, task: Task, script: Script) -> FinishedEpisode:
        """Play a script in our engine."""
        world = initial = self.initial(task)
        messages: list[Message] = []
        for number, step in enumerate(script):
            if isinstance(step, Said):
                messages.append(Message(speaker=step.speaker, text=step.text))
                continue
            raw = canonical_json(step.arguments).decode()
            call = ToolCall(f"c{number}", step.requestor, step.name, raw, step.arguments)
            outcome = self.toolbox.call(world, step.name, step.arguments, requestor=step.requestor)
            assert outcome.defect is None, outcome.defect
            world = outcome.world
            result = ToolResult(call.id, call.requestor, call.name, outcome.content, outcome.error, outcome.changes)
            messages.append(Message(speaker=step.requestor, tool_calls=(call,)))
            messages.append(Message(speaker="environment", result=result))
        return FinishedEpisode(tuple(messages), executed_calls(messages), initial, world, "user_stop")

    def part(self, verifier: str, task: Task, script: Script) -> Part:
        """Return what one of our verifiers says of a script."""
        return VERIFIERS[verifier].verify(task, self.played(task, script), self.replayer(task))

    def reward(self, task: Task, script: Script, scoring: str) -> float:
        """Return a script's reward by a scoring."""
        basis = next(known.basis for known in self.domain.scorings(task) if known.name == scoring)
        episode, replayer, reward = self.played(task, script), self.replayer(task), 1.0
        for name in basis:
            reward *= VERIFIERS[name].verify(task, episode, replayer).score
        return reward

    def ours(self, task: Task, script: Script) -> Scores:
        """Return what the official verifiers say."""
        episode, replayer = self.played(task, script), self.replayer(task)
        names = ("tau2-db", "tau2-env", "tau2-action", "tau2-communicate")
        scores = [VERIFIERS[name].verify(task, episode, replayer).score for name in names]
        return Scores(*scores, refused=tuple(not ok for _, ok in episode.calls))

    def theirs(self, task: Task, script: Script) -> Scores:
        """Play a script in tau2's environment, and return what its evaluators say."""
        official = TheirTask.model_validate(task.imported["task"])
        environment, state = self.construct(), official.initial_state
        environment.set_state(
            state and state.initialization_data, state and state.initialization_actions, message_history=[]
        )
        messages: list[Any] = []
        refused = []
        for number, step in enumerate(script):
            if isinstance(step, Said):
                kind = AssistantMessage if step.speaker == "agent" else UserMessage
                messages.append(kind(role=SIDES[step.speaker], content=step.text))
                continue
            side = SIDES[step.requestor]
            call = TheirCall(id=f"c{number}", name=step.name, arguments=step.arguments, requestor=side)
            kind = AssistantMessage if side == "assistant" else UserMessage
            result = environment.get_response(call)
            refused.append(result.error)
            messages += [kind(role=side, tool_calls=[call]), result]
        state_info = EnvironmentEvaluator.calculate_reward(self.construct, official, messages)
        assert state_info.db_check is not None
        return Scores(
            database=state_info.db_check.db_reward,
            environment=float(all(check.met for check in state_info.env_assertions or ())),
            action=ActionEvaluator.calculate_reward(official, messages).reward,
            communicate=CommunicateEvaluator.calculate_reward(official, messages).reward,
            refused=tuple(refused),
        )


@cache
def official(folder: str) -> Scene:
    """Return a domain in both engines, with the release's tasks; made once for all modules of tests."""
    return scene(folder)


def scene(folder: str, options: Mapping[str, str] | None = None) -> Scene:
    """Return a domain in both engines."""
    if folder == "telecom":
        from telecom_pair import environment

        return Scene(Tau2Telecom(options), lambda solo_mode=False: environment())
    kind = {"airline": Tau2Airline, "retail": Tau2Retail}[folder]
    return Scene(kind(options), quick_environment(folder))


def gold_script(task: Task, *, said: str | None = None) -> Script:
    """Return the script of an agent that makes the gold calls and then says all it has to, or what it is given."""
    told = "; ".join(item.value for item in task.communicate) if said is None else said
    return (
        Said("agent", GREETING),
        Said("user", "Hello, I need help."),
        *task.gold,
        Said("agent", f"That is done. {told}".strip()),
        Said("user", "Thank you. ###STOP###"),
    )


APOLOGY: Script = (
    Said("agent", GREETING),
    Said("user", "Hello, I need help."),
    Said("agent", "I am sorry, I cannot help with that."),
    Said("user", "###STOP###"),
)
"""An agent that does nothing."""
