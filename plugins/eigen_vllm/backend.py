"""The vllm backend: the `openai` backend over servers that it finds running, or runs itself."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace as with_fields

from eigen_cli.api.backend import Backend, BackendSettings, EndpointTelemetry, Reply, Request
from eigen_cli.api.errors import BackendUnreachableError, ConfigError
from eigen_openai.backend import OpenAIBackend
from eigen_vllm import strict
from eigen_vllm.command import parsers_of, runner_of, serve_command, server_environment
from eigen_vllm.options import Options
from eigen_vllm.server import Server, free_ports

_VERSION_WITHIN = 180.0
"""Seconds `vllm --version` may take: importing torch from a cold disk does."""


class VllmBackend(Backend):
    """Asks a model on vLLM. With `settings.base_url` it attaches to what runs there; without, `start` runs
    `options.replicas` servers and `close` stops them.

    Raises `ConfigError` when made without a model, and when a server is to be run but cannot be.
    """

    def __init__(self, settings: BackendSettings) -> None:
        super().__init__(settings)
        if not settings.model:
            raise ConfigError("the vllm backend needs a model", hint="for example --model Qwen/Qwen3-4B-Instruct-2507")
        self._options, self._rest = Options.of(settings.options)
        self._supervises = not settings.base_url
        if self._supervises:
            runner_of(self._options)
            parsers_of(settings.model, self._options)
        self._servers: list[Server] = []
        self._openai: OpenAIBackend | None = None if self._supervises else self._client(settings.base_url)

    @property
    def identity(self) -> str:
        """Return `vllm/` and the model's name; strict tool calls are another way to ask, and so another identity."""
        return f"vllm/{self.settings.model}" + ("+strict" if self._options.strict_tools else "")

    async def start(self) -> None:
        """Start the servers, if they are ours, and wait until they answer; raises `BackendUnreachableError`."""
        if self._openai is None:
            self._servers = self._planned()
            try:
                await asyncio.gather(*(server.start() for server in self._servers))
            except BaseException:
                await self.close()
                raise
            self._openai = self._client(",".join(server.base_url for server in self._servers))
        await self._openai.start()

    async def complete(self, request: Request) -> Reply:
        """Return the model's reply; see `OpenAIBackend.complete`."""
        assert self._openai is not None, "start() comes first"
        if not self._options.strict_tools or request.tools is None:
            return await self._openai.complete(request)
        reply = await self._openai.complete(strict.asked(request))
        return with_fields(reply, completion=strict.answered(reply.completion))

    async def close(self) -> None:
        """Close the connections and stop the servers that are ours."""
        client, self._openai = self._openai, None if self._supervises else self._openai
        if client is not None:
            await client.close()
        servers, self._servers = self._servers, []
        await asyncio.gather(*(server.stop() for server in servers))

    async def examine(self) -> None:
        """Say what is missing without loading a model: raises what `start` would for a server or a vLLM not there."""
        if not self._supervises:
            await self.start()
            return
        words = [*runner_of(self._options), "--version"]
        environment = dict(server_environment(self._options, 0))
        try:
            done = await asyncio.to_thread(
                subprocess.run, words, env=environment, capture_output=True, text=True, timeout=_VERSION_WITHIN
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
        options = {**self._rest, **({"tool_choice": "required"} if self._options.strict_tools else {})}
        if self._supervises:
            # A server that died is started again once, and loads its model anew: as long as that may take.
            options.setdefault("patience", self._options.ready_timeout)
        settings = self.settings
        return OpenAIBackend(
            BackendSettings(
                base_url=base_url,
                model=settings.model,
                api_key_env=settings.api_key_env,
                connect_timeout=settings.connect_timeout,
                timeout=settings.timeout,
                max_retries=settings.max_retries,
                concurrency=settings.concurrency,
                options=options,
            )
        )

    def _planned(self) -> list[Server]:
        options = self._options
        first = options.port
        ports = list(range(first, first + options.replicas)) if first else free_ports(options.replicas)
        return [
            Server(
                serve_command(self.settings.model, options, port=port),
                port=port,
                environment=server_environment(options, replica),
                log=Path(options.log_dir) / f"vllm-{port}.log",
                ready_timeout=options.ready_timeout,
            )
            for replica, port in enumerate(ports)
        ]
