"""The null agents: none passes any task the task verifier accepts, and each says what it is."""

from __future__ import annotations

import asyncio

import pytest
from stage import DOMAINS, Played, Stage, StageOf

from eigen_cli.api.backend import Backend, BackendSettings, CallKey, Chat, Request
from eigen_cli.api.errors import BackendError
from eigen_cli.api.inputs import AgentInputs, UserInputs
from eigen_cli.api.messages import Message
from eigen_cli.testing.backend_contract import backend_breaches
from eigen_oracle.null import RefusingAgent, SilentAgent, TransferringAgent

AGENTS: dict[str, type[Backend]] = {
    "null-silence": SilentAgent,
    "null-transfer": TransferringAgent,
    "null-refusal": RefusingAgent,
}


def backend(name: str) -> Backend:
    return AGENTS[name](BackendSettings())


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("name", DOMAINS)
def test_no_accepted_task_is_passed_and_every_customer_hangs_up(stage_of: StageOf, name: str, agent: str) -> None:
    stage = stage_of(name)
    for task in stage.tasks:
        played = stage.play(task, backend(agent))
        assert played.reward(task.reward.evaluation) < 1.0, task.id
        assert (played.state.stop, played.called("user")) == ("user_stop", []), task.id


def _first(stage: Stage, agent: str) -> Played:
    return stage.play(stage.tasks[0], backend(agent))


def test_silence_asks_for_patience_until_the_customer_has_none_left(telecom: Stage) -> None:
    played = _first(telecom, "null-silence")
    assert played.said("agent")[1:] == ["One moment, please."] * 3
    assert played.said("user")[1:] == [
        "Okay, I'll wait.",
        "Okay, I'll wait.",
        "I see. Then I will try again another time. Goodbye. ###STOP###",
    ]
    assert played.called("agent") == []


@pytest.mark.parametrize("name", DOMAINS)
def test_transfer_hands_over_once_and_says_so(stage_of: StageOf, name: str) -> None:
    stage = stage_of(name)
    played = _first(stage, "null-transfer")
    assert played.called("agent") == [stage.context.domain.handover_tool]
    results = [message.result for message in played.state.messages if message.result is not None]
    assert [result.error for result in results] == [False]
    assert "transferred you to a human" in played.said("agent")[-1]


def test_transfer_without_a_tool_for_it_only_says_so(telecom: Stage) -> None:
    class Lonely(type(telecom.context.domain)):  # type: ignore[misc]
        handover_tool = None

    inputs = AgentInputs(Lonely(), (Message(speaker="user", text="Hello?"),))
    reply = asyncio.run(backend("null-transfer").complete(_request(inputs)))
    assert (reply.completion.tool_calls, "transferred" in reply.completion.text) == ((), True)


def test_refusal_declines(telecom: Stage) -> None:
    played = _first(telecom, "null-refusal")
    assert played.said("agent")[1:] == ["I am sorry, but I cannot help you with that request."]
    assert played.called("agent") == []


@pytest.mark.parametrize("agent", AGENTS)
def test_they_are_simulated_and_see_no_task(agent: str) -> None:
    made = backend(agent)
    assert (made.identity, made.simulated, made.oracle) == (agent, True, False)


@pytest.mark.parametrize("agent", AGENTS)
def test_they_play_no_other_role(telecom: Stage, agent: str) -> None:
    inputs = UserInputs(telecom.context.domain, telecom.tasks[0].scenario, (), "###STOP###")
    with pytest.raises(BackendError, match=f"the backend `{agent}` plays the agent, not the user"):
        asyncio.run(backend(agent).complete(_request(inputs)))


def _request(inputs: AgentInputs | UserInputs) -> Request:
    role = "agent" if isinstance(inputs, AgentInputs) else "user"
    return Request(role, CallKey("r", 1, "p", "t", 0, role, 0, 0), inputs, Chat())  # type: ignore[arg-type]


@pytest.mark.parametrize("agent", AGENTS)
async def test_they_keep_the_contract_of_backends(telecom: Stage, agent: str) -> None:
    assert await backend_breaches(backend(agent), telecom.context) == []
