"""The offline actors behind the socket are the offline actors: a whole round of roles, asked both ways."""

from __future__ import annotations

import dataclasses

import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import BackendSettings, Reply, Request, SimulatedReply
from eigen_cli.api.inputs import CoverageGap
from eigen_cli.episode.state import EpisodeKey
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.planner import write_plans
from eigen_cli.roles.reflector import PlanOutcome, reflect
from eigen_cli.roles.rollout import roll_out
from eigen_cli.roles.synthesizer import Attempt, ground, synthesize
from eigen_cli.testing.contracts import check_backend
from eigen_cli.testing.drafted import contract_context, drafted_tasks, world_of
from eigen_cli.testing.openai_server import Fault, OpenAIServer, serving, serving_async
from eigen_offline.backend import OfflineBackend
from eigen_openai.backend import OpenAIBackend

GAP = CoverageGap(tools=("send_certificate",))
STORM = [Fault(kind="status", status=429, retry_after=0.01, rate=0.2), Fault(kind="reset", rate=0.2)]


class AskedBothWays:
    """Asks the offline actors here and over HTTP, and answers with what came over HTTP."""

    def __init__(self, remote: OpenAIBackend) -> None:
        self.remote, self.here = remote, OfflineBackend(BackendSettings())
        self.pairs: list[tuple[Request, SimulatedReply, SimulatedReply]] = []

    async def complete(self, request: Request) -> Reply:
        there, here = await self.remote.complete(request), await self.here.complete(request)
        self.pairs.append((request, there, here))
        return there


def said(reply: SimulatedReply) -> tuple[object, ...]:
    """Return all of a reply but what it cost."""
    one = reply.completion
    return one.text, one.reasoning, one.tool_calls, one.finish_reason, one.model, reply.faults


async def one_round(context: RoleContext) -> None:
    """Ask every role of a run but the judge."""
    plan = (await write_plans(context, round_=1, slots=2, gap=GAP))[1]
    await reflect(context, plan, PlanOutcome(8, 5, {"missing_fact": 3}, {}, {"agent": 2}, {}), round_=1, gap=GAP)
    for number, quota in enumerate(plan.body.synthesis.quotas[:4]):
        name, world = f"proposal-{number}", world_of(context)
        grounding = ground(context, plan, round_=1, number=number, name=name, template=quota.template, world=world)
        assert grounding is not None
        await synthesize(context, grounding, Attempt())
    for trial, item in enumerate(list(drafted_tasks(context, each=1))[::6]):
        await roll_out(context, EpisodeKey("contract", 1, plan.id, item.task.id, trial), item.task, attempts=1)


@pytest.mark.parametrize("faults", [[], STORM], ids=["calm", "storm"])
async def test_every_role_gets_the_reply_it_would_get_here(connect, faults):
    server = OpenAIServer(faults=faults)
    async with serving_async(server) as url:
        completer = AskedBothWays(connect(url, max_retries=20, options={"simulated_inputs": True}))
        await one_round(dataclasses.replace(contract_context(Airline()), completer=completer))
    assert {request.role for request, _, _ in completer.pairs} == {
        "planner",
        "reflector",
        "synthesizer",
        "agent",
        "user",
    }
    assert len(completer.pairs) > 60
    for _, there, here in completer.pairs:
        assert said(there) == said(here)
    assert any(there.faults for _, there, _ in completer.pairs)
    retries = sum(there.usage.retries for _, there, _ in completer.pairs)
    assert len(server.log.requests) == len(completer.pairs) + retries
    assert (retries > 10) == bool(faults)
    assert server.log.answered_twice() == {}


def test_the_backend_keeps_its_contract():
    with serving(OpenAIServer()) as url:
        settings = BackendSettings(base_url=url, model="offline", options={"simulated_inputs": True})
        check_backend(OpenAIBackend(settings), Airline())
        assert OpenAIBackend(settings).simulated is True
