"""`python -m eigen_cli.testing.hub_server`: serve until interrupted; the first line on stdout is the endpoint."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from eigen_cli.testing.hub_server.server import HubServer, serving_hub_async


async def _serve(host: str, port: int) -> None:
    stopped = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stopped.set)
    async with serving_hub_async(HubServer(), host=host, port=port) as url:
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        await stopped.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m eigen_cli.testing.hub_server", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    arguments = parser.parse_args()
    asyncio.run(_serve(arguments.host, arguments.port))
