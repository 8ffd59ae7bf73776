"""One supervised server: started, waited for, restarted once if it dies, stopped with everything it started."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import logging
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from eigen_cli.api.errors import BackendUnreachableError
from eigen_vllm import keeper
from eigen_vllm.command import HOST

_log = logging.getLogger("eigen.vllm")
_LOOK = 0.5
"""Seconds between two looks whether the server is ready."""
_SAY = 15.0
"""Seconds between two words about how long it has been loading."""
_TAIL = 12
"""Lines of the log among which an error looks for the one to repeat."""
_LONGEST_LINE = 300


class Server:
    """A process that serves on a port of this machine, held by a keeper that ends it when we let go, or die.

    Its output is appended to `log`. `patience` is how many seconds it may take to stop before it is killed.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        port: int,
        environment: Mapping[str, str],
        log: Path,
        ready_timeout: float,
        patience: float = 20.0,
    ) -> None:
        self._command = list(command)
        self._environment = dict(environment)
        self._log = log
        self._log_start = 0
        self._ready_timeout = ready_timeout
        self._patience = patience
        self._keeper: asyncio.subprocess.Process | None = None
        self._watcher: asyncio.Task[BackendUnreachableError] | None = None
        self.port = port
        self.restarts = 0

    @property
    def base_url(self) -> str:
        """The address models are asked at."""
        return f"http://{HOST}:{self.port}/v1"

    async def start(self) -> None:
        """Start and wait until the server is healthy; raises `BackendUnreachableError` with what its log says."""
        if _taken(self.port):
            raise BackendUnreachableError(
                f"vLLM cannot listen on port {self.port}: something else does",
                hint="give its address as --base-url, or set the option `port`",
            )
        await self._spawn()
        await self._healthy()
        self._watcher = asyncio.create_task(self._watched())

    async def gave_up(self) -> BackendUnreachableError:
        """Wait until the server is dead and will not be started again; return what to tell callers."""
        assert self._watcher is not None, "start() comes first"
        return await asyncio.shield(self._watcher)

    async def stop(self) -> None:
        """Stop the server and whatever it started; harmless when it is not running."""
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)
        process, self._keeper = self._keeper, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()

    async def _spawn(self) -> None:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._log_start = log.tell()
            self._keeper = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", keeper.__file__, str(self._patience)),
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,  # Ctrl-C is for us; we then stop the server
            )

    async def _healthy(self) -> None:
        """Wait for `/health`, saying now and then that it is still loading."""
        assert self._keeper is not None
        started = said = time.monotonic()
        while not await asyncio.to_thread(_answers, self.port):
            now = time.monotonic()
            if self._keeper.returncode is not None:
                raise self._failed(f"vLLM ended with code {self._keeper.returncode} before it was ready")
            if now - started > self._ready_timeout:
                raise self._failed(f"vLLM was not ready within {self._ready_timeout:g} s")
            if now - said > _SAY:
                said = now
                _log.info("vLLM on port %d is loading, %.0f s so far", self.port, now - started)
            await asyncio.sleep(_LOOK)
        _log.info("vLLM on port %d is ready after %.0f s", self.port, time.monotonic() - started)

    async def _watched(self) -> BackendUnreachableError:
        """Restart the server once if it dies; return why it is given up."""
        while True:
            assert self._keeper is not None
            code = await self._keeper.wait()
            failure = self._failed(f"vLLM on port {self.port} ended with code {code}")
            if self.restarts:
                _log.warning("%s", failure.message)
                return failure
            self.restarts += 1
            _log.warning("%s; it is started again, once", failure.message)
            try:
                await self._spawn()
                await self._healthy()
            except BackendUnreachableError as error:
                _log.warning("%s", error.message)
                return error

    def _failed(self, what: str) -> BackendUnreachableError:
        """Return an error that repeats the telling line of what this start has logged."""
        lines: list[str] = []
        with contextlib.suppress(OSError), self._log.open("rb") as log:
            log.seek(self._log_start)
            lines = [line for line in log.read().decode(errors="replace").splitlines() if line.strip()][-_TAIL:]
        telling = [line for line in lines if "rror" in line] or lines
        said = f": {telling[-1].strip()[:_LONGEST_LINE]}" if telling else ""
        return BackendUnreachableError(f"{what}{said}", hint=f"its whole log is {self._log}")


def free_ports(count: int) -> list[int]:
    """Return ports nobody listens on, all different."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _taken(port: int) -> bool:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of before may still be closing
        try:
            listener.bind((HOST, port))
        except OSError:
            return True
    return False


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=2.0)  # which, unlike urllib, knows of no proxies
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
