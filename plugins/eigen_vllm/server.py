"""One supervised server: started, waited for, restarted once if it dies, stopped with everything it started."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from eigen_cli.api.errors import BackendUnreachableError
from eigen_vllm.command import HOST

_log = logging.getLogger("eigen.vllm")
_LOOK = 0.5
"""Seconds between two looks whether the server is ready."""
_SAY = 15.0
"""Seconds between two words about how long it has been loading."""
_STOP_WITHIN = 20.0
"""Seconds a server may take to stop before it is killed."""
_TAIL = 12
"""Lines of the log that an error repeats."""
_PR_SET_PDEATHSIG = 1


class Server:
    """A process that serves on a port of this machine. Its output goes to `log`."""

    def __init__(
        self, command: Sequence[str], *, port: int, environment: Mapping[str, str], log: Path, ready_timeout: float
    ) -> None:
        self._command = list(command)
        self._environment = dict(environment)
        self._log = log
        self._ready_timeout = ready_timeout
        self._process: asyncio.subprocess.Process | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._stopping = False
        self.port = port
        self.restarts = 0

    @property
    def base_url(self) -> str:
        """The address models are asked at."""
        return f"http://{HOST}:{self.port}/v1"

    async def start(self) -> None:
        """Start and wait until the server is healthy; raises `BackendUnreachableError` with the end of its log."""
        await self._spawn()
        await self._healthy()
        self._watcher = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Stop the server and whatever it started; harmless when it is not running."""
        self._stopping = True
        if self._watcher is not None:
            self._watcher.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watcher
        process, self._process = self._process, None
        if process is None:
            return
        for sent, patience in ((signal.SIGTERM, _STOP_WITHIN), (signal.SIGKILL, _STOP_WITHIN)):
            _signal_group(process.pid, sent)
            try:
                async with asyncio.timeout(patience):
                    await process.wait()
            except TimeoutError:
                continue
            break
        _signal_group(process.pid, signal.SIGKILL)  # workers that outlived their parent

    async def _spawn(self) -> None:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=self._environment,
                    start_new_session=True,
                    preexec_fn=_die_with_parent if sys.platform == "linux" else None,
                )
            except OSError as error:
                raise BackendUnreachableError(f"vLLM cannot be started: {error}") from error

    async def _healthy(self) -> None:
        """Wait for `/health`, saying now and then that it is still loading."""
        assert self._process is not None
        started = said = time.monotonic()
        while not await asyncio.to_thread(_answers, f"http://{HOST}:{self.port}/health"):
            now = time.monotonic()
            if self._process.returncode is not None:
                raise self._failed(f"vLLM ended with code {self._process.returncode} before it was ready")
            if now - started > self._ready_timeout:
                raise self._failed(f"vLLM was not ready within {self._ready_timeout:g} s")
            if now - said > _SAY:
                said = now
                _log.info(
                    "vLLM on port %d is loading, %.0f s so far; its log is %s", self.port, now - started, self._log
                )
            await asyncio.sleep(_LOOK)
        _log.info("vLLM on port %d is ready after %.0f s", self.port, time.monotonic() - started)

    async def _watch(self) -> None:
        """Restart the server once if it dies; a second death is left to its callers, who find nobody there."""
        while self._process is not None and not self._stopping:
            code = await self._process.wait()
            if self._stopping or self.restarts >= 1:
                return
            self.restarts += 1
            _log.warning("vLLM on port %d died (code %s); it is started again, once", self.port, code)
            _signal_group(self._process.pid, signal.SIGKILL)
            try:
                await self._spawn()
                await self._healthy()
            except BackendUnreachableError as error:
                _log.warning("%s", error.message)
                return

    def _failed(self, what: str) -> BackendUnreachableError:
        try:
            lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-_TAIL:]
        except OSError:
            lines = []
        telling = [line for line in lines if "rror" in line] or lines
        said = f": {telling[-1].strip()[:300]}" if telling else ""
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


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=2.0) as response:
            return bool(response.status == 200)
    except (URLError, OSError):
        return False


def _signal_group(leader: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def _die_with_parent() -> None:
    """Run in the child: when eigen is killed outright, its server must not stay on the GPU (Linux's prctl(2))."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
