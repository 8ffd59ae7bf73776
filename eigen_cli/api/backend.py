"""Backends: whatever answers a role's request, be it a model server, the offline actors or a person."""

from __future__ import annotations

import hashlib
import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, get_args

import msgspec

from eigen_cli.api.canonical import canonical_json, digest
from eigen_cli.api.messages import Completion

RoleName = Literal["planner", "synthesizer", "task_verifier", "agent", "user", "judge", "reflector"]
ROLES: tuple[RoleName, ...] = get_args(RoleName)


class CallKey(msgspec.Struct, frozen=True):
    """Names one call for ever: journals, caches and cassettes are keyed by it and the request's hash.

    `run` labels the run (domain and seed), `task` a proposal; unused parts are empty or 0. `fork` names the turns at
    which an episode left its original; actors that draw on the other parts play a fork as they play the original.
    """

    run: str
    round: int
    plan: str
    task: str
    trial: int
    role: RoleName
    turn: int
    attempt: int
    fork: str = ""

    def path(self) -> str:
        """Return the key as one printable line without spaces; a fork is written `task~turns`."""
        task = f"{self.task}~{self.fork}" if self.fork else self.task
        return f"{self.run}/{self.round}/{self.plan}/{task}/{self.trial}/{self.role}/{self.turn}/{self.attempt}"


class Chat:
    """An OpenAI-style message list that only grows, encoded once and hashed incrementally.

    Adding a message costs that message, however long the conversation. Values are immutable and share their past.
    """

    __slots__ = ("digest", "encoded", "size")

    def __init__(self, encoded: tuple[msgspec.Raw, ...] = (), digest_: bytes = b"", size: int = 0) -> None:
        self.encoded = encoded
        self.digest = digest_
        """SHA-256 of the digest before the last message and that message: a chain."""
        self.size = size
        """Bytes of all messages."""

    def add(self, message: Mapping[str, Any]) -> Chat:
        """Return this chat with one more message (`{"role": …, "content": …}`)."""
        return self.add_encoded(msgspec.json.encode(message))

    def add_encoded(self, raw: bytes) -> Chat:
        """Return this chat with one more message, already encoded."""
        return Chat((*self.encoded, msgspec.Raw(raw)), hashlib.sha256(self.digest + raw).digest(), self.size + len(raw))

    @classmethod
    def of(cls, *messages: Mapping[str, Any]) -> Chat:
        """Return a chat of the given messages."""
        chat = cls()
        for message in messages:
            chat = chat.add(message)
        return chat

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages as JSON values."""
        return [msgspec.json.decode(raw) for raw in self.encoded]


@dataclass(frozen=True)
class Schema:
    """A JSON schema a reply's text must satisfy, with the name servers want for it."""

    name: str
    body: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """The digest of the schema."""
        return digest(canonical_json(self.body))


@dataclass(frozen=True)
class ToolSchemas:
    """OpenAI tool definitions, encoded once for a whole run."""

    encoded: msgspec.Raw
    digest: str

    @classmethod
    def of(cls, definitions: list[dict[str, Any]]) -> ToolSchemas:
        """Return the encoded form of OpenAI tool definitions."""
        raw = canonical_json(definitions)
        return cls(msgspec.Raw(raw), digest(raw))

    def definitions(self) -> list[dict[str, Any]]:
        """Return the definitions as JSON values."""
        decoded: list[dict[str, Any]] = msgspec.json.decode(self.encoded)
        return decoded


@dataclass(frozen=True)
class Request:
    """One question of a role.

    Model backends send `chat`, `tools`, `schema` and the sampling settings and nothing else; `inputs` (typed, one
    class a role, `eigen_cli.api.inputs`) is what simulated actors answer from and is not part of the hash.
    """

    role: RoleName
    key: CallKey
    inputs: Any
    chat: Chat
    tools: ToolSchemas | None = None
    schema: Schema | None = None
    prompt_version: str = ""
    max_tokens: int = 4096
    temperature: float | None = None

    def fingerprint(self) -> str:
        """Return the hash of everything a model would see; O(1) in the length of the conversation."""
        tools, schema = (part.digest if part else "-" for part in (self.tools, self.schema))
        settings = f"{self.role} {self.max_tokens} {self.temperature} {tools} {schema} "
        return hashlib.sha256(settings.encode() + self.chat.digest).hexdigest()


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Observed cost of one call (or a sum of calls); never hashed."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    retries: int = 0
    failures: int = 0
    seconds: float = 0.0
    cost_usd: float = 0.0

    def plus(self, other: Usage) -> Usage:
        """Return the sum."""
        return Usage(*map(operator.add, msgspec.structs.astuple(self), msgspec.structs.astuple(other)))

    def minus(self, other: Usage) -> Usage:
        """Return what was used between two readings."""
        return Usage(*map(operator.sub, msgspec.structs.astuple(self), msgspec.structs.astuple(other)))


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """A backend's answer: the completion and what it cost."""

    completion: Completion
    usage: Usage = Usage()


class SimulatedReply(Reply, frozen=True, omit_defaults=True):
    """A simulator's answer with the faults it planted. The host moves `faults` to a side table and hands roles a plain
    `Reply`, so that no planner, verifier or reflector can see them."""

    faults: tuple[str, ...] = ()


class CallTelemetry(msgspec.Struct, frozen=True):
    """How calls went: usable replies, attempts made again, calls given up; seconds from sending to the last byte."""

    calls: int = 0
    retries: int = 0
    failures: int = 0
    p50: float = 0.0
    p95: float = 0.0
    p99: float = 0.0


class EndpointTelemetry(msgspec.Struct, frozen=True):
    """What a backend saw of one server; never hashed.

    `in_flight_mean` is the mean number of calls under way while there was any.
    """

    total: CallTelemetry
    roles: dict[RoleName, CallTelemetry]
    in_flight_mean: float


class Completer(Protocol):
    """What a role sees of a backend."""

    async def complete(self, request: Request) -> Reply:
        """Answer a request; raise `BackendError` when retries are exhausted."""


@dataclass(frozen=True)
class BackendSettings:
    """Settings of one backend instance, from flags, environment and `eigen.toml`."""

    base_url: str = ""
    model: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    connect_timeout: float = 5.0
    timeout: float = 600.0
    max_retries: int = 6
    concurrency: int = 64
    options: Mapping[str, Any] = field(default_factory=dict)


class Backend(ABC):
    """Base class of backend plugins.

    `identity` names what content depends on (model and profile, never URLs, keys or concurrency); it enters the
    run's identity. `simulated` backends produce data that push, train and SFT export refuse. `oracle` backends are
    handed the task itself, gold included: they prove gates and scores, and nothing else.
    """

    simulated: bool = False
    oracle: bool = False
    assisted: bool = False
    """Whether it helps its model to act as it would not by itself; `eigen eval` refuses that."""
    roles: frozenset[RoleName] = frozenset(ROLES)
    """The roles it can play. Given for all of them it plays these, and the rest stay with the default backend; to a
    role that names it itself it is given in any case."""

    def __init__(self, settings: BackendSettings) -> None:
        self.settings = settings

    @property
    @abstractmethod
    def identity(self) -> str:
        """Return the name under which content made by this backend is recorded."""

    def identity_for(self, role: RoleName) -> str:
        """Return the identity that holds for a role; differs from `identity` only where one instance plays several
        recorded actors.
        """
        del role
        return self.identity

    async def start(self) -> None:  # noqa: B027 - optional
        """Open connections; raise `BackendUnreachableError` when nothing answers within the connect timeout."""

    async def examine(self) -> None:
        """Raise what would keep this backend from starting; `eigen doctor` asks. Override where starting is costly."""
        await self.start()

    @abstractmethod
    async def complete(self, request: Request) -> Reply:
        """Answer one request; raise `BackendError` after bounded retries."""

    def telemetry(self) -> Mapping[str, EndpointTelemetry]:
        """Return what was observed of each server so far, by its host; empty for a backend that talks to none."""
        return {}

    async def close(self) -> None:  # noqa: B027 - optional
        """Release connections."""
