"""What is projected from a stored episode is what its models were sent, byte for byte."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import BackendSettings, Chat
from eigen_cli.api.episodes import Limits
from eigen_cli.api.messages import Requestor
from eigen_cli.api.projection import side_turns
from eigen_cli.episode.state import EpisodeKey, EpisodeState
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.openings import user_opening
from eigen_cli.roles.rollout import roll_out
from eigen_cli.testing.drafted import contract_context, drafted_tasks
from eigen_offline.backend import OfflineBackend
from eigen_telecom.domain import Telecom

DOMAINS = {"airline": Airline, "telecom": Telecom}


@cache
def episodes(domain: str) -> tuple[RoleContext, tuple[EpisodeState, ...]]:
    """Two trials of a task of every template, played by the offline actors; the second may end in the middle."""
    context = replace(contract_context(DOMAINS[domain]()), completer=OfflineBackend(BackendSettings()))

    def played() -> Iterator[EpisodeState]:
        for item in drafted_tasks(context, each=1):
            for trial, limits in enumerate((Limits(), Limits(agent_turns=5, tool_calls=9))):
                key = EpisodeKey("projection:1", 1, "plan", item.task.id, trial)
                bounded = replace(context, limits=limits)
                yield asyncio.run(roll_out(bounded, key, item.task, attempts=1)).state

    return context, tuple(played())


@pytest.mark.parametrize("side", ["agent", "user"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_a_sides_turns_are_the_chat_the_machine_grew(domain: str, side: Requestor) -> None:
    context, states = episodes(domain)
    assert len(states) > 40 and len({state.stop for state in states}) > 1
    tools = context.toolbox.schemas["user"]
    for state in states:
        own = context.agent_opening if side == "agent" else user_opening(context.domain, state.task.scenario, tools)
        turns = [turn for turn, _ in side_turns(state.messages, side)]
        grown = state.agent_chat if side == "agent" else state.user_chat
        assert Chat.of(*own.chat(), *turns).encoded == grown.encoded, state.key
        assert Chat.of(*own.chat(), *turns).digest == grown.digest


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_turn_names_the_message_it_is_of(domain: str) -> None:
    _, states = episodes(domain)
    spoken = called = 0
    for state in states:
        for turn, message in side_turns(state.messages, "user"):
            if message is None:
                assert turn["role"] == "user"
                continue
            assert message in state.messages
            assert turn["content"] == (message.text if message.result is None else message.result.content)
            spoken += message.result is None
            called += message.result is not None
        assert spoken and bool(called) >= (domain == "telecom" and state is states[-1])
