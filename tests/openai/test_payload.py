"""Bodies: joined from what is encoded already, and valid for the servers they go to."""

from __future__ import annotations

import dataclasses

import msgspec

from eigen_cli.api.backend import Chat, Schema, ToolSchemas
from eigen_openai.payload import PayloadWriter, with_schema_in_prompt

TOOLS = [{"type": "function", "function": {"name": "get_user", "parameters": {"type": "object"}}}]
SCHEMA = Schema("Verdict", {"type": "object", "properties": {"party": {"type": "string"}}})
WRITER = PayloadWriter("org/model-é", "max_tokens")


def read(body: bytes) -> dict:
    return msgspec.json.decode(body)


def test_a_plain_body_holds_model_messages_and_limit(ask_for):
    assert read(WRITER.write(ask_for("hello"), structured=True)) == {
        "model": "org/model-é",
        "messages": [{"role": "system", "content": "Follow the policy."}, {"role": "user", "content": "hello"}],
        "max_tokens": 4096,
    }


def test_messages_travel_byte_for_byte(ask_for):
    odd = msgspec.Raw(b'{"role":"user",  "content":"\\u00e9 1.50"}')
    request = dataclasses.replace(ask_for(), chat=Chat((odd, odd), b"d"))
    assert b'"messages":[' + bytes(odd) + b"," + bytes(odd) + b"]" in WRITER.write(request, structured=True)


def test_a_full_body_holds_every_setting(ask_for):
    request = ask_for(tools=ToolSchemas.of(TOOLS), schema=SCHEMA, max_tokens=77, temperature=0.25)
    body = read(WRITER.write(request, structured=True, metadata=b'{"eigen_key":"k"}'))
    assert body["tools"] == TOOLS
    assert body["tool_choice"] == "auto"
    assert body["response_format"] == {"type": "json_schema", "json_schema": {"name": "Verdict", "schema": SCHEMA.body}}
    assert (body["max_tokens"], body["temperature"], body["metadata"]) == (77, 0.25, {"eigen_key": "k"})


def test_an_empty_tool_list_is_left_out(ask_for):
    body = read(WRITER.write(ask_for(tools=ToolSchemas.of([])), structured=True))
    assert "tools" not in body
    assert "tool_choice" not in body


def test_temperature_zero_is_sent(ask_for):
    assert read(WRITER.write(ask_for(temperature=0.0), structured=True))["temperature"] == 0.0


def test_the_limit_goes_by_the_name_the_server_wants(ask_for):
    body = read(PayloadWriter("m", "max_completion_tokens").write(ask_for(max_tokens=9), structured=True))
    assert body["max_completion_tokens"] == 9
    assert "max_tokens" not in body


def test_unstructured_puts_the_schema_at_the_end_of_the_system_message(ask_for):
    request = ask_for("hello", schema=SCHEMA)
    body = read(WRITER.write(request, structured=False))
    assert "response_format" not in body
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    system = body["messages"][0]["content"]
    assert system.startswith("Follow the policy.\n\n")
    assert system.endswith(msgspec.json.encode(SCHEMA.body).decode())
    assert request.chat.messages()[0]["content"] == "Follow the policy."


def test_a_chat_without_system_message_gets_one():
    user = Chat.of({"role": "user", "content": "hello"}).encoded
    messages = [msgspec.json.decode(raw) for raw in with_schema_in_prompt(user, SCHEMA)]
    assert [message["role"] for message in messages] == ["system", "user"]
    assert '"party"' in messages[0]["content"]


def test_a_system_message_of_parts_gets_one_more():
    parts = Chat.of({"role": "system", "content": [{"type": "text", "text": "Be brief."}]}).encoded
    (message,) = (msgspec.json.decode(raw) for raw in with_schema_in_prompt(parts, SCHEMA))
    assert message["content"][0] == {"type": "text", "text": "Be brief."}
    assert '"party"' in message["content"][1]["text"]
