"""The `openai` backend: asks any server that speaks OpenAI's chat-completions protocol."""

from __future__ import annotations

import logging
import time

import msgspec

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, SimulatedReply
from eigen_cli.api.errors import BackendError, ConfigError, ContextOverflowError
from eigen_openai import simulated
from eigen_openai.endpoint import Endpoint
from eigen_openai.failures import (
    Answer,
    AttemptFailedError,
    ConnectFailedError,
    context_tokens,
    failure_of,
    overflows_context,
    refuses_schema,
)
from eigen_openai.options import Options
from eigen_openai.payload import PayloadWriter
from eigen_openai.response import Answered, read_reply
from eigen_openai.retry import Retries

_log = logging.getLogger("eigen.openai")
_CHAT = "/chat/completions"
_MODELS_NAMED = 12


class OpenAIBackend(Backend):
    """Asks one model on one server; calls share a connection pool of `settings.concurrency`.

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
        self._endpoint = Endpoint(settings)
        self._payloads = PayloadWriter(settings.model, self._options.max_tokens_field)
        self._retries = Retries(settings.max_retries, self._options.backoff)
        self._refused_schemas: set[str] = set()
        # What the offline actors say stays simulated, whatever wire it comes over.
        self.simulated = self._options.simulated_inputs

    @property
    def identity(self) -> str:
        """Return `openai/` and the model's name."""
        return f"openai/{self.settings.model}"

    async def start(self) -> None:
        """Raise `BackendUnreachableError` unless the server answers within the connect timeout and accepts our key."""
        await self._endpoint.check()

    async def close(self) -> None:
        """Close the connection pool."""
        await self._endpoint.close()

    async def complete(self, request: Request) -> Reply:
        """Return the model's reply.

        Raises `BackendUnreachableError` when no connection comes about or the server refuses us, and `BackendError`
        when it refuses the request or the retries are used up: `ContextOverflowError` where the conversation outgrew
        the model's context.
        """
        started = time.perf_counter()
        try:
            answered, retries = await self._retries(lambda: self._attempt(request))
        except AttemptFailedError as failed:
            raise self._exhausted(failed) from failed
        usage = msgspec.structs.replace(answered.usage, calls=1, retries=retries, seconds=time.perf_counter() - started)
        if self.simulated:
            return SimulatedReply(completion=answered.completion, usage=usage, faults=answered.planted)
        return Reply(completion=answered.completion, usage=usage)

    async def _attempt(self, request: Request) -> Answered:
        answer = await self._ask(request)
        if overflows_context(answer):
            raise self._overflown(answer, request)
        failure = failure_of(
            answer, host=self._endpoint.host, api_key_env=self.settings.api_key_env, model=self.settings.model
        )
        if failure is None:
            return read_reply(answer, request, model=self.settings.model, simulated=self.simulated)
        if answer.status == 404:
            raise await self._not_found(failure)
        raise failure

    async def _ask(self, request: Request) -> Answer:
        """Return the answer to a request, asked again with its schema in the prompt where the server refuses schemas.

        The refusal is remembered, by schema, only once the same request without `response_format` went through:
        until then the fault may lie elsewhere, and one odd schema must not cost the others their structure.
        """
        structured = request.schema is not None and request.schema.name not in self._refused_schemas
        answer = await self._post(request, structured=structured)
        if request.schema is None or not structured or not refuses_schema(answer) or overflows_context(answer):
            return answer
        plain = await self._post(request, structured=False)
        if plain.ok:
            self._refused_schemas.add(request.schema.name)
            _log.info("%s takes no schema %s; it goes into the prompt", self._endpoint.host, request.schema.name)
        return plain

    async def _post(self, request: Request, *, structured: bool) -> Answer:
        metadata = simulated.metadata(request) if self._options.simulated_inputs else None
        headers = {"X-Eigen-Key": simulated.trace(request)} if self._options.trace_header else None
        body = self._payloads.write(request, structured=structured, metadata=metadata)
        try:
            return await self._endpoint.post(_CHAT, body, headers)
        except ConnectFailedError as failed:
            if self._endpoint.answered:
                raise
            raise self._endpoint.unreachable(str(failed)) from failed

    def _overflown(self, answer: Answer, request: Request) -> BackendError:
        """Return the error for too long a chat: the asker's own limit, unless no chat could ever have been answered."""
        context = context_tokens(answer)
        if context is not None and context <= request.max_tokens:
            return BackendError(
                f"a reply may take {request.max_tokens} tokens, and {self.settings.model} has a context of {context}",
                hint="lower the reply limit, or serve the model with a longer context",
            )
        return ContextOverflowError(f"{self.settings.model} has no room for this conversation: {answer.words}")

    async def _not_found(self, failure: Exception) -> BackendError:
        """Return the error for a 404: the model is not there, or nothing is."""
        offered = await self._endpoint.models()
        if offered is None:
            return BackendError(str(failure), hint="is --base-url right (it usually ends in /v1)?")
        if self.settings.model in offered:
            return BackendError(str(failure), hint=f"the server does offer {self.settings.model}")
        named = ", ".join(offered[:_MODELS_NAMED]) + (", …" if len(offered) > _MODELS_NAMED else "")
        return BackendError(
            f"{self._endpoint.host} does not offer the model {self.settings.model}; it offers: {named or 'none'}",
            hint="give one of those as --model",
        )

    def _exhausted(self, failed: AttemptFailedError) -> BackendError:
        tries = self.settings.max_retries + 1
        if isinstance(failed, ConnectFailedError):
            return self._endpoint.unreachable(f"{failed}, {tries} attempts")
        return BackendError(
            f"no usable reply from {self._endpoint.host} in {tries} attempts; the last: {failed}",
            hint="see the server's own log",
        )
