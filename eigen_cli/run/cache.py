"""The response cache: replies kept beyond a run, by who answered, the call's key and the request's hash.

The key names trial and attempt, so that trials stay distinct: a cache saves paying again for what was asked before,
and never makes four trials out of one. It is opt-in. One small file a reply, put in place whole: any number of
processes may share a folder. A damaged file is a miss.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from eigen_cli.api.backend import SimulatedReply
from eigen_cli.api.canonical import digest
from eigen_cli.api.errors import ConfigError

_decoder = msgspec.msgpack.Decoder(SimulatedReply)
_encoder = msgspec.msgpack.Encoder()


class ResponseCache:
    """Replies in a folder."""

    def __init__(self, folder: Path) -> None:
        """Raises `ConfigError` when the folder cannot be made."""
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"the cache {folder} cannot be used: {error.strerror or error}") from error

    def get(self, identity: str, key: str, fingerprint: str) -> SimulatedReply | None:
        """Return the reply kept for a call, or None."""
        try:
            return _decoder.decode(self._path(identity, key, fingerprint).read_bytes())
        except (OSError, msgspec.MsgspecError):
            return None

    def put(self, identity: str, key: str, fingerprint: str, *, reply: SimulatedReply) -> None:
        """Keep a reply. A disk that refuses costs only the saving."""
        path = self._path(identity, key, fingerprint)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            beside.write_bytes(_encoder.encode(reply))
            beside.replace(path)

    def _path(self, identity: str, key: str, fingerprint: str) -> Path:
        name = digest(identity, key, fingerprint)
        return self._folder / name[:2] / name[2:]
