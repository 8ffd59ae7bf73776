"""Strict tool calls: what is asked instead, and what becomes of the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from eigen_cli.api.backend import BackendSettings, Request, ToolSchemas
from eigen_cli.api.messages import Completion, RawToolCall
from eigen_cli.testing.openai_server import OpenAIServer, serving_async
from eigen_cli.testing.openai_server.chat import ChatRequest
from eigen_vllm import strict
from eigen_vllm.backend import VllmBackend

Ask = Callable[..., Request]


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": "…", "parameters": parameters}}


LOOK = tool(
    "look",
    id={"type": "string"},
    kind={"type": "string", "enum": ["a", "b"]},
    notes={"type": "array", "items": {"type": "string", "maxLength": 9}},
)


def call(name: str, arguments: str) -> RawToolCall:
    return RawToolCall("call_1", name, arguments)


def test_tools_are_asked_strictly_and_speaking_is_one_of_them(ask: Ask) -> None:
    request = ask("Hello", tools=ToolSchemas.of([LOOK]))
    asked = strict.asked(request)
    assert asked.tools is not None
    look, respond = (definition["function"] for definition in asked.tools.definitions())
    assert (look["name"], look["strict"]) == ("look", True)
    assert look["parameters"]["properties"] == {
        "id": {"type": "string", "maxLength": 500},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "notes": {"type": "array", "items": {"type": "string", "maxLength": 9}},
    }
    assert (respond["name"], respond["strict"], respond["parameters"]["required"]) == ("respond", True, ["text"])
    assert request.tools is not None
    assert request.tools.definitions() == [LOOK]


def test_what_is_spoken_is_text_again(ask: Ask) -> None:
    request = ask("Hello", tools=ToolSchemas.of([LOOK]))
    spoken = Completion(tool_calls=(call("respond", '{"text": "Two\\nlines"}'),), finish_reason="tool_calls")
    answer = strict.answered(spoken, request)
    assert (answer.text, answer.tool_calls, answer.finish_reason) == ("Two\nlines", (), "stop")


def test_other_calls_stay_calls_and_what_is_said_beside_them_stays_too(ask: Ask) -> None:
    request = ask("Hello", tools=ToolSchemas.of([LOOK]))
    looks = Completion(tool_calls=(call("look", "{}"),), finish_reason="tool_calls")
    assert strict.answered(looks, request) is looks
    both = Completion(
        text="Well.", tool_calls=(call("look", "{}"), call("respond", '{"text": "Hm."}')), finish_reason="tool_calls"
    )
    answer = strict.answered(both, request)
    assert (answer.text, [one.name for one in answer.tool_calls]) == ("Well.\nHm.", ["look"])
    assert answer.finish_reason == "tool_calls"


@pytest.mark.parametrize("arguments", ['{"text": "cut o', "[1]", '{"text": 3}'])
def test_speech_that_cannot_be_read_is_said_as_it_was_written(ask: Ask, arguments: str) -> None:
    request = ask("Hello", tools=ToolSchemas.of([LOOK]))
    spoken = Completion(tool_calls=(call("respond", arguments),), finish_reason="length")
    answer = strict.answered(spoken, request)
    assert (answer.text, answer.finish_reason) == (arguments, "length")


def test_a_domains_own_respond_stays_a_tool(ask: Ask) -> None:
    request = ask("Hello", tools=ToolSchemas.of([tool("respond", to={"type": "string"})]))
    asked = strict.asked(request)
    assert asked.tools is not None
    assert [definition["function"]["name"] for definition in asked.tools.definitions()] == ["respond", "respond_"]
    own = Completion(tool_calls=(call("respond", '{"to": "x"}'),), finish_reason="tool_calls")
    assert strict.answered(own, request) is own


class Listening(OpenAIServer):
    """Keeps the bodies it was sent."""

    def application(self) -> web.Application:
        self.bodies: list[dict[str, Any]] = []

        @web.middleware
        async def keep(http: web.Request, handler: Callable[..., Any]) -> Any:
            if http.method == "POST":
                self.bodies.append(await http.json())
            return await handler(http)

        application = super().application()
        application.middlewares.append(keep)
        return application


async def test_over_the_wire_a_tool_is_required_where_there_are_tools(ask: Ask) -> None:
    def answer(request: ChatRequest) -> Completion:
        if request.tools is None:
            return Completion(text="Plain.", finish_reason="stop")
        return Completion(tool_calls=(call("respond", '{"text": "Hello."}'),), finish_reason="tool_calls")

    server = Listening(answer, models=("m",))
    async with serving_async(server) as url:
        backend = VllmBackend(BackendSettings(base_url=url, model="m", options={"strict_tools": True}))
        assert (backend.identity, backend.assisted, backend.simulated) == ("vllm/m+strict", True, False)
        await backend.start()
        try:
            spoken = await backend.complete(ask("Hi", tools=ToolSchemas.of([LOOK])))
            plain = await backend.complete(ask("Hi"))
        finally:
            await backend.close()
    assert (spoken.completion.text, spoken.completion.tool_calls) == ("Hello.", ())
    assert plain.completion.text == "Plain."
    with_tools, without = server.bodies
    assert (with_tools["tool_choice"], with_tools["parallel_tool_calls"]) == ("required", False)
    assert [one["function"]["name"] for one in with_tools["tools"]] == ["look", "respond"]
    assert "tool_choice" not in without
    assert "tools" not in without
