"""A request to ask, and a backend that asks it: shared by the tests of the OpenAI-compatible backend."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from eigen_cli.api.backend import BackendSettings, CallKey, Chat, Request, RoleName
from eigen_cli.testing.openai_server import OpenAIServer, serving_async
from eigen_openai.backend import OpenAIBackend

AskFor = Callable[..., Request]
Connect = Callable[..., OpenAIBackend]
Serve = Callable[..., Awaitable[tuple[OpenAIServer, str]]]


@pytest.fixture
def ask_for() -> AskFor:
    """Return a maker of requests; equal arguments make equal requests."""

    def make(text: str = "Cancel EHGLP3, please.", *, role: RoleName = "agent", turn: int = 3, **more: Any) -> Request:
        key = CallKey(
            run="r0",
            round=1,
            plan="plan-a",
            task="task-7/b",
            trial=2,
            role=role,
            turn=turn,
            attempt=more.pop("attempt", 0),
        )
        chat = Chat.of({"role": "system", "content": "Follow the policy."}, {"role": "user", "content": text})
        return Request(role=role, key=key, inputs=more.pop("inputs", None), chat=chat, **more)

    return make


@pytest.fixture
async def connect(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Connect]:
    """Return a maker of backends, which are closed at the end. No key is in the environment."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    made: list[OpenAIBackend] = []

    def make(base_url: str, *, options: dict[str, Any] | None = None, **settings: Any) -> OpenAIBackend:
        settings = {"model": "offline", "connect_timeout": 2.0, "max_retries": 3} | settings
        backend = OpenAIBackend(
            BackendSettings(base_url=base_url, options={"backoff": 0.01, "patience": 0.0} | (options or {}), **settings)
        )
        made.append(backend)
        return backend

    yield make
    for backend in made:
        await backend.close()


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Return a starter of servers in this loop, which give themselves and their URLs and stop at the end."""
    async with AsyncExitStack() as stack:

        async def start(*arguments: Any, port: int = 0, **settings: Any) -> tuple[OpenAIServer, str]:
            server = OpenAIServer(*arguments, **settings)
            return server, await stack.enter_async_context(serving_async(server, port=port))

        yield start
