"""The mailbox: what is asked, what may be answered, and what becomes of answers that cannot be used."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from eigen_cli.api.backend import BackendSettings, CallKey, Chat, Reply, Request, Schema, ToolSchemas
from eigen_cli.api.errors import BackendError, BackendUnreachableError, ConfigError
from eigen_mailbox.backend import MailboxBackend
from eigen_mailbox.letters import UnusableAnswerError, letter_name, read_answer, written_request

TOOL = {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {"type": "object"}}}


def request(*, turn: int = 0, tools: bool = True, schema: bool = False, said: str = "Hello") -> Request:
    return Request(
        role="agent",
        key=CallKey("airline:0", 1, "plan-a", "r1-0003", 2, "agent", turn, 0),
        inputs=None,
        chat=Chat.of({"role": "system", "content": "Be kind."}, {"role": "user", "content": said}),
        tools=ToolSchemas.of([TOOL]) if tools else None,
        schema=Schema("Verdict", {"type": "object"}) if schema else None,
    )


def backend(folder: Path, **settings: Any) -> MailboxBackend:
    options = {"dir": str(folder), "poll": 0.01, **settings.pop("options", {})}
    return MailboxBackend(BackendSettings(model="sage", options=options, **settings))


async def asked(folder: Path, count: int = 1) -> list[Path]:
    """Return the open requests once there are so many."""
    for _ in range(500):
        found = sorted((folder / "requests").glob("*.json"))
        if len(found) >= count:
            return found
        await asyncio.sleep(0.01)
    raise AssertionError(f"never saw {count} requests")


def put(folder: Path, name: str, value: Any) -> None:
    data = value if isinstance(value, str) else json.dumps(value)
    beside = folder / "answers" / f".{name}"
    beside.write_text(data)
    beside.rename(folder / "answers" / f"{name}.json")


async def test_a_request_says_all_a_model_would_see_and_how_to_answer(tmp_path: Path) -> None:
    box = backend(tmp_path)
    await box.start()
    waiting = asyncio.ensure_future(box.complete(request()))
    (path,) = await asked(tmp_path)
    letter = json.loads(path.read_text())
    assert letter["role"] == "agent"
    assert letter["key"] == "airline:0/1/plan-a/r1-0003/2/agent/0/0"
    assert letter["messages"] == [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}]
    assert letter["tools"] == [TOOL]
    assert "tool_calls" in letter["how_to_answer"]
    put(tmp_path, path.stem, {"tool_calls": [{"name": "look", "arguments": {"at": "sky"}}], "reasoning": "dark"})
    reply = await waiting
    (call,) = reply.completion.tool_calls
    assert (call.name, json.loads(call.arguments)) == ("look", {"at": "sky"})
    assert reply.completion.finish_reason == "tool_calls"
    assert reply.completion.reasoning == "dark"
    assert reply.completion.model == "sage"
    assert reply.usage.calls == 1
    assert sorted(path.name.rpartition("-")[2].partition(".")[2] for path in (tmp_path / "done").iterdir()) == [
        "answer.json",
        "request.json",
    ]
    assert not list((tmp_path / "requests").iterdir())
    assert not list((tmp_path / "answers").iterdir())


async def test_many_wait_at_once_and_each_gets_its_own_answer(tmp_path: Path) -> None:
    box = backend(tmp_path)
    await box.start()
    waiting = [asyncio.ensure_future(box.complete(request(turn=turn, said=f"{turn}"))) for turn in range(20)]
    for path in await asked(tmp_path, 20):
        put(tmp_path, path.stem, {"text": f"to {json.loads(path.read_text())['messages'][1]['content']}"})
    replies: list[Reply] = await asyncio.gather(*waiting)
    assert [reply.completion.text for reply in replies] == [f"to {turn}" for turn in range(20)]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("{", "not an answer"),
        ({"txt": "hi"}, "unknown fields txt"),
        ({"text": "  "}, "says nothing"),
        ({"output": {}}, "no schema was asked for"),
        ({"text": 3}, "not an answer"),
        ({"tool_calls": [{"arguments": {}}]}, "not an answer"),
    ],
)
async def test_an_unusable_answer_is_set_aside_with_the_reason_and_the_request_stays(
    tmp_path: Path, answer: Any, why: str
) -> None:
    box = backend(tmp_path)
    await box.start()
    waiting = asyncio.ensure_future(box.complete(request()))
    (path,) = await asked(tmp_path)
    put(tmp_path, path.stem, answer)
    reason = tmp_path / "answers" / f"{path.stem}.why.txt"
    for _ in range(500):
        if reason.exists():
            break
        await asyncio.sleep(0.01)
    assert why in reason.read_text()
    assert path.exists()
    put(tmp_path, path.stem, {"text": "Better."})
    assert (await waiting).completion.text == "Better."
    assert not reason.exists()


async def test_an_answer_that_is_there_already_is_used(tmp_path: Path) -> None:
    box = backend(tmp_path)
    await box.start()
    put(tmp_path, letter_name(request()), {"text": "I knew you would ask."})
    assert (await box.complete(request())).completion.text == "I knew you would ask."


async def test_nobody_answering_is_a_failure_of_that_call_and_leaves_no_open_request(tmp_path: Path) -> None:
    box = backend(tmp_path, timeout=0.05)
    await box.start()
    with pytest.raises(BackendError, match="nobody answered") as caught:
        await box.complete(request())
    assert not isinstance(caught.value, BackendUnreachableError)
    assert not list((tmp_path / "requests").iterdir())


async def test_a_folder_that_cannot_be_made_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BackendUnreachableError, match="cannot be used"):
        await backend(tmp_path / "file" / "box").start()


@pytest.mark.parametrize("poll", [0, -1, "often", None])
def test_a_poll_that_is_no_time_is_refused(tmp_path: Path, poll: Any) -> None:
    with pytest.raises(ConfigError, match="poll"):
        backend(tmp_path, options={"poll": poll})


def test_the_folder_is_no_part_of_the_identity(tmp_path: Path) -> None:
    assert backend(tmp_path).identity == backend(tmp_path / "other").identity == "mailbox/sage"


def test_a_changed_request_is_another_letter() -> None:
    assert letter_name(request(said="a")) != letter_name(request(said="b"))
    assert letter_name(request()).startswith("r1-r1_0003-t2-agent-000-0-")


def test_a_schema_is_answered_with_an_output() -> None:
    asking = request(tools=False, schema=True)
    assert json.loads(written_request(asking))["schema"] == {"type": "object"}
    completion = read_answer(b'{"output": {"b": 1, "a": [2]}}', asking, model="sage")
    assert completion.text == '{"a":[2],"b":1}'
    with pytest.raises(UnusableAnswerError, match="has none here"):
        read_answer(b'{"tool_calls": [{"name": "look"}]}', asking, model="sage")


def test_arguments_written_as_text_stay_as_they_are() -> None:
    completion = read_answer(b'{"tool_calls": [{"name": "look", "arguments": "{\\"at\\": 1"}]}', request(), model="m")
    assert completion.tool_calls[0].arguments == '{"at": 1'
