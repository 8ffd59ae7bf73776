"""The mailbox backend: puts a request into `requests/`, waits for its answer in `answers/`, files both in `done/`."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import time
from pathlib import Path

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, Usage
from eigen_cli.api.errors import BackendError, BackendUnreachableError, ConfigError
from eigen_mailbox.letters import UnusableAnswerError, letter_name, read_answer, written_request

_POLL = 0.1
"""Seconds between looks at the folder, all waiting requests together."""


class MailboxBackend(Backend):
    """Asks through files. Options: `dir` (the mailbox's folder; `mailbox` if left out), `poll` (seconds between looks).

    Files appear whole: each is written beside its place and renamed. An answer that cannot be used is set aside as
    `answers/NAME.rejected.json` with a `NAME.why.txt`, and the request stays open. `settings.model` names who answers;
    it is the identity under which what they write is recorded. `settings.timeout` bounds the wait for one answer.
    """

    def __init__(self, settings: BackendSettings) -> None:
        super().__init__(settings)
        self._folder = Path(str(settings.options.get("dir") or "mailbox")).expanduser()
        try:
            self._poll = float(settings.options.get("poll", _POLL))
        except (TypeError, ValueError):
            self._poll = 0.0
        if self._poll <= 0:
            raise ConfigError("the mailbox's `poll` is the seconds between two looks: a number above zero")

    @property
    def identity(self) -> str:
        """Return `mailbox/` and who answers."""
        return f"mailbox/{self.settings.model or 'unnamed'}"

    async def start(self) -> None:
        """Make the folders; raises `BackendUnreachableError` where that is not possible."""
        try:
            for name in ("requests", "answers", "done"):
                (self._folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unreachable(error) from error

    async def complete(self, request: Request) -> Reply:
        """Return the answer to a request, however long it takes up to the timeout (then: `BackendError`)."""
        name, started = letter_name(request), time.monotonic()
        asked, answered = self._folder / "requests" / f"{name}.json", self._folder / "answers" / f"{name}.json"
        try:
            if not answered.exists():
                _write_whole(asked, written_request(request))
            while True:
                with contextlib.suppress(FileNotFoundError):
                    data = answered.read_bytes()
                    try:
                        completion = read_answer(data, request, model=self.settings.model)
                    except UnusableAnswerError as error:
                        self._set_aside(name, str(error))
                    else:
                        self._file(name)
                        return Reply(completion, Usage(calls=1, seconds=time.monotonic() - started))
                if time.monotonic() - started > self.settings.timeout:
                    raise BackendError(
                        f"nobody answered {name} in {self.settings.timeout:g} seconds",
                        hint=f"answer in {self._folder}/answers, or set a longer backend.timeout",
                    )
                await asyncio.sleep(self._poll)
        except OSError as error:
            raise self._unreachable(error) from error
        finally:
            if not answered.exists():
                with contextlib.suppress(OSError):
                    asked.unlink(missing_ok=True)  # nobody waits for it any more

    def _set_aside(self, name: str, why: str) -> None:
        """Keep an unusable answer under another name, beside the reason; the request is open again."""
        answers = self._folder / "answers"
        (answers / f"{name}.json").replace(answers / f"{name}.rejected.json")
        _write_whole(answers / f"{name}.why.txt", f"{why}\n".encode())

    def _file(self, name: str) -> None:
        """Move a request and its answer to `done/`."""
        done = self._folder / "done"
        with contextlib.suppress(FileNotFoundError):  # the answer may have been there before the question
            (self._folder / "requests" / f"{name}.json").replace(done / f"{name}.request.json")
        (self._folder / "answers" / f"{name}.json").replace(done / f"{name}.answer.json")
        for ending in ("rejected.json", "why.txt"):
            (self._folder / "answers" / f"{name}.{ending}").unlink(missing_ok=True)

    def _unreachable(self, error: OSError) -> BackendUnreachableError:
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)
        return BackendUnreachableError(
            f"the mailbox {self._folder} cannot be used: {reason}", hint="name another folder in backend.options.dir"
        )


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file that readers see whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(path)
