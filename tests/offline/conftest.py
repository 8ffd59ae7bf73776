"""Offline actors on the real domain, world, episode machine and verifiers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import BackendSettings, Completer, Reply, Request
from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.domain import Domain, Draft
from eigen_cli.api.messages import Completion
from eigen_cli.api.plans import EvaluationPlan, Guideline, Plan, PlanBody, Quota, SynthesisPlan
from eigen_cli.api.tasks import Task, WorldRef
from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_cli.episode.state import EpisodeKey, EpisodeState
from eigen_cli.evolve.templates import templates_of
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import verify_episode
from eigen_cli.roles.rollout import roll_out
from eigen_cli.roles.synthesizer import Attempt, Grounding, Proposed, synthesize
from eigen_cli.world.base import BaseCache
from eigen_cli.world.toolbox import Toolbox
from eigen_offline.backend import OfflineBackend
from eigen_verifiers.actions import ActionsVerifier
from eigen_verifiers.checks import ChecksVerifier
from eigen_verifiers.communicate import CommunicateVerifier
from eigen_verifiers.state import StateVerifier

_VERIFIERS = (StateVerifier(), ChecksVerifier(), CommunicateVerifier(), ActionsVerifier())
_BASES = BaseCache()


@dataclass
class Ledger:
    """Stands where the host's call recorder stands: passes plain replies on and keeps the faults aside.

    `instead` answers for a role in place of the offline actors: a person or a model on the other side.
    """

    backend: OfflineBackend
    faults: list[tuple[str, str, int]] = field(default_factory=list)
    instead: dict[str, Callable[[Request], str]] = field(default_factory=dict)

    async def complete(self, request: Request) -> Reply:
        answer = self.instead.get(request.role)
        if answer is not None:
            return Reply(Completion(text=answer(request), model="somebody else"))
        reply = await self.backend.complete(request)
        self.faults += [(fault, request.key.role, request.key.turn) for fault in getattr(reply, "faults", ())]
        return reply


@dataclass
class Played:
    """A finished episode, its verdict, and the faults that were planted in it."""

    state: EpisodeState
    verdict: EpisodeVerdict
    faults: list[tuple[str, str, int]]

    @property
    def planted(self) -> set[str]:
        return {fault for fault, _, _ in self.faults}

    def said(self, speaker: str) -> list[str]:
        return [message.text for message in self.state.messages if message.speaker == speaker and message.text]

    def called(self) -> list[tuple[str, dict[str, Any]]]:
        return [(call.name, call.arguments or {}) for m in self.state.messages for call in m.tool_calls]


class Theatre:
    """A domain with its actors: makes tasks of templates and plays them."""

    def __init__(self, domain: Domain, options: dict[str, Any]) -> None:
        self.ledger = Ledger(OfflineBackend(BackendSettings(options=options)))
        toolbox = Toolbox(domain)
        completer: Completer = self.ledger
        self.context = RoleContext(
            run="tests:1",
            seed=1,
            domain=domain,
            templates=templates_of(domain, toolbox),
            toolbox=toolbox,
            bases=_BASES,
            completer=completer,
            verifiers={verifier.name: verifier for verifier in _VERIFIERS},
        )
        self.world = WorldRef(11, 0)

    def draft(self, template: str, number: int = 0) -> Draft | None:
        rng = derive_rng("tests", template, number)
        found = (self.context.templates[template].draft(self.context.world(self.world), rng) for _ in range(8))
        return next((draft for draft in found if draft is not None), None)

    def plan(self, template: str, *guidelines: str) -> Plan:
        synthesis = SynthesisPlan(
            "tests", (Quota(template, 1),), guidelines=tuple(Guideline(reason, "mind it") for reason in guidelines)
        )
        return Plan.of(PlanBody(self.context.domain.name, 0, synthesis, EvaluationPlan()))

    def proposed(
        self, template: str, number: int = 0, *, guidelines: tuple[str, ...] = (), attempt: Attempt | None = None
    ) -> Proposed | None:
        draft = self.draft(template, number)
        if draft is None:
            return None
        plan = self.plan(template, *guidelines)
        grounding = Grounding(plan, 1, number, f"{template}-{number}", template, draft, self.world)
        return asyncio.run(synthesize(self.context, grounding, attempt or Attempt()))

    def task(self, template: str, number: int = 0) -> Task:
        proposed = self.proposed(template, number)
        assert proposed is not None, f"{template} finds no records"
        return proposed.task

    def play(self, task: Task, *, name: str = "", trial: int = 0, round_: int = 1) -> Played:
        self.ledger.faults.clear()
        plan = self.plan(task.provenance.template)
        key = EpisodeKey(self.context.run, round_, plan.id, name or task.id, trial)

        async def work() -> Played:
            rolled = await roll_out(self.context, key, task, attempts=1)
            verdict = await verify_episode(self.context, plan, rolled.state)
            return Played(rolled.state, verdict, list(self.ledger.faults))

        return asyncio.run(work())


MakeTheatre = Callable[..., Theatre]


@pytest.fixture(scope="session")
def theatre() -> MakeTheatre:
    """Return a maker of theatres on the airline (or another domain), with profiles as options."""

    def make(domain: Domain | None = None, **options: Any) -> Theatre:
        return Theatre(domain or Airline(), {"skill": "perfect", "user": "faithful", "defects": "none", **options})

    return make
