"""The counter's clerk, who never errs: the teacher of the model that `make test-vllm` trains."""

from __future__ import annotations

import json
import re
from typing import Any

from eigen_cli.api.backend import Backend, Reply, Request
from eigen_cli.api.messages import Completion, RawToolCall

_NUMBER = re.compile(r"\bP\d{4}\b")
_ASK = "What is your parcel number?"
_ELSE = "Is there anything else?"
_DONE = {"kept": "is kept for another week", "returned": "goes back to its sender"}


class Clerk(Backend):
    """Plays the agent from the messages alone, as a model does."""

    roles = frozenset({"agent"})

    @property
    def identity(self) -> str:
        """Its name."""
        return "clerk"

    async def complete(self, request: Request) -> Reply:
        """Return the clerk's next turn."""
        chat = request.chat.messages()
        answer = next_turn(chat)
        if isinstance(answer, str):
            return Reply(Completion(text=answer, finish_reason="stop", model="clerk"))
        name, arguments = answer
        call = RawToolCall(f"call_{len(chat)}", name, json.dumps(arguments))
        return Reply(Completion(tool_calls=(call,), finish_reason="tool_calls", model="clerk"))


def next_turn(chat: list[dict[str, Any]]) -> str | tuple[str, dict[str, str]]:
    """Return what the clerk says, or calls, next: it asks for the number, acts on it once, and reports."""
    last = chat[-1]
    if last["role"] == "tool":
        result = json.loads(last["content"]) if last["content"].startswith("{") else {}
        if result.get("state") in _DONE:
            return f"Parcel {result['parcel_id']} {_DONE[result['state']]}. {_ELSE}"
        return f"I cannot find that parcel. {_ASK}"
    heard = " ".join(message["content"] for message in chat if message["role"] == "user")
    numbers = _NUMBER.findall(heard)
    if not numbers:
        return _ASK
    arguments = {"parcel_id": numbers[-1]}
    tried = [call["function"] for message in chat for call in message.get("tool_calls", ())]
    if any(json.loads(call["arguments"]) == arguments for call in tried):
        return _ELSE
    keep, back = heard.rfind("keep"), heard.rfind("back")
    return "keep_parcel" if keep > back else "return_parcel", arguments
