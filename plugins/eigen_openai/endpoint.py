"""One server: what is sent to it, how much at once, and what it cost."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING
from urllib.parse import SplitResult

import msgspec

from eigen_cli.api.errors import BackendUnreachableError
from eigen_openai.connections import Connections
from eigen_openai.failures import (
    AWAY,
    Answer,
    AttemptFailedError,
    BrokenError,
    ConnectFailedError,
    TimedOutError,
    refusal,
)
from eigen_openai.meter import Meter
from eigen_openai.retry import retry_after_seconds
from eigen_openai.throttle import throttle_of

if TYPE_CHECKING:
    import aiohttp

MOST_BYTES = 32 * 2**20
"""Bytes of a reply at most, unpacked; 32,768 tokens with their log-probabilities are about 6 MB."""


class Endpoint:
    """Asks one server over a backend's connections.

    `throttle` is shared with all backends of this process that talk to the server with the same key, `meter` is this
    backend's own.
    """

    def __init__(self, address: SplitResult, connections: Connections) -> None:
        settings = connections.settings
        self._connections = connections
        self._settings = settings
        self._root = address._replace(query="").geturl()
        self._query = f"?{address.query}" if address.query else ""
        self.host = address.netloc
        self.throttle = throttle_of(f"{self._root} {settings.api_key_env}", settings.concurrency)
        self.meter = Meter()
        self.answered = False
        """Whether this server has ever answered us; until then a failed connection is final."""
        self.failed_in_a_row = 0
        """Attempts since the last good reply that failed for the server's reasons."""

    def __repr__(self) -> str:
        return f"Endpoint({self._root})"

    async def post(self, path: str, body: bytes, headers: dict[str, str] | None = None) -> Answer:
        """Return the server's answer; raise `AttemptFailedError` when there is none that can be read."""
        return await self._ask("POST", path, body=body, headers=headers)

    async def check(self) -> None:
        """Ask for `/models`; raise `BackendUnreachableError` unless anything answers within the connect timeout.

        Servers without that page, or with a key not allowed to see it (403), are reachable all the same.
        """
        limit = self._settings.connect_timeout
        try:
            async with asyncio.timeout(limit):
                answer = await self._ask("GET", "/models")
        except TimeoutError:
            raise unreachable(self.host, f"nothing within {limit:g} s") from None
        except AttemptFailedError as failed:
            raise unreachable(self.host, str(failed)) from failed
        if answer.status == 401:
            raise refusal(answer, host=self.host, api_key_env=self._settings.api_key_env)

    async def alive(self) -> bool:
        """Return whether the server answers again, and not with a proxy's word that it is away."""
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                return (await self._ask("GET", "/models")).status not in AWAY
        except (AttemptFailedError, TimeoutError):
            return False

    async def models(self) -> tuple[str, ...] | None:
        """Return the names of the models offered, or None when the server does not say."""
        try:
            answer = await self._ask("GET", "/models")
            offered = msgspec.json.decode(answer.body)["data"] if answer.ok else None
            return None if offered is None else tuple(answer.secret.masked(str(model["id"])) for model in offered)
        except (AttemptFailedError, msgspec.DecodeError, RecursionError, KeyError, TypeError):
            return None

    async def _ask(
        self, method: str, path: str, *, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        session = self._connections.session()
        import aiohttp

        started = time.perf_counter()
        try:
            async with session.request(
                method, f"{self._root}{path}{self._query}", data=body, headers=headers, allow_redirects=False
            ) as response:
                content = await _bounded(response)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            failed: AttemptFailedError = ConnectFailedError(f"no connection ({_cause(error)})")
        except TimeoutError:
            failed = TimedOutError(f"no full reply within {self._settings.timeout:g} s")
        except (aiohttp.ClientError, OSError) as error:
            failed = BrokenError(f"the connection broke ({_cause(error)})")
        else:
            self.answered = True
            return Answer(
                status=response.status,
                body=content,
                retry_after=retry_after_seconds(response.headers.get("Retry-After")),
                seconds=time.perf_counter() - started,
                secret=self._connections.secret(),
            )
        # Out here, for aiohttp's own error quotes what the server sent, and would stay behind ours as its context.
        raise failed


def unreachable(host: str, what: str) -> BackendUnreachableError:
    """Return the error for a server that was never there."""
    return BackendUnreachableError(
        f"no answer from {host}: {what}",
        hint="is the server up, and is --base-url right (it usually ends in /v1)?",
    )


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """Return a reply's body; a server that sends more than any completion needs is cut off."""
    if (response.content_length or MOST_BYTES) < MOST_BYTES and "Content-Encoding" not in response.headers:
        return await response.read()  # the common case, at half the price of counting chunks
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > MOST_BYTES:
            response.close()
            raise AttemptFailedError(f"the reply is larger than {MOST_BYTES >> 20} MiB")
    return bytes(content)


def _cause(error: BaseException) -> str:
    """Return what the system said of a failed connection; never aiohttp's own text, which may quote a URL."""
    system = getattr(error, "os_error", error)
    said = getattr(system, "strerror", None)
    return said if isinstance(said, str) and said else type(error).__name__
