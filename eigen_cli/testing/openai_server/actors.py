"""The offline actors behind the socket: typed inputs in, a simulated reply out."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Any

from eigen_cli.api.backend import Backend, BackendSettings, CallKey, Request, RoleName, Schema, ToolSchemas
from eigen_cli.api.canonical import digest
from eigen_cli.testing.inputs_codec import FindDomain, decode
from eigen_cli.testing.openai_server.chat import Answer, ChatRequest, Responder, echo, resolved

_DEFAULT_MAX_TOKENS = 4096


class OfflineActors:
    """Answers requests that carry typed inputs as the offline backend does; `otherwise` answers the rest.

    `options` are the offline backend's own (skill profiles and the like). It is loaded when it is first needed.
    """

    def __init__(
        self,
        options: Mapping[str, Any] | None = None,
        *,
        otherwise: Responder = echo,
        find_domain: FindDomain | None = None,
    ) -> None:
        self._options = dict(options or {})
        self._otherwise = otherwise
        self._find_domain = find_domain
        self._backend: Backend | None = None

    async def __call__(self, request: ChatRequest) -> Answer:
        """Return the actor's reply."""
        encoded = request.metadata.get("eigen_inputs")
        if encoded is None:
            return await resolved(self._otherwise(request))
        inputs = decode(encoded, find_domain=self._find_domain)
        return await self._actors().complete(simulated_request(request, inputs))

    def _actors(self) -> Backend:
        if self._backend is None:
            # Finding plugins reads package metadata; a server that plays a script never needs to.
            from eigen_cli.run.plugins import load_plugins

            self._backend = load_plugins().load("backend", "offline")(BackendSettings(options=self._options))
        return self._backend


def simulated_request(request: ChatRequest, inputs: Any) -> Request:
    """Return the role's request as it was before it was sent; raise `ValueError` for a trace that names no call."""
    key = call_key(request.trace)
    wanted = (request.response_format or {}).get("json_schema")
    return Request(
        role=key.role,
        key=key,
        inputs=inputs,
        chat=request.chat,
        tools=ToolSchemas(request.tools, digest(request.tools)) if request.tools else None,
        schema=Schema(wanted["name"], wanted["schema"]) if wanted else None,
        max_tokens=request.max_tokens or _DEFAULT_MAX_TOKENS,
        temperature=request.temperature,
    )


def call_key(trace: str) -> CallKey:
    """Return the key in a trace (`CallKey.path()`, a slash, the request's hash); task names may hold slashes."""
    run, round_, plan, rest = trace.split("/", 3)
    task, trial, role, turn, attempt, _hash = rest.rsplit("/", 5)
    if role not in typing.get_args(RoleName):
        raise ValueError(f"{trace!r} names no role")
    return CallKey(
        run=run,
        round=int(round_),
        plan=plan,
        task=task.partition("~")[0],
        trial=int(trial),
        role=typing.cast(RoleName, role),
        turn=int(turn),
        attempt=int(attempt),
        fork=task.partition("~")[2],
    )
