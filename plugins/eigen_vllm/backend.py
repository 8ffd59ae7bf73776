"""The vllm backend: the `openai` backend over servers that it finds running, or runs itself."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec.structs import replace as with_fields

from eigen_cli.api.backend import Backend, BackendSettings, EndpointTelemetry, Reply, Request
from eigen_cli.api.errors import BackendUnreachableError, ConfigError
from eigen_openai.backend import OpenAIBackend
from eigen_openai.options import Options as OpenAIOptions
from eigen_vllm import fleet, strict
from eigen_vllm.command import parsers_of, runner_of, served_name, server_environment
from eigen_vllm.fleet import Fleet
from eigen_vllm.options import Options
from eigen_vllm.weights import folder_digest

_VERSION_WITHIN = 180.0
"""Seconds `vllm --version` may take: importing torch from a cold disk does."""


class VllmBackend(Backend):
    """Asks a model on vLLM. With `settings.base_url` it attaches to what runs there; without, `start` runs
    `options.replicas` servers, shared by all backends that serve the model alike, and `close` stops them.

    Raises `ConfigError` when made without a model, and when a server is to be run but cannot be.
    """

    def __init__(self, settings: BackendSettings) -> None:
        super().__init__(settings)
        if not settings.model:
            raise ConfigError("the vllm backend needs a model", hint="for example --model Qwen/Qwen3-4B-Instruct-2507")
        self._options, self._rest = Options.of(settings.options)
        # What the offline actors say stays simulated, whatever wire it comes over.
        self.simulated = OpenAIOptions.of(self._rest).simulated_inputs
        self.assisted = self._options.strict_tools
        self._model, self._digest = settings.model, ""
        self._fleet: Fleet | None = None
        self._openai: OpenAIBackend | None = None
        if settings.base_url:
            self._openai = self._client(settings.base_url)
            return
        self._model = served_name(settings.model)
        if (folder := Path(settings.model).expanduser()).is_dir():
            self._digest = f"@{folder_digest(folder)}"
        runner_of(self._options)
        parsers_of(settings.model, self._options)
        server_environment(self._options, 0)

    @property
    def identity(self) -> str:
        """Return `vllm/` and the model's name, for a folder with a digest of what is in it.

        Strict tool calls are another way to ask, and so another identity.
        """
        return f"vllm/{self._model}{self._digest}" + ("+strict" if self._options.strict_tools else "")

    async def start(self) -> None:
        """Start the servers, if they are ours, and wait until they answer; raises `BackendUnreachableError`."""
        if self._openai is None:
            self._fleet = await fleet.borrowed(self.settings.model, self._options)
            self._openai = self._client(self._fleet.base_url)
        await self._openai.start()

    async def complete(self, request: Request) -> Reply:
        """Return the model's reply; see `OpenAIBackend.complete`.

        Raises `BackendUnreachableError` at once when the last server that is ours is dead for good.
        """
        if not self._options.strict_tools or request.tools is None:
            return await self._answer(request)
        reply = await self._answer(strict.asked(request))
        return with_fields(reply, completion=strict.answered(reply.completion, request))

    async def close(self) -> None:
        """Close the connections; stop the servers that are ours, unless others use them."""
        if self._openai is not None:
            await self._openai.close()
        borrowed, self._fleet = self._fleet, None
        if borrowed is not None:
            self._openai = None
            await fleet.give_back(borrowed)

    async def examine(self) -> None:
        """Raise what `start` would for a server or a vLLM that is not there, without loading a model."""
        if self.settings.base_url:
            await self.start()
            return
        words = [*runner_of(self._options), "--version"]
        try:
            done = await asyncio.to_thread(
                subprocess.run,
                words,
                env=dict(server_environment(self._options, 0)),
                capture_output=True,
                text=True,
                timeout=_VERSION_WITHIN,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BackendUnreachableError(f"vLLM does not run: {error}") from error
        if done.returncode != 0:
            said = (done.stderr.strip() or "no output").splitlines()[-1]
            raise BackendUnreachableError(f"vLLM does not run: {said[:300]}", hint=f"try `{' '.join(words)}` yourself")

    def telemetry(self) -> Mapping[str, EndpointTelemetry]:
        """Return counts and latencies of each server so far."""
        return {} if self._openai is None else self._openai.telemetry()

    def _client(self, base_url: str) -> OpenAIBackend:
        options = dict(self._rest)
        if self._options.strict_tools:
            options |= {"tool_choice": "required", "parallel_tool_calls": False}
        if not self.settings.base_url:
            # A server that died is started again once, and loads its model anew: as long as that may take.
            options.setdefault("patience", self._options.ready_timeout)
        return OpenAIBackend(replace(self.settings, base_url=base_url, model=self._model, options=options))

    async def _answer(self, request: Request) -> Reply:
        assert self._openai is not None, "start() comes first"
        if self._fleet is None:
            return await self._openai.complete(request)
        call = asyncio.ensure_future(self._openai.complete(request))
        ends: set[asyncio.Future[Any]] = {call, self._fleet.gave_up}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                raise self._fleet.gave_up.result()[-1]
            return call.result()
        finally:
            call.cancel()
