"""Every call of a run passes here: journaled before it is used, limited, counted, and stripped of planted faults."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Mapping
from math import ceil

import msgspec

from eigen_cli.api.backend import Backend, CallKey, Reply, Request, RoleName, SimulatedReply, Usage
from eigen_cli.api.errors import (
    BackendError,
    BackendUnreachableError,
    BudgetReachedError,
    ContextOverflowError,
    RegistryError,
)
from eigen_cli.api.generations import Latency
from eigen_cli.run.budget import Budget
from eigen_cli.run.journal import Journal
from eigen_cli.run.terms import NO_TERMS, Terms


class Recorded(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the journal keeps of a call: the reply, or how it failed for good."""

    reply: SimulatedReply | None = None
    failure: str = ""
    hint: str = ""
    overflow: bool = False


_COLLECTED_AFTER = (10_000, 20, 20)
"""New containers after which Python looks for cycles among the young, and how often it looks further. Its own 700 take
0.12 ms of CPU a call, an eighth of all: episodes in flight are many live objects and no cycles."""
_decoder = msgspec.msgpack.Decoder(Recorded)
_encoder = msgspec.msgpack.Encoder()


def _latency(seconds: list[float]) -> Latency:
    """Return the percentiles of sorted seconds, each an observed value (nearest rank)."""
    p50, p95, p99 = (seconds[ceil(share * len(seconds)) - 1] for share in (0.5, 0.95, 0.99))
    return Latency(len(seconds), p50, p95, p99)


def _decoded(payload: bytes, key: str) -> Recorded:
    try:
        return _decoder.decode(payload)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise RegistryError(
            f"the journal's reply to {key} cannot be read: {error}",
            hint="it was written by another version, or damaged; --fresh sets the journal aside and starts anew",
        ) from error


class RecordedBackends:
    """The completer roles see: one backend a role behind the run's journal.

    A call found in the journal under its key and its request's hash is answered from there, so a resumed run asks
    nothing twice. `concurrency` bounds calls in flight over all roles. A server that cannot be reached ends the run (it
    can be resumed), and so does a call that could pass the budget; a call that failed for good is journaled as a
    failure, so that a resumed run equals an uninterrupted one.
    """

    def __init__(
        self,
        backends: Mapping[RoleName, Backend],
        journal: Journal,
        *,
        concurrency: int,
        terms: Terms = NO_TERMS,
    ) -> None:
        gc.set_threshold(*_COLLECTED_AFTER)
        self._backends = backends
        self._journal = journal
        self._slots = asyncio.Semaphore(concurrency)
        self._terms = terms
        self._budget = Budget(self._terms.budget)
        if not self._budget.limits.unlimited:
            for key, payload in journal.calls():
                if (reply := _decoded(payload, key).reply) is not None:
                    self._budget.spend(reply.usage)
        self._flying: set[asyncio.Task[Recorded]] = set()
        self.usage: dict[str, Usage] = {}
        self._seconds: dict[str, list[float]] = {}
        self.faults: list[tuple[CallKey, tuple[str, ...]]] = []

    async def complete(self, request: Request) -> Reply:
        """Answer from the journal, from the cache, or from the role's backend."""
        request = self._terms.tempered(request)
        key, fingerprint = request.key.path(), request.fingerprint()
        payload = self._journal.lookup(key, fingerprint)
        if payload is not None:
            recorded = _decoded(payload, key)
        else:
            recorded = await self._recorded(request, key, fingerprint)
        if self._terms.cassette is not None:
            failed = {"failure": recorded.failure, "hint": recorded.hint, "overflow": recorded.overflow}
            self._terms.cassette.record(request, recorded.reply, **failed)  # type: ignore[arg-type]
        return self._used(request, recorded)

    def latency(self) -> dict[str, Latency]:
        """Return how long each role's calls took since this was last asked; journal and cache answer without any."""
        seconds, self._seconds = self._seconds, {}
        return {role: _latency(sorted(taken)) for role, taken in sorted(seconds.items())}

    async def __aenter__(self) -> RecordedBackends:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """Before a run that its budget ended lets go, wait for the calls in flight: what was asked is paid for."""
        while isinstance(error, BudgetReachedError) and self._flying:
            await asyncio.gather(*self._flying, return_exceptions=True)

    async def _recorded(self, request: Request, key: str, fingerprint: str) -> Recorded:
        """Get an answer and journal it. Under a budget a call once made outlives whoever waited for it."""
        if self._budget.limits.unlimited:
            return await self._got(request, key, fingerprint)
        call = asyncio.ensure_future(self._got(request, key, fingerprint))
        self._flying.add(call)
        call.add_done_callback(self._landed)
        return await asyncio.shield(call)

    def _landed(self, call: asyncio.Task[Recorded]) -> None:
        self._flying.discard(call)
        if not call.cancelled():
            call.exception()  # seen: whoever waited may be gone

    async def _got(self, request: Request, key: str, fingerprint: str) -> Recorded:
        recorded = self._from_cache(request, key, fingerprint) or await self._asked(request, key, fingerprint)
        self._journal.append(key, fingerprint, _encoder.encode(recorded))
        return recorded

    def _from_cache(self, request: Request, key: str, fingerprint: str) -> Recorded | None:
        """Return what the cache has of a call; nothing is paid for it, so nothing is counted."""
        if self._terms.cache is None:
            return None
        reply = self._terms.cache.get(self._backends[request.role].identity_for(request.role), key, fingerprint)
        return None if reply is None else Recorded(SimulatedReply(reply.completion, Usage(), reply.faults))

    async def _asked(self, request: Request, key: str, fingerprint: str) -> Recorded:
        price = self._terms.prices.get(request.role)
        async with self._slots:
            with self._budget.reserve(request, price):
                recorded = await self._ask(request)
                if recorded.reply is None:
                    return recorded
                usage = recorded.reply.usage
                if price is not None and not usage.cost_usd:
                    usage = msgspec.structs.replace(usage, cost_usd=price.of(usage))
                    recorded = Recorded(msgspec.structs.replace(recorded.reply, usage=usage))
                self._budget.spend(usage)
        self._seconds.setdefault(request.role, []).append(usage.seconds)
        if self._terms.cache is not None and recorded.reply is not None:
            identity = self._backends[request.role].identity_for(request.role)
            self._terms.cache.put(identity, key, fingerprint, reply=recorded.reply)
        return recorded

    async def _ask(self, request: Request) -> Recorded:
        try:
            reply = await self._backends[request.role].complete(request)
        except BackendUnreachableError:
            raise
        except BackendError as error:
            return Recorded(
                failure=error.message, hint=error.hint or "", overflow=isinstance(error, ContextOverflowError)
            )
        faults = reply.faults if isinstance(reply, SimulatedReply) else ()
        return Recorded(SimulatedReply(reply.completion, reply.usage, faults))

    def _used(self, request: Request, recorded: Recorded) -> Reply:
        before = self.usage.get(request.role, Usage())
        reply = recorded.reply
        if reply is None:
            self.usage[request.role] = before.plus(Usage(calls=1, failures=1))
            failed = ContextOverflowError if recorded.overflow else BackendError
            raise failed(recorded.failure, hint=recorded.hint or None)
        self.usage[request.role] = before.plus(reply.usage)
        if reply.faults:
            self.faults.append((request.key, reply.faults))
        return Reply(reply.completion, reply.usage)
