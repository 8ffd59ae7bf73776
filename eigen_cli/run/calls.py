"""Every call of a run passes here: journaled before it is used, limited, counted, and stripped of planted faults."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec

from eigen_cli.api.backend import Backend, CallKey, Reply, Request, RoleName, SimulatedReply, Usage
from eigen_cli.api.errors import BackendError, BackendUnreachableError, ContextOverflowError, RegistryError
from eigen_cli.run.budget import Budget
from eigen_cli.run.journal import Journal
from eigen_cli.run.terms import Terms


class Recorded(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the journal keeps of a call: the reply, or how it failed for good."""

    reply: SimulatedReply | None = None
    failure: str = ""
    hint: str = ""
    overflow: bool = False


_decoder = msgspec.msgpack.Decoder(Recorded)
_encoder = msgspec.msgpack.Encoder()


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
        terms: Terms | None = None,
    ) -> None:
        self._backends = backends
        self._journal = journal
        self._slots = asyncio.Semaphore(concurrency)
        self._terms = terms or Terms()
        self._budget = Budget(self._terms.budget)
        if not self._budget.limits.unlimited:
            for key, payload in journal.calls():
                if (reply := _decoded(payload, key).reply) is not None:
                    self._budget.spend(reply.usage)
        self.usage: dict[str, Usage] = {}
        self.seconds: dict[str, list[float]] = {}
        """Seconds that each call of a role took; what journal or cache answered has no latency."""
        self.faults: list[tuple[CallKey, tuple[str, ...]]] = []

    async def complete(self, request: Request) -> Reply:
        """Answer from the journal, from the cache, or from the role's backend."""
        request = self._terms.tempered(request)
        key, fingerprint = request.key.path(), request.fingerprint()
        payload = self._journal.lookup(key, fingerprint)
        if payload is not None:
            recorded = _decoded(payload, key)
        else:
            recorded = self._from_cache(request, key, fingerprint) or await self._asked(request, key, fingerprint)
            self._journal.append(key, fingerprint, _encoder.encode(recorded))
        if self._terms.cassette is not None:
            failed = {"failure": recorded.failure, "hint": recorded.hint, "overflow": recorded.overflow}
            self._terms.cassette.record(request, recorded.reply, **failed)  # type: ignore[arg-type]
        return self._used(request, recorded)

    def _from_cache(self, request: Request, key: str, fingerprint: str) -> Recorded | None:
        """Return what the cache has of a call; nothing is paid for it, so nothing is counted."""
        if self._terms.cache is None:
            return None
        reply = self._terms.cache.get(self._backends[request.role].identity, key, fingerprint)
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
        self.seconds.setdefault(request.role, []).append(usage.seconds)
        if self._terms.cache is not None and recorded.reply is not None:
            identity = self._backends[request.role].identity
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
