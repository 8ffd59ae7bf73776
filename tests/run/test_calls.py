from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from eigen_cli.api.backend import (
    Backend,
    BackendSettings,
    CallKey,
    Chat,
    Reply,
    Request,
    SimulatedReply,
    Usage,
)
from eigen_cli.api.errors import BackendError, BackendUnreachableError, ContextOverflowError, RegistryError
from eigen_cli.api.messages import Completion
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal


class Counting(Backend):
    """Answers with the number of the call; may fail, wait or plant a fault."""

    def __init__(self, act: Callable[[int], None] = lambda _: None) -> None:
        super().__init__(BackendSettings())
        self.asked = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self._act = act

    @property
    def identity(self) -> str:
        return "counting"

    async def complete(self, request: Request) -> Reply:
        self.asked += 1
        number = self.asked
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(0.001)
        self.in_flight -= 1
        self._act(number)
        return SimulatedReply(Completion(text=f"answer {number}"), Usage(calls=1, prompt_tokens=3), ("agent:slip",))


def _request(task: str = "0001", text: str = "hello") -> Request:
    key = CallKey("run", 1, "plan", task, 0, "agent", 0, 0)
    return Request("agent", key, None, Chat.of({"role": "user", "content": text}))


async def test_a_recorded_call_is_never_made_again(tmp_path: Path) -> None:
    backend = Counting()
    with Journal.open(tmp_path / "j") as journal:
        calls = RecordedBackends({"agent": backend}, journal, concurrency=4)
        first = await calls.complete(_request())
        assert (await calls.complete(_request())).completion == first.completion
        assert (await calls.complete(_request(text="other words"))).completion.text == "answer 2"
    with Journal.open(tmp_path / "j") as journal:
        again = RecordedBackends({"agent": backend}, journal, concurrency=4)
        reply = await again.complete(_request(text="other words"))
        assert reply.completion.text == "answer 2" and backend.asked == 2
        assert again.usage["agent"] == Usage(calls=1, prompt_tokens=3)


async def test_roles_never_see_planted_faults(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j") as journal:
        calls = RecordedBackends({"agent": Counting()}, journal, concurrency=4)
        reply = await calls.complete(_request())
        assert type(reply) is Reply and not hasattr(reply, "faults")
        assert calls.faults == [(_request().key, ("agent:slip",))]


async def test_as_many_calls_are_in_flight_as_are_allowed(tmp_path: Path) -> None:
    backend = Counting()
    with Journal.open(tmp_path / "j") as journal:
        calls = RecordedBackends({"agent": backend}, journal, concurrency=16)
        await asyncio.gather(*(calls.complete(_request(f"{n:04}")) for n in range(64)))
    assert backend.most_in_flight == 16


async def test_a_failure_for_good_is_journaled_and_an_absent_server_is_not(tmp_path: Path) -> None:
    def act(number: int) -> None:
        if number == 1:
            raise BackendError("500 six times")
        if number == 2:
            raise ContextOverflowError("too long")
        if number == 3:
            raise BackendUnreachableError("nobody there")

    backend = Counting(act)
    with Journal.open(tmp_path / "j") as journal:
        calls = RecordedBackends({"agent": backend}, journal, concurrency=4)
        with pytest.raises(BackendError, match="500 six times"):
            await calls.complete(_request("a"))
        with pytest.raises(ContextOverflowError, match="too long"):
            await calls.complete(_request("b"))
        with pytest.raises(BackendUnreachableError):
            await calls.complete(_request("c"))
    with Journal.open(tmp_path / "j") as journal:
        calls = RecordedBackends({"agent": backend}, journal, concurrency=4)
        with pytest.raises(BackendError, match="500 six times"):
            await calls.complete(_request("a"))
        with pytest.raises(ContextOverflowError):
            await calls.complete(_request("b"))
        assert (await calls.complete(_request("c"))).completion.text == "answer 4"
        assert backend.asked == 4
        assert calls.usage["agent"].failures == 2


async def test_a_failure_keeps_its_hint_and_a_damaged_reply_is_named(tmp_path: Path) -> None:
    def act(number: int) -> None:
        raise BackendError("404 for ever", hint="the address usually ends in /v1")

    with Journal.open(tmp_path / "j") as journal:
        calls = RecordedBackends({"agent": Counting(act)}, journal, concurrency=1)
        for _ in range(2):
            with pytest.raises(BackendError) as caught:
                await calls.complete(_request("a"))
            assert caught.value.hint == "the address usually ends in /v1"
        journal.append(_request("b").key.path(), _request("b").fingerprint(), b"not a reply")
        with pytest.raises(RegistryError, match="cannot be read") as damaged:
            await calls.complete(_request("b"))
        assert "--fresh" in (damaged.value.hint or "")
