"""One server: its address, its key, and a pool of connections to it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import msgspec

from eigen_cli.api.backend import BackendSettings
from eigen_cli.api.errors import BackendUnreachableError, ConfigError
from eigen_openai.failures import Answer, AttemptFailedError, ConnectFailedError, refusal
from eigen_openai.retry import retry_after_seconds
from eigen_openai.secret import Secret

if TYPE_CHECKING:
    import aiohttp

MOST_BYTES = 32 * 2**20
"""Bytes of a reply at most, unpacked; 32,768 tokens with their log-probabilities are about 6 MB."""
_KEPT_ALIVE = 60.0
"""Seconds an idle connection is kept; longer than the pause between two turns of a conversation."""


class Endpoint:
    """Asks one server over a pool of as many connections as calls are allowed in flight.

    The key is read from the environment whenever it is needed and kept in no attribute of ours. Raises `ConfigError`
    for an address or a key that cannot be used.
    """

    def __init__(self, settings: BackendSettings) -> None:
        self._settings = settings
        address = _checked(settings.base_url)
        self._secret()
        self._root = address._replace(path=address.path.rstrip("/"), query="", fragment="").geturl()
        self._query = f"?{address.query}" if address.query else ""
        self._session: aiohttp.ClientSession | None = None
        self.host = address.netloc
        self.answered = False
        """Whether this server has ever answered us; until then a failed connection is final."""

    def __repr__(self) -> str:
        return f"Endpoint({self.host})"

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
            raise self.unreachable(f"nothing within {limit:g} s") from None
        except AttemptFailedError as failed:
            raise self.unreachable(str(failed)) from failed
        if answer.status == 401:
            raise refusal(answer, host=self.host, api_key_env=self._settings.api_key_env)

    async def models(self) -> tuple[str, ...] | None:
        """Return the names of the models offered, or None when the server does not say."""
        try:
            answer = await self._ask("GET", "/models")
            offered = msgspec.json.decode(answer.body)["data"] if answer.ok else None
            return None if offered is None else tuple(answer.secret.masked(str(model["id"])) for model in offered)
        except (AttemptFailedError, msgspec.DecodeError, RecursionError, KeyError, TypeError):
            return None

    def unreachable(self, what: str) -> BackendUnreachableError:
        """Return the error for a server that does not answer."""
        return BackendUnreachableError(
            f"no answer from {self.host}: {what}",
            hint="is the server up, and is --base-url right (it usually ends in /v1)?",
        )

    async def close(self) -> None:
        """Close the pool."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _secret(self) -> Secret:
        return Secret.read(self._settings.api_key_env)

    def _pool(self) -> aiohttp.ClientSession:
        if self._session is None:
            # aiohttp: 200 to 280 ms of CPU to import; only runs that talk to a server pay for it.
            import aiohttp

            key = self._secret().key
            headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._settings.concurrency, keepalive_timeout=_KEPT_ALIVE),
                # `connect` would count waiting for the pool as connecting; `sock_connect` does not.
                timeout=aiohttp.ClientTimeout(
                    total=self._settings.timeout, sock_connect=self._settings.connect_timeout
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=headers,
            )
        return self._session

    async def _ask(
        self, method: str, path: str, *, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        session = self._pool()
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
            failed = AttemptFailedError(f"no full reply within {self._settings.timeout:g} s")
        except (aiohttp.ClientError, OSError) as error:
            failed = AttemptFailedError(f"the connection broke ({_cause(error)})")
        else:
            self.answered = True
            return Answer(
                status=response.status,
                body=content,
                retry_after=retry_after_seconds(response.headers.get("Retry-After")),
                seconds=time.perf_counter() - started,
                secret=self._secret(),
            )
        # Out here, for aiohttp's own error quotes what the server sent, and would stay behind ours as its context.
        raise failed


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """Return a reply's body; a server that sends more than any completion needs is cut off."""
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


def _checked(base_url: str) -> SplitResult:
    """Return the address split; raise `ConfigError` where it is none, or carries credentials."""
    hint = "for example --base-url http://127.0.0.1:8000/v1"
    if not base_url:
        raise ConfigError("the openai backend needs the address of a server", hint=hint)
    try:
        address = urlsplit(base_url)
        usable = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError("the openai backend's address is not an http(s) URL", hint=hint)
    if "@" in address.netloc:
        raise ConfigError(
            "the openai backend's address carries credentials",
            hint="put the key into an environment variable and name that one",
        )
    return address
