"""What a client costs that does nothing but send and read: a plain aiohttp loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp


@dataclass(frozen=True)
class Figures:
    """Calls a second, and milliseconds of this process's CPU a call."""

    throughput: float
    cpu_ms: float


async def bare_loop(url: str, bodies: Sequence[bytes], *, concurrency: int, calls: int) -> Figures:
    """Send an episode's bodies over and over from `concurrency` workers, `calls` in all, after a round to warm up."""
    left = 0
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.DummyCookieJar(), headers={"Content-Type": "application/json"}
    ) as session:

        async def work(place: int) -> None:
            nonlocal left
            while left > 0:
                left -= 1
                body = bodies[place % len(bodies)]
                place += 1
                async with session.post(f"{url}/chat/completions", data=body) as response:
                    await response.read()

        async def run(count: int) -> None:
            nonlocal left
            left = count
            await asyncio.gather(*(work(0) for _ in range(concurrency)))

        await run(concurrency)
        started, cpu = time.perf_counter(), time.process_time()
        await run(calls)
        return Figures(calls / (time.perf_counter() - started), (time.process_time() - cpu) / calls * 1000)
