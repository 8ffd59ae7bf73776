"""Servers for tests that are not async themselves: each in a thread of its own, with a loop of its own."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager


@contextlib.contextmanager
def threaded(serving: Callable[[], AbstractAsyncContextManager[str]], *, name: str) -> Iterator[str]:
    """Enter an async context in a thread of its own; give what it gives, and leave it at the end.

    Raises what entering it raises.
    """
    ready: concurrent.futures.Future[tuple[str, Callable[[], object]]] = concurrent.futures.Future()

    async def serve() -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with serving() as url:
                ready.set_result((url, lambda: loop.call_soon_threadsafe(stopped.set)))
                await stopped.wait()
        except OSError as error:
            ready.set_exception(error)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name=name, daemon=True)
    thread.start()
    url, stop = ready.result()
    try:
        yield url
    finally:
        stop()
        thread.join()
