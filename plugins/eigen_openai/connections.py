"""The one HTTP client of a backend: a pool of connections, shared by all servers it talks to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eigen_cli.api.backend import BackendSettings
from eigen_openai.secret import Secret

if TYPE_CHECKING:
    import aiohttp

_KEPT_ALIVE = 60.0
"""Seconds an idle connection is kept; longer than the pause between two turns of a conversation."""


class Connections:
    """Opens a pool of as many connections as calls are allowed in flight, and `spare` ones, when it is first needed.

    The key is read from the environment whenever it is needed and kept in no attribute of ours. Raises `ConfigError`
    for one that cannot be sent.
    """

    def __init__(self, settings: BackendSettings, *, spare: int) -> None:
        self.settings = settings
        self._spare = spare
        self.secret()
        self._session: aiohttp.ClientSession | None = None

    def secret(self) -> Secret:
        """Return the key as the environment has it now."""
        return Secret.read(self.settings.api_key_env)

    def session(self) -> aiohttp.ClientSession:
        """Return the pool, opened in the running loop."""
        if self._session is None:
            # aiohttp: 200 to 280 ms of CPU to import; only runs that talk to a server pay for it.
            import aiohttp

            key = self.secret().key
            headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=self.settings.concurrency + self._spare, keepalive_timeout=_KEPT_ALIVE
                ),
                # `connect` would count waiting for the pool as connecting; `sock_connect` does not.
                timeout=aiohttp.ClientTimeout(total=self.settings.timeout, sock_connect=self.settings.connect_timeout),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=headers,
            )
        return self._session

    async def close(self) -> None:
        """Close the pool."""
        if self._session is not None:
            await self._session.close()
            self._session = None
