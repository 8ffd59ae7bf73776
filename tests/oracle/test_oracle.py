"""The oracle backend: both sides together pass every accepted task, and each keeps to its own side of the line."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import msgspec
import pytest
from stage import DOMAINS, Stage, StageOf

from eigen_cli.api.backend import BackendSettings, CallKey, Chat, Request
from eigen_cli.api.errors import BackendError
from eigen_cli.api.inputs import AgentInputs, JudgeInputs, UserInputs
from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, SynthesisPlan
from eigen_cli.testing.backend_contract import backend_breaches
from eigen_oracle.oracle import OracleBackend


@pytest.mark.parametrize("name", DOMAINS)
def test_every_accepted_task_passes_for_evaluation_and_for_training(
    stage_of: StageOf, oracle: OracleBackend, name: str
) -> None:
    stage = stage_of(name)
    assert len(stage.tasks) == len(stage.context.templates) >= 25
    for task in stage.tasks:
        played = stage.play(task, oracle)
        assert played.state.stop == "user_stop", task.id
        assert played.reward(task.reward.evaluation) == 1.0, (task.id, played.parts)
        # The training reward holds the policy too: what is written was laid out and agreed to before.
        assert played.reward(task.reward.training) == 1.0, (task.id, played.parts)


@pytest.mark.parametrize("name", DOMAINS)
def test_dialogues_are_talk(stage_of: StageOf, oracle: OracleBackend, name: str) -> None:
    stage = stage_of(name)
    for task in stage.tasks:
        played = stage.play(task, oracle)
        for text in [*played.said("agent"), *played.said("user")]:
            assert not re.search(r"[{}\[\]]|\b\w+_\w+\(|None|<[^>]*\|", text), text


@pytest.mark.parametrize("name", DOMAINS)
def test_each_side_is_handed_nothing_of_the_other_but_its_words(
    stage_of: StageOf, oracle: OracleBackend, name: str
) -> None:
    stage = stage_of(name)
    stage.play(stage.tasks[0], oracle)
    for request in stage.requests:
        for message in request.inputs.conversation:
            if message.speaker not in (request.role, "environment"):
                assert (message.tool_calls, message.result) == ((), None)


def test_an_answer_depends_on_its_request_alone(telecom: Stage, oracle: OracleBackend) -> None:
    task = max(telecom.tasks, key=lambda task: len(task.gold))
    telecom.play(task, oracle)
    requests = list(telecom.requests)
    first = [_answer(oracle, request) for request in requests]
    again = [_answer(OracleBackend(BackendSettings()), request) for request in reversed(requests)]
    assert first == again[::-1]


def _answer(backend: OracleBackend, request: Request) -> Any:
    return asyncio.run(backend.complete(request)).completion


def test_it_never_waits(telecom: Stage, oracle: OracleBackend) -> None:
    telecom.play(telecom.tasks[0], oracle)
    for request in telecom.requests:
        answering = oracle.complete(request)
        with pytest.raises(StopIteration):
            answering.send(None)


def test_it_is_simulated_and_declared_oracle(oracle: OracleBackend) -> None:
    assert (oracle.identity, oracle.simulated, oracle.oracle) == ("oracle", True, True)


def test_other_roles_are_refused_by_name(telecom: Stage, oracle: OracleBackend) -> None:
    plan = Plan.of(PlanBody("telecom", 0, SynthesisPlan("tests", ()), EvaluationPlan()))
    inputs = JudgeInputs(telecom.context.domain, plan, telecom.tasks[0].scenario, (), ())
    request = Request("judge", CallKey("r", 1, "p", "t", 0, "judge", 0, 0), inputs, Chat())
    with pytest.raises(BackendError, match="the backend `oracle` plays agent and user, not the judge") as caught:
        _answer(oracle, request)
    assert caught.value.hint == "set roles.judge.name in eigen.toml to another backend"


@pytest.mark.parametrize("role", ["agent", "user"])
def test_without_the_task_there_is_nothing_to_go_by(telecom: Stage, oracle: OracleBackend, role: str) -> None:
    domain, task = telecom.context.domain, telecom.tasks[0]
    inputs = AgentInputs(domain, ()) if role == "agent" else UserInputs(domain, task.scenario, (), "###STOP###")
    key = CallKey("r", 1, "p", "t", 0, "agent", 0, 0)
    with pytest.raises(BackendError, match="was not handed the task"):
        _answer(oracle, Request("agent" if role == "agent" else "user", key, inputs, Chat()))


async def test_it_keeps_the_contract_of_backends(telecom: Stage, oracle: OracleBackend) -> None:
    assert await backend_breaches(oracle, telecom.context) == []


def test_replies_count_what_they_cost(telecom: Stage, oracle: OracleBackend) -> None:
    telecom.play(telecom.tasks[0], oracle)
    for request in telecom.requests:
        reply = asyncio.run(oracle.complete(request))
        assert reply.usage.calls == 1
        assert reply.usage.completion_tokens == reply.completion.completion_tokens > 0
        assert msgspec.json.decode(msgspec.json.encode(reply), type=type(reply)) == reply
