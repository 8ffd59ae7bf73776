"""`python -m eigen_cli.testing.openai_server`: serve until interrupted; the first line on stdout is the base URL."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

import msgspec

from eigen_cli.testing.openai_server.actors import OfflineActors
from eigen_cli.testing.openai_server.faults import Fault, parse_faults
from eigen_cli.testing.openai_server.server import OpenAIServer, serving_async


def _faults(text: str) -> tuple[Fault, ...]:
    try:
        return parse_faults(text if text.lstrip().startswith(("{", "[")) else Path(text).read_bytes())
    except (OSError, msgspec.MsgspecError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _object(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m eigen_cli.testing.openai_server", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency-ms", type=float, default=0.0, help="added to every reply")
    parser.add_argument("--faults", type=_faults, default=(), metavar="JSON|FILE", help="a fault or a list of faults")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append every arrival and end as a JSON line")
    parser.add_argument("--actors", type=_object, default={}, metavar="JSON", help="options of the offline backend")
    parser.add_argument("--model", action="append", dest="models", help="a model to offer (default: offline)")
    return parser.parse_args()


async def _serve(arguments: argparse.Namespace) -> None:
    server = OpenAIServer(
        OfflineActors(arguments.actors),
        latency=arguments.latency_ms / 1000,
        faults=arguments.faults,
        models=tuple(arguments.models or ("offline",)),
        log_path=arguments.log,
    )
    stopped = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stopped.set)
    async with serving_async(server, host=arguments.host, port=arguments.port) as url:
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        await stopped.wait()


if __name__ == "__main__":
    asyncio.run(_serve(_arguments()))
