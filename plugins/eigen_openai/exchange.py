"""One request on its way: within its role's caps, in its turn at the server, and what is learnt from the answer."""

from __future__ import annotations

from dataclasses import dataclass

from eigen_cli.api.backend import Request, RoleName, Usage
from eigen_openai.caps import Caps
from eigen_openai.endpoint import Endpoint
from eigen_openai.failures import OVERLOADED, Answer, ConnectFailedError, TimedOutError
from eigen_openai.options import Options

_CHAT = "/chat/completions"
_BYTES_A_TOKEN = 4
_PROMPT_TOKENS_A_REPLY_TOKEN = 64
"""Tokens a server reads, roughly, in the time in which it writes one."""
_WORK_OF_A_CALL = 20
"""Reply tokens whose time a call takes beside those it asks for: the way there, the queue, the template."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, the bytes of it, who answered what, when it was sent, and the tokens reserved for it."""

    request: Request
    body: bytes
    endpoint: Endpoint
    answer: Answer
    sent: float
    reserved: float


class Exchanges:
    """Sends one backend's requests."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._capped = options.requests_per_minute > 0 or options.tokens_per_minute > 0
        self._caps: dict[RoleName, Caps] = {}

    async def send(self, endpoint: Endpoint, request: Request, body: bytes, headers: dict[str, str] | None) -> Exchange:
        """Return the exchange; raise `AttemptFailedError` when there is no answer that can be read."""
        caps = self._caps_of(request.role) if self._capped else None
        reserved = caps.estimate(body, request.max_tokens) if caps else 0.0
        if caps:
            await caps.enter(reserved)
        throttle, meter = endpoint.throttle, endpoint.meter
        sent = await throttle.admitted()
        meter.sent()
        try:
            answer = await endpoint.post(_CHAT, body, headers)
            if answer.status in OVERLOADED:
                throttle.overloaded(sent)
        except ConnectFailedError:
            if caps:
                caps.settle(reserved, 0.0)
            raise
        except TimedOutError:
            throttle.overloaded(sent)
            raise
        finally:
            meter.ended()
            throttle.left()
        if caps and not answer.ok:
            caps.settle(reserved, 0.0)
        return Exchange(request, body, endpoint, answer, sent, reserved)

    def learn(self, exchange: Exchange, usage: Usage) -> None:
        """Learn from a good reply what the server can take, and what the role's tokens come to."""
        answer, endpoint, role = exchange.answer, exchange.endpoint, exchange.request.role
        prompt = usage.prompt_tokens or len(exchange.body) / _BYTES_A_TOKEN
        reply = usage.completion_tokens or len(answer.body) / _BYTES_A_TOKEN
        read = max(0.0, prompt - usage.cached_tokens)
        endpoint.throttle.replied(exchange.sent, work=_WORK_OF_A_CALL + reply + read / _PROMPT_TOKENS_A_REPLY_TOKEN)
        endpoint.meter.replied(role, answer.seconds)
        if self._capped:
            self._caps_of(role).settle(exchange.reserved, prompt + reply, replied=reply)

    def _caps_of(self, role: RoleName) -> Caps:
        caps = self._caps.get(role)
        if caps is None:
            caps = self._caps[role] = Caps(
                requests_per_minute=self._options.requests_per_minute, tokens_per_minute=self._options.tokens_per_minute
            )
        return caps
