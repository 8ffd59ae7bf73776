"""A person at the terminal, with a pipe in the person's place."""

from __future__ import annotations

import io
from typing import Any

import pytest

from eigen_cli.api.backend import BackendSettings, CallKey, Chat, Request, RoleName, ToolSchemas
from eigen_cli.api.errors import BackendUnreachableError
from eigen_human.backend import HumanBackend

TOOL = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look around.",
        "parameters": {"type": "object", "properties": {"at": {"type": "string", "description": "Where."}}},
    },
}


def request(role: RoleName = "agent", *more: dict[str, Any], turn: int = 0) -> Request:
    return Request(
        role=role,
        key=CallKey("x:0", 1, "p", "t1", 0, role, turn, 0),
        inputs=None,
        chat=Chat.of({"role": "system", "content": "Be kind.\x1b[31m"}, {"role": "user", "content": "Hi"}, *more),
        tools=ToolSchemas.of([TOOL]),
    )


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Any:
    def type_(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return type_


async def test_words_are_said_and_tools_called(typing: Any, capsys: pytest.CaptureFixture[str]) -> None:
    human = HumanBackend(BackendSettings())
    typing("/help\n/tools look\n/briefing\n/call dance\n/call look at=sky\nIt is blue.\n")
    first = (await human.complete(request())).completion
    assert [(call.name, call.arguments) for call in first.tool_calls] == [("look", '{"at":"sky"}')]
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "customer  Hi" in shown.err
    assert "look(at?)  Look around." in shown.err
    assert "at: Where." in shown.err
    assert "Be kind.\\x1b[31m" in shown.err
    assert "\x1b" not in shown.err
    assert "there is no tool dance" in shown.err

    answered = {"role": "tool", "tool_call_id": "call_0_0", "content": "blue"}
    own = {"role": "assistant", "content": "", "tool_calls": []}
    second = (await human.complete(request("agent", own, answered, turn=1))).completion
    assert (second.text, second.tool_calls) == ("It is blue.", ())
    again = capsys.readouterr().err
    assert "result  blue" in again
    assert "customer" not in again, "what was shown is not shown again"


async def test_the_customer_can_stop_and_anyone_can_leave(typing: Any) -> None:
    human = HumanBackend(BackendSettings(model="ada"))
    typing("/stop\n/quit\n")
    assert "###STOP###" in (await human.complete(request("user"))).completion.text
    with pytest.raises(KeyboardInterrupt):
        await human.complete(request("user", turn=1))
    assert human.identity == "human/ada"


async def test_an_empty_terminal_is_unreachable(typing: Any) -> None:
    typing("")
    with pytest.raises(BackendUnreachableError, match="nobody is at the terminal"):
        await HumanBackend(BackendSettings()).complete(request())
