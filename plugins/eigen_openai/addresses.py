"""Where the servers are: `base_url`, one address or several with commas between them."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from eigen_cli.api.errors import ConfigError

_HINT = "for example --base-url http://127.0.0.1:8000/v1"


def addresses(base_url: str) -> tuple[SplitResult, ...]:
    """Return each address once; raise `ConfigError` where one is none, or carries credentials."""
    named = [part.strip() for part in base_url.split(",")]
    found = tuple(dict.fromkeys(_checked(part) for part in named if part))
    if not found:
        raise ConfigError("the openai backend needs the address of a server", hint=_HINT)
    return found


def _checked(text: str) -> SplitResult:
    try:
        address = urlsplit(text)
        usable = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError("the openai backend's address is not an http(s) URL", hint=_HINT)
    if "@" in address.netloc:
        raise ConfigError(
            "the openai backend's address carries credentials",
            hint="put the key into an environment variable and name that one",
        )
    return address._replace(path=address.path.rstrip("/"), fragment="")
