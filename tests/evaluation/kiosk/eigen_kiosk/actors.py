"""Scripted actors. Every question is noted in the file `KIOSK_LOG` names; `KIOSK_DELAY` is a latency in seconds."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from eigen_cli.api.backend import Backend, Reply, Request, Usage
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_cli.api.messages import Completion, RawToolCall


async def _asked(request: Request) -> None:
    if path := os.environ.get("KIOSK_LOG"):
        with Path(path).open("a") as log:
            log.write(f"{request.key.path()} {request.fingerprint()}\n")
    await asyncio.sleep(float(os.environ.get("KIOSK_DELAY", "0")))


def _reply(text: str, *calls: RawToolCall, cost: float = 0.0) -> Reply:
    completion = Completion(text=text, tool_calls=calls, finish_reason="tool_calls" if calls else "stop")
    return Reply(completion, Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost_usd=cost))


class Script(Backend):
    """Plays a side by the task's gold. The model's name says what goes wrong:

    `odd` does nothing in odd trials; `down` has no server in trial 1 of every task until attempt 3; `away` never
    has one; `stray` lets the user name a book that is not in its scenario; `leaves` lets the agent end the call.
    """

    oracle = True

    @property
    def identity(self) -> str:
        """Return `script/` and the model's name."""
        return f"script/{self.settings.model or 'perfect'}"

    async def complete(self, request: Request) -> Reply:
        """Answer for agent or user."""
        await _asked(request)
        model = self.settings.model
        if model == "away":
            raise BackendUnreachableError("nobody answers")
        if request.role == "agent" and model == "down" and request.key.trial == 1 and request.key.attempt < 3:
            raise BackendError("the server broke down")
        return self._agent(request) if request.role == "agent" else self._user(request)

    def _agent(self, request: Request) -> Reply:
        task, said = request.inputs.task, request.inputs.conversation
        if self.settings.model == "leaves":
            return _reply("Goodbye. ###STOP###")
        idle = self.settings.model == "odd" and request.key.trial % 2 == 1
        made = sum(message.result is not None for message in said)
        if not idle and made < len(task.gold):
            action = task.gold[made]
            call = RawToolCall(f"call-{made}", action.name, canonical_json(action.arguments).decode())
            return _reply("", call, cost=0.25)
        return _reply("It is done.", cost=0.25)

    def _user(self, request: Request) -> Reply:
        spoken = [message for message in request.inputs.conversation if message.speaker == "user"]
        if spoken:
            return _reply("Thank you. ###STOP###")
        stray = " Or rather B999." if self.settings.model == "stray" else ""
        return _reply(request.inputs.scenario.reason + stray)


class Reader(Backend):
    """Takes a statement at its word: one that begins with HOLDS holds, with FAILS does not, any other is too much."""

    @property
    def identity(self) -> str:
        """Return `reader`."""
        return "reader"

    async def complete(self, request: Request) -> Reply:
        """Answer for the judge."""
        await _asked(request)
        text = request.chat.messages()[0]["content"]
        if "HOLDS" not in text and "FAILS" not in text:
            return _reply("I could not say.")
        holds = "true" if "HOLDS" in text else "false"
        return _reply(f'{{"holds": {holds}, "evidence": "it says so"}}')
