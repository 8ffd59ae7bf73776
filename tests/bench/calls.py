"""CPU a call costs the client, with the server in another process: `python tests/bench/calls.py`.

A call is an agent's turn of a 20-message conversation with 14 tools; the reply is a text of 180 characters. What is
printed is `time.process_time` of this process alone, per call, the best and the median of several rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import time

from eigen_cli.api.backend import BackendSettings, CallKey, Chat, Request, ToolSchemas
from eigen_openai.backend import OpenAIBackend

MESSAGES = 20
TOOLS = ToolSchemas.of(
    [
        {
            "type": "function",
            "function": {
                "name": f"tool_{n}",
                "description": "Look up or change one thing. " * 8,
                "parameters": {
                    "type": "object",
                    "properties": {f"field_{m}": {"type": "string", "description": "An id."} for m in range(5)},
                },
            },
        }
        for n in range(14)
    ]
)


def conversation() -> Chat:
    """Return a chat as the episode driver builds it: message by message, each encoded when it is added."""
    chat = Chat.of({"role": "system", "content": "Clause 1.1: confirm before you write. " * 100})
    for turn in range(MESSAGES - 1):
        chat = chat.add({"role": ("user", "assistant")[turn % 2], "content": "I would like to change my booking. " * 5})
    return chat


def requests(calls: int) -> list[Request]:
    """Return as many requests, each with a key of its own."""
    chat = conversation()
    return [
        Request("agent", CallKey("r", 1, "plan-a", f"t{n}", 0, "agent", 9, 0), inputs=None, chat=chat, tools=TOOLS)
        for n in range(calls)
    ]


async def cpu_per_call(url: str, *, calls: int, concurrency: int, rounds: int) -> list[float]:
    """Return milliseconds of CPU a call, one figure a round; the first, which warms the pool, is left out."""
    backend = OpenAIBackend(BackendSettings(base_url=url, model="offline", concurrency=concurrency))
    await backend.start()
    figures = []
    for _ in range(rounds + 1):
        asked = iter(requests(calls))

        async def ask(asked: object = asked) -> None:
            for request in asked:  # type: ignore[attr-defined]
                await backend.complete(request)

        started = time.process_time()
        await asyncio.gather(*(ask() for _ in range(concurrency)))
        figures.append((time.process_time() - started) / calls * 1000)
    await backend.close()
    return figures[1:]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[1, 64])
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "eigen_cli.testing.openai_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        try:
            for concurrency in arguments.concurrency:
                run = cpu_per_call(url, calls=arguments.calls, concurrency=concurrency, rounds=arguments.rounds)
                figures = asyncio.run(run)
                print(
                    f"{concurrency:4} in flight: best {min(figures):.3f} ms, median {statistics.median(figures):.3f} ms"
                )
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
