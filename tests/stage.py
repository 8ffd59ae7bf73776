"""Where any two backends can play: the three domains with accepted tasks of their templates, and real verifiers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from eigen_airline.domain import Airline
from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, RoleName
from eigen_cli.api.domain import Domain
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Part
from eigen_cli.episode.guards import breaches_of_episode
from eigen_cli.episode.record import FinishedEpisode
from eigen_cli.episode.state import EpisodeKey, EpisodeState
from eigen_cli.roles.episode_verifier import combined, policy_part, score
from eigen_cli.roles.rollout import roll_out
from eigen_cli.roles.task_verifier import verify_task
from eigen_cli.testing.drafted import contract_context, drafted_tasks
from eigen_oracle.oracle import OracleBackend
from eigen_retail.domain import Retail
from eigen_telecom.domain import Telecom
from eigen_verifiers.actions import ActionsVerifier
from eigen_verifiers.checks import ChecksVerifier
from eigen_verifiers.communicate import CommunicateVerifier
from eigen_verifiers.state import StateVerifier

_VERIFIERS = (StateVerifier(), ChecksVerifier(), CommunicateVerifier(), ActionsVerifier())


@dataclass(frozen=True)
class Played:
    """A finished episode and its scores."""

    task: Task
    state: EpisodeState
    parts: tuple[Part, ...]

    def reward(self, basis: Sequence[str]) -> float:
        return combined(self.parts, basis) if self.state.stop == "user_stop" else 0.0

    def said(self, speaker: str) -> list[str]:
        return [message.text for message in self.state.messages if message.speaker == speaker and message.text]

    def called(self, speaker: str) -> list[str]:
        return [call.name for m in self.state.messages if m.speaker == speaker for call in m.tool_calls]


@dataclass
class Cast:
    """Asks each side's backend, and keeps what was asked."""

    actors: Mapping[RoleName, Backend]
    requests: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        return await self.actors[request.role].complete(request)


class Stage:
    """A domain with the accepted tasks of its templates, on which any two backends can play."""

    def __init__(self, domain: Domain) -> None:
        self.context = contract_context(domain, {verifier.name: verifier for verifier in _VERIFIERS})
        tasks = [item.task for item in drafted_tasks(self.context, each=1)]
        self.tasks = [task for task in tasks if verify_task(self.context, task).accepted]
        self.requests: list[Request] = []

    def play(self, task: Task, agent: Backend, user: Backend | None = None) -> Played:
        user = user or OracleBackend(BackendSettings())
        cast = Cast({"agent": agent, "user": user})
        oracles = frozenset(role for role, backend in cast.actors.items() if backend.oracle)
        context = replace(self.context, completer=cast, oracles=oracles)
        key = EpisodeKey("tests", 1, "plan", task.id, 0)
        state = asyncio.run(roll_out(context, key, task, attempts=1)).state
        self.requests = cast.requests
        parts = score(context, task, FinishedEpisode.of(state), context.gold(task))
        breaches = breaches_of_episode(state.messages, state.initial, context.toolbox)
        return Played(task, state, (*parts, policy_part(breaches)))


StageOf = Callable[[str], Stage]
DOMAINS: Mapping[str, type[Domain]] = {"airline": Airline, "retail": Retail, "telecom": Telecom}
