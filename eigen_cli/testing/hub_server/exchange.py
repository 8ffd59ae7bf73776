"""One request and its reply, apart from any HTTP library, and how a request is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, unquote

import msgspec

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


class RefusedError(Exception):
    """A request that the Hub turns down: its status, and the error code that clients tell errors apart by."""

    def __init__(self, status: int, message: str, *, code: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = dict(headers or {})


@dataclass(frozen=True)
class HubRequest:
    """A request as it came in. `path` and `query` are still quoted; `base` is how the client names the server."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    base: str = ""

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """The path's parts; a quoted slash (a revision or a path) stays within its part."""
        return tuple(unquote(part) for part in self.path.split("/") if part)

    @property
    def reads(self) -> bool:
        """Whether it only reads: GET or HEAD."""
        return self.method in ("GET", "HEAD")

    def parameter(self, name: str, default: str = "") -> str:
        """Return the first value of a query parameter."""
        return parse_qs(self.query, keep_blank_values=True).get(name, [default])[0]

    def flag(self, name: str) -> bool:
        """Tell whether a query parameter says yes."""
        return self.parameter(name, "false").lower() in ("1", "true", "")

    def json(self) -> Any:
        """Return the body's JSON value; an empty body is an empty object."""
        try:
            return msgspec.json.decode(self.body or b"{}")
        except msgspec.DecodeError as error:
            raise RefusedError(400, f"not JSON: {error}") from error

    def form(self) -> dict[str, Any]:
        """Return the body's values, sent as JSON or as a form."""
        if "json" in self.headers.get("Content-Type", ""):
            sent: dict[str, Any] = self.json()
            return sent
        return dict(parse_qs(self.body.decode()))


@dataclass(frozen=True)
class HubReply:
    """A status, headers and bytes. `length` is the Content-Length of a HEAD whose bytes are not at hand."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    length: int | None = None


def json_reply(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> HubReply:
    """Return a reply that carries a JSON value."""
    return HubReply(status, msgspec.json.encode(value), headers or {})


def file_reply(request: HubRequest, content: bytes, *, headers: Mapping[str, str]) -> HubReply:
    """Return a file's bytes, or the range of them that was asked for."""
    asked = _RANGE.fullmatch(request.headers.get("Range", ""))
    size = len(content)
    if not asked or not size:
        return HubReply(200, content, headers, "application/octet-stream")
    first, last = asked.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last), size - 1) if first and last else size - 1
    if start > end:
        raise RefusedError(416, "no such range", headers={"Content-Range": f"bytes */{size}"})
    ranged = {**headers, "Content-Range": f"bytes {start}-{end}/{size}"}
    return HubReply(206, content[start : end + 1], ranged, "application/octet-stream")
