"""Recording a cassette: every exchange a run uses, asked now or found in its journal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import msgspec

from eigen_cli.api.backend import Request, SimulatedReply
from eigen_cli.api.cassettes import CassetteHeader, Exchange, open_cassette
from eigen_cli.api.errors import ConfigError

_encoder = msgspec.json.Encoder()


class CassetteRecorder:
    """Writes a cassette; made anew each time, for a resumed run comes past all its exchanges again."""

    def __init__(self, path: Path, *, identities: Mapping[str, str], simulated: bool) -> None:
        """Raises `ConfigError` when the file cannot be written."""
        self._path = path
        self._chats: set[bytes] = {b""}
        self._known: set[tuple[str, str]] = set()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = open_cassette(path, "wb")
            self._write(CassetteHeader(identities, simulated))
        except OSError as error:
            raise self._unwritable(error) from error

    def record(
        self,
        request: Request,
        reply: SimulatedReply | None,
        *,
        failure: str = "",
        hint: str = "",
        overflow: bool = False,
    ) -> None:
        """Write an exchange, once."""
        key, fingerprint = request.key.path(), request.fingerprint()
        if (key, fingerprint) in self._known:
            return
        self._known.add((key, fingerprint))
        after, new = self._new_messages(request)
        exchange = Exchange(
            key=key,
            fingerprint=fingerprint,
            role=request.role,
            messages=new,
            after=after.hex(),
            reply=reply,
            failure=failure,
            hint=hint,
            overflow=overflow,
        )
        try:
            self._write(exchange)
        except OSError as error:
            raise self._unwritable(error) from error

    def close(self) -> None:
        """Close the file; what was recorded is whole."""
        self._file.close()

    def _new_messages(self, request: Request) -> tuple[bytes, tuple[msgspec.Raw, ...]]:
        """Return the digest of the longest chat already recorded that this one begins with, and the messages after it.

        The digests are those of `Chat`: a chain, each over the one before and one more message.
        """
        after, start, digest = b"", 0, b""
        for place, raw in enumerate(request.chat.encoded, start=1):
            digest = hashlib.sha256(digest + bytes(raw)).digest()
            if digest in self._chats:
                after, start = digest, place
            self._chats.add(digest)
        return after, request.chat.encoded[start:]

    def _write(self, line: CassetteHeader | Exchange) -> None:
        self._file.write(_encoder.encode(line) + b"\n")
        self._file.flush()

    def _unwritable(self, error: OSError) -> ConfigError:
        return ConfigError(
            f"the cassette {self._path} cannot be written: {error.strerror or error}", hint="name another --record file"
        )
