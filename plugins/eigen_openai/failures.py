"""What can go wrong between us and a server, and which of it is worth another attempt."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import msgspec

from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_openai.secret import NO_SECRET, Secret

_RETRIED = frozenset({408, 409, 425, 429})
AWAY = frozenset({502, 503, 504})
"""What proxies answer for a server that is away, and servers that are starting."""
OVERLOADED = frozenset({429, 503, 529})
"""What servers answer that have no room for a call now."""
_REFUSED = frozenset({401, 402, 403})
_SCHEMA_REFUSED = frozenset({400, 404, 422, 501})
_TOO_LONG = frozenset({400, 413, 422})
_CONTEXT_WORDS = re.compile(rb"context_length_exceeded|context (?:length|window|size)", re.IGNORECASE)
_CONTEXT_TOKENS = re.compile(rb"maximum context length is (\d{1,12})(?!\d)", re.IGNORECASE)
_EXCERPT = 300
"""Characters of a server's own words that an error repeats."""
_READ = 2**16
"""Characters of a server's own words that are looked at for those."""


class AttemptFailedError(Exception):
    """One attempt failed for a reason the model did not cause; another may succeed.

    `retry_after` is the wait the server asked for, in seconds. `absent` says that the server is away or has no room:
    the call itself is in order, and how often it was tried says nothing.
    """

    def __init__(self, what: str, *, retry_after: float | None = None, absent: bool = False) -> None:
        super().__init__(what)
        self.retry_after = retry_after
        self.absent = absent


class ConnectFailedError(AttemptFailedError):
    """No connection came about: refused, no such host, no handshake, or nothing within the connect timeout."""

    def __init__(self, what: str) -> None:
        super().__init__(what, absent=True)


class BrokenError(AttemptFailedError):
    """The connection broke off before the reply was whole: the server died, or something between us did."""


class TimedOutError(AttemptFailedError):
    """The connection stood, and the reply did not come in time."""


@dataclass(frozen=True)
class Answer:
    """An HTTP answer read to its end. `seconds` runs from sending to the last byte.

    `secret` is the key it was asked with, which the body may repeat: nothing of the body is passed on unmasked.
    """

    status: int
    body: bytes
    retry_after: float | None
    seconds: float
    secret: Secret = NO_SECRET

    @property
    def ok(self) -> bool:
        """Whether the server says it did what was asked."""
        return 200 <= self.status < 300

    @property
    def words(self) -> str:
        """The server's own explanation."""
        return excerpt(self.body, self.secret)


def excerpt(body: bytes, secret: Secret) -> str:
    """Return the server's own explanation as one short printable line, the key masked."""
    text = body.decode("utf-8", "replace")
    try:
        said = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        said = None
    if isinstance(said, dict):
        said = said.get("error") or said.get("message") or said.get("detail") or said
        if isinstance(said, dict):
            said = said.get("message") or said
        text = str(said)
    text = secret.masked(text[:_READ])
    line = "".join(character if character.isprintable() else " " for character in " ".join(text.split()))
    return line[:_EXCERPT] or "(no explanation)"


def refuses_schema(answer: Answer) -> bool:
    """Whether the answer may mean that the server cannot take `response_format`.

    llama.cpp's Python server answers 500 and names the field; the others use a 4xx or 501.
    """
    return answer.status in _SCHEMA_REFUSED or (answer.status == 500 and b"response_format" in answer.body)


def overflows_context(answer: Answer) -> bool:
    """Whether the conversation is too long for the model's context: the asker's own limit, not infrastructure."""
    return answer.status in _TOO_LONG and _CONTEXT_WORDS.search(answer.body) is not None


def context_tokens(answer: Answer) -> int | None:
    """Return the context length in tokens, where an overflow answer names it."""
    named = _CONTEXT_TOKENS.search(answer.body)
    return int(named.group(1)) if named else None


def refusal(answer: Answer, *, host: str, api_key_env: str) -> BackendUnreachableError:
    """Return the error for a server that does not serve us: no key, a wrong one, or one that nobody pays for."""
    state = "is set: check that it is valid and funded" if os.environ.get(api_key_env) else "is not set"
    return BackendUnreachableError(
        f"{host} refuses us ({answer.status}): {answer.words}",
        hint=f"the key is read from the environment variable {api_key_env}, which {state}",
    )


def failure_of(answer: Answer, *, host: str, api_key_env: str, model: str) -> AttemptFailedError | BackendError | None:
    """Return what an answer's status means: nothing (2xx), another attempt, or an error for the user."""
    if answer.ok:
        return None
    words = answer.words
    out_of_quota = answer.status == 429 and b"insufficient_quota" in answer.body
    if answer.status in _REFUSED or out_of_quota:
        return refusal(answer, host=host, api_key_env=api_key_env)
    if answer.status in _RETRIED or answer.status >= 500:
        absent = answer.status in AWAY or answer.status in OVERLOADED
        return AttemptFailedError(f"{answer.status}: {words}", retry_after=answer.retry_after, absent=absent)
    if 300 <= answer.status < 400:
        return BackendError(
            f"{host} answers with a redirect ({answer.status})", hint="give the final address as --base-url"
        )
    return BackendError(
        f"{host} refuses the request ({answer.status}): {words}", hint=f"check that {model} accepts such requests"
    )
