"""Work that completes in any order and counts in one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class OpenWork:
    """Bounds how many proposals and episodes are under way.

    A little more than the calls allowed in flight, so that while some run tools or wait for their turn, the model still
    has all the calls it may have.
    """

    def __init__(self, concurrency: int) -> None:
        self._slots = asyncio.Semaphore(concurrency + max(4, concurrency // 4))

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do one piece of work when there is room."""
        async with self._slots:
            return await work()


async def in_order(works: Sequence[Awaitable[T]]) -> AsyncGenerator[T, None]:
    """Start everything at once and yield results in the order given, whatever the order of completion.

    If one fails, or the consumer stops, the rest is cancelled before the error goes on; consume it under `aclosing`.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
