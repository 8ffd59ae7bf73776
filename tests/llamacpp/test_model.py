"""The backend with its real model, SmolLM2-135M: `make test-local` runs this; elsewhere it is skipped."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from llamacpp.requests_of_roles import assistant, request, system, user
from running import command

from eigen_cli.api.backend import BackendSettings, Reply
from eigen_cli.api.errors import BackendError, ConfigError, ContextOverflowError
from eigen_cli.api.outputs import JudgeOutput, schema_of
from eigen_cli.roles.context import RoleContext
from eigen_cli.testing.backend_contract import backend_breaches
from eigen_llamacpp.backend import LocalBackend

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed here; `make test-local` installs it")

POLICY = "You are the service agent of an airline. Use your tools."
EASY = {
    "Hi, my user id is mia_li_3668. Please read my profile.": ("get_user_details", {"user_id": "mia_li_3668"}),
    "Can you look up reservation EHGLP3?": ("get_reservation_details", {"reservation_id": "EHGLP3"}),
    "Please read my profile. The user id is omar_rossi_1241.": ("get_user_details", {"user_id": "omar_rossi_1241"}),
    "Please read my profile, my user id is noah_ito_3850.": ("get_user_details", {"user_id": "noah_ito_3850"}),
    "Please read a reservation. The reservation id is AB12CD.": (
        "get_reservation_details",
        {"reservation_id": "AB12CD"},
    ),
    "Please cancel a whole reservation. The reservation id is ZP0XND.": (
        "cancel_reservation",
        {"reservation_id": "ZP0XND"},
    ),
}


@pytest.fixture
async def local() -> AsyncIterator[LocalBackend]:
    backend = LocalBackend(BackendSettings())
    await backend.start()
    yield backend
    await backend.close()


@pytest.fixture
def three(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return three of the airline's tools."""
    wanted = {name for name, _ in EASY.values()}
    return [tool for tool in tools if tool["function"]["name"] in wanted]


async def test_calls_are_valid_and_most_of_the_easy_ones_right(
    local: LocalBackend, three: list[dict[str, Any]]
) -> None:
    parameters = {tool["function"]["name"]: tool["function"]["parameters"] for tool in three}
    asked = [request(system(POLICY), user(text), tools=three, turn=turn) for turn, text in enumerate(EASY)]
    replies = await asyncio.gather(*map(local.complete, asked))
    right = 0
    for reply, (name, arguments) in zip(replies, EASY.values(), strict=True):
        assert reply.completion.finish_reason in ("stop", "tool_calls")
        if not reply.completion.tool_calls:
            assert reply.completion.text
            continue
        (call,) = reply.completion.tool_calls
        given = json.loads(call.arguments)
        assert set(given) == set(parameters[call.name]["required"])
        assert all(isinstance(value, str) and len(value) <= 100 for value in given.values())
        right += (call.name, given) == (name, arguments)
    assert right >= len(EASY) // 2
    for reply in replies:
        assert reply.usage.prompt_tokens == reply.completion.prompt_tokens > 100
        assert reply.usage.completion_tokens == reply.completion.completion_tokens > 0
        assert 0 < reply.completion.seconds <= reply.usage.seconds
    assert replies[-1].usage.cached_tokens > 0.8 * replies[-1].usage.prompt_tokens


async def test_a_reply_does_not_depend_on_what_was_asked_before(three: list[dict[str, Any]]) -> None:
    first = (system(POLICY), user("Hello there."))
    then = (*first, assistant("Hello. What can I do?"), user("Tell me a story about reservation EHGLP3."))
    texts, reused = [], []
    for before in ([], [first, then, first], [(system("Another policy."), user("Hi."))]):
        backend = LocalBackend(BackendSettings(options={"examples": 2}))
        await backend.start()
        for chat in before:
            await backend.complete(request(*chat, tools=three, temperature=1.0, max_tokens=32))
        reply = await backend.complete(request(*then, tools=three, turn=1, temperature=1.0, max_tokens=64))
        await backend.close()
        completion = reply.completion
        texts.append((completion.text, completion.tool_calls, completion.completion_tokens))
        reused.append(reply.usage.cached_tokens)
    assert len(set(texts)) == 1
    assert reused[0] == 0 < reused[1]  # it was the same although much of it had been computed before


async def test_seeds_differ_by_call(local: LocalBackend) -> None:
    chat = (system("You are a poet."), user("One line about the sea, please."))
    asked = [request(*chat, role="user", turn=turn, temperature=1.0, max_tokens=24) for turn in (0, 1, 0)]
    said = [(await local.complete(one)).completion.text for one in asked]
    assert said[0] == said[2] != said[1]


async def test_structured_answers_satisfy_their_schema(local: LocalBackend) -> None:
    asked = request(user("Who is at fault? The agent lied."), schema=schema_of(JudgeOutput), role="judge")
    reply = await local.complete(asked)
    judged = msgspec.json.decode(reply.completion.text, type=JudgeOutput)
    assert judged.party in ("task", "agent", "user", "undetermined")


async def test_the_limit_on_tokens_is_named(local: LocalBackend) -> None:
    reply = await local.complete(request(user("Count to a hundred."), role="user", max_tokens=5))
    assert (reply.completion.finish_reason, reply.completion.completion_tokens) == ("length", 5)


async def test_a_conversation_that_does_not_fit_overflows(tools: list[dict[str, Any]]) -> None:
    backend = LocalBackend(BackendSettings(options={"n_ctx": 1024}))
    await backend.start()
    try:
        with pytest.raises(ContextOverflowError):
            await backend.complete(request(system(POLICY), user("Hi."), tools=tools))
    finally:
        await backend.close()


async def test_the_loop_stays_free_and_a_cancelled_call_makes_room(
    local: LocalBackend, three: list[dict[str, Any]]
) -> None:
    poem = request(system("You are a poet."), user("A very long poem, please."), role="user", max_tokens=512)
    call = asyncio.create_task(local.complete(poem))
    ticks = 0
    for _ in range(20):
        await asyncio.sleep(0.01)
        ticks += not call.done()
    assert ticks > 0
    call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call
    reply: Reply = await local.complete(request(system(POLICY), user("Hi."), tools=three))
    assert reply.completion.completion_tokens > 0


async def test_a_reply_that_takes_too_long_is_a_failure() -> None:
    backend = LocalBackend(BackendSettings(timeout=0.001))
    await backend.start()
    try:
        with pytest.raises(BackendError, match="broken off"):
            await backend.complete(request(user("A very long poem, please."), role="user"))
    finally:
        await backend.close()


async def test_it_keeps_the_contract_of_backends(airline: RoleContext) -> None:
    assert await backend_breaches(LocalBackend(BackendSettings()), airline) == []


async def test_what_is_no_model_is_said_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + b"\0" * 64)
    with pytest.raises(ConfigError, match="broken-68 cannot be loaded"):
        await LocalBackend(BackendSettings(model=str(tmp_path / "broken.gguf"))).start()


def eigen(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, however long it takes."""
    argv = command(*arguments, python=sys.executable)
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


async def test_a_round_of_evolution_runs_to_its_end(tmp_path: Path) -> None:
    size = ("--rounds", "1", "--tasks", "2", "--trials", "1")
    done = await asyncio.to_thread(eigen, tmp_path, "evolve", "airline", "--backend", "local", *size, "--json")
    outcome = json.loads(done.stdout)
    assert outcome["actors"].startswith(
        "planner offline, synthesizer offline, agent local, user offline, judge offline"
    )
    assert outcome["simulated"] is True  # its user is
    assert "local plays agent; offline plays planner, synthesizer, task_verifier, user, judge, reflector" in done.stderr
    (generation,) = outcome["generations"]
    assert generation["actors"]["agent"].startswith("local/SmolLM2-135M-Instruct")
    assert (generation["tasks_accepted"], generation["episodes"], generation["infrastructure"]) == (2, 2, 0)
    shown = json.loads(eigen(tmp_path, "show", generation["id"], "--sample", "2", "--json").stdout)
    messages = [message for item in shown["episodes"] for message in item["episode"]["messages"]]
    calls = [call for message in messages if message["speaker"] == "agent" for call in message.get("tool_calls", ())]
    assert calls
    assert [call["error"] for call in calls if call.get("error")] == []
