"""Calls on terms: prices, temperatures, the cache, the budget; through a real journal."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from eigen_cli.api.backend import Backend, BackendSettings, CallKey, Chat, Reply, Request, RoleName, Usage
from eigen_cli.api.errors import BudgetReachedError
from eigen_cli.api.generations import Latency
from eigen_cli.api.messages import Completion
from eigen_cli.run.budget import Allowance
from eigen_cli.run.cache import ResponseCache
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal
from eigen_cli.run.prices import Price
from eigen_cli.run.terms import Terms

PRICE = Price(1.0, 10.0)


class Counting(Backend):
    """Counts its calls and remembers the temperatures it was asked at."""

    identity = "counting"

    def __init__(self) -> None:
        super().__init__(BackendSettings())
        self.temperatures: list[float | None] = []

    async def complete(self, request: Request) -> Reply:
        self.temperatures.append(request.temperature)
        usage = Usage(calls=1, prompt_tokens=1_000, completion_tokens=100, seconds=0.25)
        return Reply(Completion(text=f"reply {len(self.temperatures)}"), usage)


def request(trial: int = 0, *, role: RoleName = "agent") -> Request:
    chat = Chat.of({"role": "user", "content": "Hello"})
    return Request(role, CallKey("x:0", 1, "p", "t", trial, role, 0, 0), None, chat, max_tokens=100)


def calls(backend: Backend, journal: Journal, terms: Terms) -> RecordedBackends:
    return RecordedBackends({"agent": backend, "user": backend}, journal, concurrency=4, terms=terms)


async def test_a_priced_call_costs_and_is_timed(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j") as journal:
        made = calls(Counting(), journal, Terms(prices={"agent": PRICE}))
        reply = await made.complete(request())
        await made.complete(request(role="user"))
    assert reply.usage.cost_usd == pytest.approx(0.002)
    assert made.usage["agent"].cost_usd == pytest.approx(0.002)
    assert made.usage["user"].cost_usd == 0
    assert made.latency() == dict.fromkeys(("agent", "user"), Latency(1, 0.25, 0.25, 0.25))
    assert made.latency() == {}, "what was read once is not read again"
    with Journal.open(tmp_path / "j") as journal:
        resumed = calls(Counting(), journal, Terms())
        assert (await resumed.complete(request())).usage.cost_usd == pytest.approx(0.002), (
            "the journal keeps what it cost"
        )
        assert resumed.latency() == {}


async def test_temperatures_are_the_roles_own_and_part_of_the_request(tmp_path: Path) -> None:
    backend = Counting()
    with Journal.open(tmp_path / "j") as journal:
        await calls(backend, journal, Terms(temperatures={"agent": 0.7})).complete(request())
        await calls(backend, journal, Terms(temperatures={"agent": 0.7})).complete(request())
        await calls(backend, journal, Terms(temperatures={"agent": 0.2})).complete(request())
        await calls(backend, journal, Terms(temperatures={"agent": 0.2})).complete(replace(request(1), temperature=0.0))
    assert backend.temperatures == [0.7, 0.2, 0.0]


async def test_the_cache_answers_another_run_trial_by_trial_and_costs_nothing(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "cache")
    backend = Counting()
    terms = Terms(prices={"agent": PRICE}, cache=cache)
    with Journal.open(tmp_path / "one") as journal:
        first = [await calls(backend, journal, terms).complete(request(trial)) for trial in (0, 1)]
    with Journal.open(tmp_path / "two") as journal:
        made = calls(backend, journal, terms)
        second = [await made.complete(request(trial)) for trial in (0, 1, 2)]
    assert [reply.completion.text for reply in first] == ["reply 1", "reply 2"]
    assert [reply.completion.text for reply in second] == ["reply 1", "reply 2", "reply 3"]
    assert made.usage["agent"].calls == 1
    assert made.usage["agent"].cost_usd == pytest.approx(0.002)


async def test_a_damaged_cache_entry_is_a_miss(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "cache")
    with Journal.open(tmp_path / "one") as journal:
        await calls(Counting(), journal, Terms(cache=cache)).complete(request())
    (entry,) = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    entry.write_bytes(entry.read_bytes()[:-3])
    backend = Counting()
    with Journal.open(tmp_path / "two") as journal:
        await calls(backend, journal, Terms(cache=cache)).complete(request())
    assert len(backend.temperatures) == 1


async def test_a_budget_counts_earlier_sittings_and_ends_the_run_resumably(tmp_path: Path) -> None:
    backend = Counting()
    terms = Terms(prices={"agent": PRICE}, budget=Allowance(usd=0.005))
    with Journal.open(tmp_path / "j") as journal:
        made = calls(backend, journal, terms)
        for trial in (0, 1):
            await made.complete(request(trial))
    with Journal.open(tmp_path / "j") as journal:
        made = calls(backend, journal, terms)
        with pytest.raises(BudgetReachedError, match=r"0\.0040 USD are spent"):
            await made.complete(request(2))
        assert (await made.complete(request(1))).completion.text == "reply 2", "what was paid for stays usable"
    with Journal.open(tmp_path / "j") as journal:
        larger = replace(terms, budget=Allowance(usd=0.01))
        assert (await calls(backend, journal, larger).complete(request(2))).completion.text == "reply 3"
    assert len(backend.temperatures) == 3


async def test_what_a_budget_cut_off_in_flight_is_still_answered_and_journaled(tmp_path: Path) -> None:
    gate = asyncio.Event()

    class Slow(Counting):
        async def complete(self, request: Request) -> Reply:
            await gate.wait()
            return await super().complete(request)

    backend = Slow()
    terms = Terms(prices={"agent": PRICE}, budget=Allowance(usd=0.0035))
    with Journal.open(tmp_path / "j") as journal, pytest.raises(BudgetReachedError):
        async with calls(backend, journal, terms) as made:
            waiting = [asyncio.ensure_future(made.complete(request(trial))) for trial in (0, 1)]
            await asyncio.sleep(0.01)
            asyncio.get_running_loop().call_later(0.05, gate.set)
            try:
                await made.complete(request(2))
            finally:
                for task in waiting:
                    task.cancel()
    with Journal.open(tmp_path / "j") as journal:
        assert [key.split("/")[4] for key, _ in journal.calls()] == ["0", "1"]
