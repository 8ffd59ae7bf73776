"""The parcel counter's clerk, who never errs, and the dialogues a model learns its trade from.

The customers are eigen's own offline ones, so a model that has learnt from these dialogues meets the same wordings in a
run, with numbers it has never seen.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, RoleName
from eigen_cli.api.messages import Completion, RawToolCall
from eigen_cli.episode.state import EpisodeKey
from eigen_cli.roles.rollout import roll_out
from eigen_cli.testing.drafted import contract_context, drafted_tasks
from eigen_offline.backend import OfflineBackend

Chat = list[dict[str, Any]]
_NUMBER = re.compile(r"\bP\d{4}\b")
_ASK = "What is your parcel number?"
_ELSE = "Is there anything else?"
_DONE = {"kept": "is kept for another week", "returned": "goes back to its sender"}


class Clerk(Backend):
    """Answers from the messages alone, as a model would; `chats` holds what was said in each episode."""

    def __init__(self) -> None:
        super().__init__(BackendSettings())
        self.chats: dict[str, Chat] = {}

    @property
    def identity(self) -> str:
        """Its name."""
        return "clerk"

    async def complete(self, request: Request) -> Reply:
        """Return the clerk's next turn."""
        chat = request.chat.messages()
        answer = next_turn(chat)
        calls = tuple(RawToolCall(f"call_{len(chat)}", name, json.dumps(given)) for name, given in answer["calls"])
        key = f"{request.key.task}/{request.key.trial}"
        self.chats[key] = [*chat[1:], written(answer)]
        finish = "tool_calls" if calls else "stop"
        return Reply(Completion(text=answer["text"], tool_calls=calls, finish_reason=finish, model="clerk"))


def next_turn(chat: Chat) -> dict[str, Any]:
    """Return what the clerk says or calls next: asks for the number, acts on it once, and reports."""
    last = chat[-1]
    if last["role"] == "tool":
        result = json.loads(last["content"]) if last["content"].startswith("{") else {}
        if result.get("state") in _DONE:
            return said(f"Parcel {result['parcel_id']} {_DONE[result['state']]}. {_ELSE}")
        return said(f"I cannot find that parcel. {_ASK}")
    heard = " ".join(message["content"] for message in chat if message["role"] == "user")
    numbers = _NUMBER.findall(heard)
    if not numbers:
        return said(_ASK)
    arguments = {"parcel_id": numbers[-1]}
    tried = [call["function"] for message in chat for call in message.get("tool_calls", ())]
    if any(json.loads(call["arguments"]) == arguments for call in tried):
        return said(_ELSE)
    wish = max(("keep_parcel", heard.rfind("keep")), ("return_parcel", heard.rfind("back")), key=lambda pair: pair[1])
    return {"text": "", "calls": [(wish[0], arguments)]}


def said(text: str) -> dict[str, Any]:
    """Return a turn of words."""
    return {"text": text, "calls": []}


def written(answer: dict[str, Any]) -> dict[str, Any]:
    """Return a turn as an assistant message."""
    message: dict[str, Any] = {"role": "assistant", "content": answer["text"]}
    if answer["calls"]:
        message["tool_calls"] = [
            {"type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for name, given in answer["calls"]
        ]
    return message


class _Cast:
    def __init__(self, clerk: Clerk) -> None:
        customer = OfflineBackend(BackendSettings(options={"user": "ordinary"}))
        self._actors: dict[RoleName, Backend] = {"agent": clerk, "user": customer}

    async def complete(self, request: Request) -> Reply:
        return await self._actors[request.role].complete(request)


async def dialogues(count: int, *, seed: int) -> Iterator[Chat]:
    """Return about `count` dialogues between the clerk and the offline customers, without the system prompt."""
    from eigen_parcels.domain import Parcels

    clerk = Clerk()
    context = replace(contract_context(Parcels(), seed=seed), completer=_Cast(clerk))
    for item in drafted_tasks(context, each=count // 2):
        await roll_out(context, EpisodeKey(f"clerk:{seed}", 1, "plan", item.task.id, 0), item.task, attempts=1)
    return iter(clerk.chats.values())


if __name__ == "__main__":
    import asyncio

    path, wanted, drawn = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    lines = [json.dumps(chat) for chat in asyncio.run(dialogues(wanted, seed=drawn))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
