"""The `openai` backend: asks any server that speaks OpenAI's chat-completions protocol."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

import msgspec

from eigen_cli.api.backend import Backend, BackendSettings, EndpointTelemetry, Reply, Request, SimulatedReply
from eigen_cli.api.errors import BackendError, ConfigError, ContextOverflowError
from eigen_openai import simulated
from eigen_openai.addresses import addresses
from eigen_openai.connections import Connections
from eigen_openai.endpoint import Endpoint
from eigen_openai.exchange import Exchange, Exchanges
from eigen_openai.failures import (
    Answer,
    AttemptFailedError,
    BrokenError,
    context_tokens,
    failure_of,
    overflows_context,
    refuses_schema,
)
from eigen_openai.options import Options
from eigen_openai.payload import PayloadWriter
from eigen_openai.response import Answered, read_reply
from eigen_openai.retry import Retries
from eigen_openai.servers import Servers

_log = logging.getLogger("eigen.openai")
_MODELS_NAMED = 12


class OpenAIBackend(Backend):
    """Asks one model on one server or several; calls share a connection pool of `settings.concurrency`.

    Raises `ConfigError` when made without an address or a model. The key comes from the environment variable
    `settings.api_key_env` alone; without one, no credentials are sent.
    """

    def __init__(self, settings: BackendSettings) -> None:
        super().__init__(settings)
        if not settings.model:
            raise ConfigError(
                "the openai backend needs a model", hint="for example --model Qwen/Qwen3-30B-A3B-Instruct-2507"
            )
        self._options = Options.of(settings.options)
        found = addresses(settings.base_url)
        # One spare connection a server: to look for a lost one must not wait for calls to the others.
        self._connections = Connections(settings, spare=len(found))
        self._servers = Servers([Endpoint(address, self._connections) for address in found], self._options.patience)
        self._exchanges = Exchanges(self._options)
        self._payloads = PayloadWriter(
            settings.model,
            self._options.max_tokens_field,
            tool_choice=self._options.tool_choice,
            parallel_tool_calls=self._options.parallel_tool_calls,
        )
        self._retries = Retries(
            settings.max_retries,
            self._options.backoff,
            patience=self._options.patience,
            longest=settings.timeout,
            silent_since=self._servers.silent_since,
        )
        self._refused_schemas: set[str] = set()
        # What the offline actors say stays simulated, whatever wire it comes over.
        self.simulated = self._options.simulated_inputs

    @property
    def identity(self) -> str:
        """Return `openai/` and the model's name."""
        return f"openai/{self.settings.model}"

    async def start(self) -> None:
        """Raise `BackendUnreachableError` unless a server answers within the connect timeout and accepts our key."""
        await self._servers.check()

    async def close(self) -> None:
        """Close the connection pool."""
        await self._servers.close()
        await self._connections.close()

    def telemetry(self) -> Mapping[str, EndpointTelemetry]:
        """Return counts and latencies of each server so far."""
        return {endpoint.host: endpoint.meter.read() for endpoint in self._servers.endpoints}

    async def complete(self, request: Request) -> Reply:
        """Return the model's reply.

        Raises `BackendUnreachableError` when no connection comes about, when the servers stay away for longer than
        the option `patience`, and when one refuses us; and `BackendError` when it refuses the request or the retries
        are used up: `ContextOverflowError` where the conversation outgrew the model's context.
        """
        started = time.monotonic()
        tried: list[Endpoint] = []
        try:
            answered, retries = await self._retries(lambda: self._attempt(request, tried))
        except AttemptFailedError as failed:
            tried[-1].meter.failed(request.role, final=True)
            raise self._exhausted(failed, tried, since=started) from failed
        usage = msgspec.structs.replace(answered.usage, calls=1, retries=retries, seconds=time.monotonic() - started)
        if self.simulated:
            return SimulatedReply(completion=answered.completion, usage=usage, faults=answered.planted)
        return Reply(completion=answered.completion, usage=usage)

    async def _attempt(self, request: Request, tried: list[Endpoint]) -> Answered:
        endpoint = await self._servers.choose(request.key, tried)
        if tried:
            tried[-1].meter.failed(request.role, final=False)
        tried.append(endpoint)
        try:
            return await self._asked(endpoint, request)
        except AttemptFailedError as failed:
            self._servers.failed(endpoint, failed)
            raise
        except ContextOverflowError:
            raise
        except BackendError:
            endpoint.meter.failed(request.role, final=True)
            raise

    async def _asked(self, endpoint: Endpoint, request: Request) -> Answered:
        exchange = await self._ask(endpoint, request)
        answer = exchange.answer
        if overflows_context(answer):
            raise self._overflown(answer, request)
        failure = failure_of(
            answer, host=endpoint.host, api_key_env=self.settings.api_key_env, model=self.settings.model
        )
        if failure is None:
            answered = read_reply(answer, request, model=self.settings.model, simulated=self.simulated)
            self._servers.good(endpoint)
            self._exchanges.learn(exchange, answered.usage)
            return answered
        if answer.status == 404:
            raise await self._not_found(endpoint, failure)
        raise failure

    async def _ask(self, endpoint: Endpoint, request: Request) -> Exchange:
        """Return the exchange, asked again with the schema in the prompt where the server refuses schemas.

        The refusal is remembered, by schema, only once the same request without `response_format` went through:
        until then the fault may lie elsewhere, and one odd schema must not cost the others their structure.
        """
        structured = request.schema is not None and request.schema.name not in self._refused_schemas
        asked = await self._post(endpoint, request, structured=structured)
        if request.schema is None or not structured or not refuses_schema(asked.answer):
            return asked
        if overflows_context(asked.answer):
            return asked
        plain = await self._post(endpoint, request, structured=False)
        if plain.answer.ok:
            self._refused_schemas.add(request.schema.name)
            _log.info("%s takes no schema %s; it goes into the prompt", endpoint.host, request.schema.name)
        return plain

    async def _post(self, endpoint: Endpoint, request: Request, *, structured: bool) -> Exchange:
        metadata = simulated.metadata(request) if self._options.simulated_inputs else None
        headers = {"X-Eigen-Key": simulated.trace(request)} if self._options.trace_header else None
        body = self._payloads.write(request, structured=structured, metadata=metadata)
        return await self._exchanges.send(endpoint, request, body, headers)

    def _overflown(self, answer: Answer, request: Request) -> BackendError:
        """Return the error for too long a chat: the asker's own limit, unless no chat could ever have been answered."""
        context = context_tokens(answer)
        if context is not None and context <= request.max_tokens:
            return BackendError(
                f"a reply may take {request.max_tokens} tokens, and {self.settings.model} has a context of {context}",
                hint="lower the reply limit, or serve the model with a longer context",
            )
        return ContextOverflowError(f"{self.settings.model} has no room for this conversation: {answer.words}")

    async def _not_found(self, endpoint: Endpoint, failure: Exception) -> BackendError:
        """Return the error for a 404: the model is not there, or nothing is."""
        offered = await endpoint.models()
        if offered is None:
            return BackendError(str(failure), hint="is --base-url right (it usually ends in /v1)?")
        if self.settings.model in offered:
            return BackendError(str(failure), hint=f"the server does offer {self.settings.model}")
        named = ", ".join(offered[:_MODELS_NAMED]) + (", …" if len(offered) > _MODELS_NAMED else "")
        return BackendError(
            f"{endpoint.host} does not offer the model {self.settings.model}; it offers: {named or 'none'}",
            hint="give one of those as --model",
        )

    def _exhausted(self, failed: AttemptFailedError, tried: list[Endpoint], *, since: float) -> BackendError:
        """Return the error for a call given up: the servers', where they served nobody else in the meantime either."""
        attempts = f"{len(tried)} attempts" if len(tried) > 1 else "1 attempt"
        away = failed.absent or isinstance(failed, BrokenError)
        if away and 0 < self._options.patience <= self._servers.silent_since(since):
            return self._servers.gone(f"{failed}, {attempts}")
        return BackendError(
            f"no usable reply from {tried[-1].host} in {attempts}; the last: {failed}",
            hint="see the server's own log",
        )
