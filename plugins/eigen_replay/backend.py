"""The replay backend: answers every call with what its cassette holds under the call's key and its request's hash."""

from __future__ import annotations

from pathlib import Path

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, RoleName
from eigen_cli.api.cassettes import Exchange, read_cassette
from eigen_cli.api.errors import BackendError, BackendUnreachableError, ConfigError, ContextOverflowError


class ReplayBackend(Backend):
    """Plays the file in option `cassette`. It takes the recorded actors' identities, so a replayed run is the same run.

    A call that is not on the cassette ends the run: other settings, prompts or code ask other questions.
    """

    def __init__(self, settings: BackendSettings) -> None:
        super().__init__(settings)
        name = settings.options.get("cassette")
        if not isinstance(name, str) or not name:
            raise ConfigError(
                "the replay backend needs a cassette", hint='in eigen.toml: [backend] options = { cassette = "FILE" }'
            )
        self._path = Path(name).expanduser()
        self._header, exchanges = read_cassette(self._path)
        self._exchanges = {(exchange.key, exchange.fingerprint): _without_chat(exchange) for exchange in exchanges}
        self.simulated = self._header.simulated

    @property
    def identity(self) -> str:
        """Return the recorded identities, one name if one actor played every role."""
        return ", ".join(sorted(set(self._header.identities.values())))

    def identity_for(self, role: RoleName) -> str:
        """Return who played a role when the cassette was recorded."""
        return self._header.identities.get(role, self.identity)

    async def complete(self, request: Request) -> Reply:
        """Return the recorded reply, or raise the recorded failure; a call not recorded is a server not reached."""
        exchange = self._exchanges.get((request.key.path(), request.fingerprint()))
        if exchange is None:
            raise BackendUnreachableError(
                f"the cassette {self._path.name} has no answer to {request.key.path()}",
                hint="it was recorded with other settings, prompts or code, or it was cut off; record it again",
            )
        if exchange.reply is None:
            failed = ContextOverflowError if exchange.overflow else BackendError
            raise failed(exchange.failure, hint=exchange.hint or None)
        return exchange.reply


def _without_chat(exchange: Exchange) -> Exchange:
    """Drop the messages, which only readers of the file want: a cassette must not take their memory."""
    return Exchange(
        key=exchange.key,
        fingerprint=exchange.fingerprint,
        role=exchange.role,
        reply=exchange.reply,
        failure=exchange.failure,
        hint=exchange.hint,
        overflow=exchange.overflow,
    )
