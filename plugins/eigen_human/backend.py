"""The human backend: shows a request on the terminal and reads the answer from it."""

from __future__ import annotations

import asyncio
import sys
import time

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, Usage
from eigen_cli.api.errors import BackendUnreachableError
from eigen_cli.api.messages import Completion, RawToolCall
from eigen_human import screen
from eigen_human.typed import HELP, Called, Misread, Said, Wanted, read


class HumanBackend(Backend):
    """A person plays the role. One request at a time: others wait until it is answered."""

    def __init__(self, settings: BackendSettings) -> None:
        super().__init__(settings)
        self._turn = asyncio.Lock()
        self._seen: dict[tuple[str, str, int], int] = {}

    @property
    def identity(self) -> str:
        """Return `human`, and the name in `settings.model` where one is given."""
        return f"human/{self.settings.model}" if self.settings.model else "human"

    async def complete(self, request: Request) -> Reply:
        """Return what the person says or calls. Raises `BackendUnreachableError` when there is nobody at the terminal,
        and `KeyboardInterrupt` when they leave.
        """
        async with self._turn:
            started = time.monotonic()
            completion = await self._answered(request)
            return Reply(completion, Usage(calls=1, seconds=time.monotonic() - started))

    async def _answered(self, request: Request) -> Completion:
        conversation = (request.role, request.key.task, request.key.trial)
        if conversation not in self._seen:
            _show(f"you are the {request.role}; /help says what you can type, /briefing whom you play")
        for line in screen.news(request, self._seen.get(conversation, 0)):
            _show(line)
        self._seen[conversation] = len(request.chat.encoded)
        while True:
            answer = self._turn_of(request, await self._line(request))
            if answer is not None:
                return answer

    def _turn_of(self, request: Request, line: str) -> Completion | None:
        """Return the turn a line makes, or None where it only wanted to see something."""
        match read(line, call_id=f"call_{request.key.turn}_0"):
            case Said(text=text):
                return Completion(text=text, model=self.identity)
            case Called(call=RawToolCall(name=name) as call):
                if request.tools is None or name not in {t["function"]["name"] for t in request.tools.definitions()}:
                    _show(f"there is no tool {name}; /tools lists yours")
                    return None
                return Completion(tool_calls=(call,), finish_reason="tool_calls", model=self.identity)
            case Wanted(wish="stop"):
                return Completion(text=f"Thank you, goodbye. {_stop_token(request)}", model=self.identity)
            case Wanted(wish="quit"):
                raise KeyboardInterrupt
            case Wanted(wish="tools", about=about):
                shown = screen.tools(request, about)
            case Wanted(wish="briefing"):
                shown = screen.briefing(request)
            case Misread(why=why):
                shown = iter([why])
            case _:
                shown = iter(HELP.splitlines())
        for text in shown:
            _show(text)
        return None

    async def _line(self, request: Request) -> str:
        print(f"{request.role:>9}> ", end="", file=sys.stderr, flush=True)
        line: str = await asyncio.to_thread(sys.stdin.readline)
        if not line:
            raise BackendUnreachableError(
                "nobody is at the terminal: its input has ended", hint="run it in a terminal, or play over a mailbox"
            )
        return line


def _stop_token(request: Request) -> str:
    return str(getattr(request.inputs, "stop_token", "###STOP###"))


def _show(line: str) -> None:
    """Say something to the person; stdout stays for data."""
    print(line, file=sys.stderr, flush=True)
