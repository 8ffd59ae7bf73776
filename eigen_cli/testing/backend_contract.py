"""The contract of a backend: an identity fit for hashes, usable replies, several at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec

from eigen_cli.api.backend import Backend, Chat, Reply, Request
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.inputs import AgentInputs
from eigen_cli.api.messages import Completion, Message
from eigen_cli.roles.context import RoleContext
from eigen_cli.testing.drafted import DraftedTask, drafted_tasks

_CONCURRENT = 8


async def backend_breaches(backend: Backend, context: RoleContext) -> list[str]:
    """Return how a backend breaks its contract when it is started, asked as an agent, and closed twice."""
    breaches = []
    identities = {backend.identity, type(backend)(backend.settings).identity}
    if len(identities) != 1 or not backend.identity:
        breaches.append(f"its identity is empty or changes: {sorted(identities)}")
    if backend.settings.base_url and backend.settings.base_url in backend.identity:
        breaches.append("its identity contains the server's address; moving a server must not make another run")
    await backend.start()
    try:
        requests = [_opening_request(context, item, backend) for item in drafted_tasks(context, each=1)][:_CONCURRENT]
        replies = await asyncio.gather(*(backend.complete(request) for request in requests), return_exceptions=True)
        for request, reply in zip(requests, replies, strict=True):
            breaches += _unusable(request, reply)
    finally:
        await backend.close()
        await backend.close()
    return breaches


def _opening_request(context: RoleContext, item: DraftedTask, backend: Backend) -> Request:
    task = item.task if backend.oracle else None
    text = item.task.scenario.goals[0].request
    return Request(
        role="agent",
        key=context.key("agent", round_=0, task=item.task.id),
        inputs=AgentInputs(context.domain, (Message(speaker="user", text=text),), task),
        chat=Chat.of({"role": "system", "content": context.policy}, {"role": "user", "content": text}),
        tools=context.toolbox.schemas["agent"],
    )


def _unusable(request: Request, reply: object) -> Iterator[str]:
    task = request.key.task
    if isinstance(reply, BaseException):
        yield f"{task}: it raises {type(reply).__name__}: {reply}"
    elif not isinstance(reply, Reply):
        yield f"{task}: it answers with a {type(reply).__name__}, not a Reply"
    else:
        completion = reply.completion
        if not completion.text and not completion.tool_calls:
            yield f"{task}: it says nothing and calls nothing"
        if msgspec.json.decode(canonical_json(completion), type=Completion) != completion:
            yield f"{task}: its completion does not survive being stored"
        if reply.usage.calls < 1:
            yield f"{task}: its usage counts no call"
