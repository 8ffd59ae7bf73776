from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from eigen_cli.run.ordered import OpenWork, in_order


async def _after(seconds: float, value: int, done: list[int]) -> int:
    await asyncio.sleep(seconds)
    done.append(value)
    return value


async def test_results_come_in_the_order_given_not_of_completion() -> None:
    done: list[int] = []
    works = [_after(delay, value, done) for value, delay in enumerate((0.03, 0.0, 0.02, 0.01))]
    async with aclosing(in_order(works)) as results:
        assert [result async for result in results] == [0, 1, 2, 3]
    assert done == [1, 3, 2, 0]


async def test_a_failure_cancels_the_rest() -> None:
    done: list[int] = []

    async def fails() -> int:
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        async with aclosing(in_order([fails(), _after(0.05, 1, done)])) as results:
            async for _ in results:
                pass
    await asyncio.sleep(0.08)
    assert done == []


async def test_open_work_is_bounded_a_little_above_the_calls_allowed() -> None:
    work, open_now, most = OpenWork(8), 0, 0

    async def piece() -> None:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        await asyncio.sleep(0.001)
        open_now -= 1

    await asyncio.gather(*(work.run(piece) for _ in range(60)))
    assert most == 12
