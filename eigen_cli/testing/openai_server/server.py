"""The server itself: an aiohttp application, and the ways to run it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web  # 200 to 280 ms of CPU; this module is nothing without it, and only servers import it

from eigen_cli.api.backend import Reply
from eigen_cli.api.messages import Completion
from eigen_cli.testing.openai_server.actors import OfflineActors
from eigen_cli.testing.openai_server.chat import ChatRequest, Refusal, Responder, reply_body, resolved
from eigen_cli.testing.openai_server.faults import Fault, Schedule, parse_faults, spoil, with_raw_control_characters
from eigen_cli.testing.openai_server.seen import ANSWERED, RequestLog, SeenRequest
from eigen_cli.testing.threaded import threaded

_LARGEST_BODY = 64 * 2**20
_BACKLOG = 4096


class OpenAIServer:
    """An OpenAI-compatible server: `/v1/chat/completions`, `/v1/models`, `/health`; faults by `POST /_faults`.

    `responder` answers chats (default: the offline actors, echoing where no inputs are sent). `latency` is added to
    every reply, in seconds. With `api_key`, other keys get a 401 that rudely repeats them. `schema_status` is the
    status by which it refuses `response_format`, where it is to know none. `log` holds every request seen.
    """

    def __init__(
        self,
        responder: Responder | None = None,
        *,
        latency: float = 0.0,
        faults: Iterable[Fault] = (),
        models: tuple[str, ...] = ("offline",),
        api_key: str | None = None,
        schema_status: int | None = None,
        log_path: Path | None = None,
    ) -> None:
        self.responder = responder or OfflineActors()
        self.latency = latency
        self.schedule = Schedule(faults)
        self.models = models
        self.api_key = api_key
        self.schema_status = schema_status
        self.log = RequestLog(log_path)
        self._arrivals = 0

    def set_faults(self, faults: Iterable[Fault]) -> None:
        """Replace the faults; requests in flight keep theirs."""
        self.schedule = Schedule(faults)

    def application(self) -> web.Application:
        """Return the routes."""
        application = web.Application(client_max_size=_LARGEST_BODY)
        application.add_routes(
            [
                web.get("/health", self._health),
                web.get("/v1/models", self._models),
                web.post("/v1/chat/completions", self._chat),
                web.post("/_faults", self._set_faults),
            ]
        )
        return application

    async def _health(self, _http: web.Request) -> web.Response:
        return _json({"status": "ok", "requests": len(self.log.requests), "max_in_flight": self.log.max_in_flight})

    async def _models(self, http: web.Request) -> web.Response:
        if refused := self._unauthorised(http):
            return refused
        return _json({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})

    async def _set_faults(self, http: web.Request) -> web.Response:
        try:
            faults = parse_faults(await http.read())
        except msgspec.MsgspecError as error:
            return _error(400, str(error))
        self.set_faults(faults)
        return _json({"faults": len(faults)})

    def _unauthorised(self, http: web.Request) -> web.Response | None:
        if self.api_key is None or _key_of(http) == self.api_key:
            return None
        return _error(401, _wrong_key(http))

    async def _chat(self, http: web.Request) -> web.StreamResponse:
        body = await http.read()
        if refused := self._unauthorised(http):
            return refused
        self._arrivals += 1
        try:
            request = ChatRequest.parse(body, number=self._arrivals, trace=http.headers.get("X-Eigen-Key", ""))
        except msgspec.MsgspecError as error:
            return _error(400, f"not a chat: {error}")
        entry, attempt = self.log.arrive(request)
        outcome = "abandoned"
        try:
            response, outcome = await self._serve(http, request, entry=entry, attempt=attempt)
            return response
        finally:
            self.log.end(entry, outcome)

    async def _serve(
        self, http: web.Request, request: ChatRequest, *, entry: SeenRequest, attempt: int
    ) -> tuple[web.StreamResponse, str]:
        """Write the response to its end (or to where its fault ends it) and return it with its outcome."""
        refusal = self._refusal(request)
        if refusal is not None:
            return await _written(http, refusal), f"refused {refusal.status}"
        fault, spoiling = self.schedule.strike(request, attempt=attempt)
        await asyncio.sleep(self.latency)
        if fault and fault.kind == "status":
            headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
            words = _wrong_key(http) if fault.status == 401 else "on command"
            return await _written(http, _error(fault.status, words, headers=headers)), f"status {fault.status}"
        if fault and fault.kind == "stall":
            await asyncio.sleep(fault.seconds)
        try:
            answer = await resolved(self.responder(request))
        except Exception as error:
            # Whatever it was will happen again: a 4xx, so that the caller does not retry but says what it was.
            return await _written(http, _error(400, f"the responder failed: {type(error).__name__}: {error}")), "failed"
        if isinstance(answer, Refusal):
            refusal = web.Response(status=answer.status, body=answer.body, content_type="application/json")
            return await _written(http, refusal), f"refused {answer.status}"
        payload = self._encoded(request, answer, fault=fault, spoiling=spoiling, entry=entry)
        if fault and fault.kind == "reset":
            return await _reset(http, payload), "reset"
        response = web.Response(body=payload, content_type="application/json")
        outcome = ANSWERED if fault is None or fault.kind == "stall" else fault.kind
        return await _written(http, response), outcome

    def _refusal(self, request: ChatRequest) -> web.Response | None:
        if request.model not in self.models:
            return _error(404, f"The model `{request.model}` does not exist.")
        if request.response_format is not None and self.schema_status is not None:
            return _error(self.schema_status, "response_format is not supported")
        return None

    def _encoded(
        self,
        request: ChatRequest,
        answer: Completion | Reply | str | bytes,
        *,
        fault: Fault | None,
        spoiling: tuple[Fault, ...],
        entry: SeenRequest,
    ) -> bytes:
        if isinstance(answer, bytes):
            return answer
        if fault and fault.kind == "invalid_json":
            return b"<html><body>upstream sent no response</body></html>"
        body = reply_body(request, answer)
        entry.planted = tuple(body.get("eigen", {}).get("faults", ()))
        entry.faults = tuple(one.kind for one in spoiling)
        for one in spoiling:
            spoil(body, one.kind)
        if fault:
            spoil(body, fault.kind)
        encoded = msgspec.json.encode(body)
        if "control_characters" in entry.faults:
            encoded = with_raw_control_characters(encoded)
        if fault and fault.kind == "truncated":
            return encoded[: len(encoded) // 2]
        return encoded


def _json(value: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(value), status=status, headers=headers, content_type="application/json"
    )


def _error(status: int, message: str, *, headers: dict[str, str] | None = None) -> web.Response:
    return _json({"error": {"message": message, "code": status}}, status=status, headers=headers)


def _key_of(http: web.Request) -> str:
    return http.headers.get("Authorization", "").removeprefix("Bearer ")


def _wrong_key(http: web.Request) -> str:
    return f"Incorrect API key provided: {_key_of(http)}"


async def _written(http: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Write a response now, so that its end can be logged after the last byte has left."""
    await response.prepare(http)
    await response.write_eof()
    return response


async def _reset(http: web.Request, payload: bytes) -> web.StreamResponse:
    """Promise a whole body, send half of it, and reset the connection."""
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(payload))})
    await response.prepare(http)
    await response.write(payload[: len(payload) // 2])
    if http.transport is not None:
        http.transport.abort()
    return response


@contextlib.asynccontextmanager
async def serving_async(server: OpenAIServer, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Serve in the running event loop; give the base URL (`http://127.0.0.1:…/v1`)."""
    # With cancellation, a caller that goes away ends its request here too, and is logged as such.
    runner = web.AppRunner(server.application(), access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port, backlog=_BACKLOG)
        await site.start()
        yield f"http://{host}:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
        server.log.close()


@contextlib.contextmanager
def serving(server: OpenAIServer, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve in a thread of its own; give the base URL (`http://127.0.0.1:…/v1`)."""
    with threaded(lambda: serving_async(server, host=host, port=port), name="openai-server") as url:
        yield url
