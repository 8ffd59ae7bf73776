"""Reads rows as the OpenAI SDK's own types of chat messages and tools."""

import json
from collections.abc import Iterator

import tiny
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import TypeAdapter


def whole(value):
    """Return a validated value with everything that is validated when it is read."""
    if isinstance(value, dict):
        return {key: whole(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, Iterator)) or type(value).__name__ == "ValidatorIterator":
        return [whole(inner) for inner in value]
    return value


folder, _ = tiny.asked()
messages, tools = TypeAdapter(list[ChatCompletionMessageParam]), TypeAdapter(list[ChatCompletionToolParam])
found = []
for line in (folder / "rows.jsonl").read_text().splitlines():
    row = json.loads(line)
    read = {"messages": whole(messages.validate_python(row["messages"]))}
    found.append({**read, **({"tools": whole(tools.validate_python(row["tools"]))} if "tools" in row else {})})
tiny.answer(folder, found)
