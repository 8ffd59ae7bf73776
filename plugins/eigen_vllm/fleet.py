"""The servers of one model, started once for all backends of a command that serve it alike."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Hashable
from pathlib import Path

import msgspec

from eigen_cli.api.errors import BackendUnreachableError
from eigen_vllm.command import serve_command, served_name, server_environment
from eigen_vllm.options import Options
from eigen_vllm.server import Server, free_ports

_log = logging.getLogger("eigen.vllm")


class Fleet:
    """`options.replicas` servers of a model; conversations stay with their server (see `eigen_openai.servers`)."""

    def __init__(self, model: str, options: Options) -> None:
        self.users = 0
        self._name = served_name(model)
        self._gave_up: asyncio.Future[list[BackendUnreachableError]] | None = None
        first = options.port
        ports = list(range(first, first + options.replicas)) if first else free_ports(options.replicas)
        self._servers = [
            Server(
                serve_command(model, options, port=port),
                port=port,
                environment=server_environment(options, replica),
                log=_log_path(options, self._name, replica),
                ready_timeout=options.ready_timeout,
            )
            for replica, port in enumerate(ports)
        ]

    @property
    def base_url(self) -> str:
        """The servers' addresses, as the `openai` backend takes them."""
        return ",".join(server.base_url for server in self._servers)

    async def start(self) -> None:
        """Start all servers; raises `BackendUnreachableError`, with none of them left, where one does not come up."""
        ports = ", ".join(str(server.port) for server in self._servers)
        _log.info("vLLM loads %s on port %s", self._name, ports)
        starting = [asyncio.ensure_future(server.start()) for server in self._servers]
        try:
            await asyncio.gather(*starting)
        except BaseException:
            for task in starting:
                task.cancel()
            await asyncio.gather(*starting, return_exceptions=True)
            await self.stop()
            raise
        self._gave_up = asyncio.gather(*(server.gave_up() for server in self._servers))

    @property
    def gave_up(self) -> asyncio.Future[list[BackendUnreachableError]]:
        """Done once every server is dead for good."""
        assert self._gave_up is not None, "start() comes first"
        return self._gave_up

    async def stop(self) -> None:
        """Stop all servers."""
        if self._gave_up is not None:
            self._gave_up.cancel()
            await asyncio.gather(self._gave_up, return_exceptions=True)
        await asyncio.gather(*(server.stop() for server in self._servers))


_running: dict[Hashable, Fleet] = {}


async def borrowed(model: str, options: Options) -> Fleet:
    """Return the running fleet of a model, started if nobody has; `give_back` stops it after its last user.

    Roles that differ in how they ask (`strict_tools`, rate caps) share it: a second copy would not fit the GPU.
    """
    key = _key(model, options)
    fleet = _running.get(key)
    if fleet is None:
        fleet = Fleet(model, options)
        await fleet.start()
        _running[key] = fleet
    fleet.users += 1
    return fleet


async def give_back(fleet: Fleet) -> None:
    """Be done with a fleet."""
    fleet.users -= 1
    if fleet.users == 0:
        for key in [key for key, running in _running.items() if running is fleet]:
            del _running[key]
        await fleet.stop()


def _key(model: str, options: Options) -> Hashable:
    return model, msgspec.json.encode(msgspec.structs.replace(options, strict_tools=False), order="sorted")


def _log_path(options: Options, name: str, replica: int) -> Path:
    return Path(options.log_dir) / f"vllm-{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}-{replica}.log"
