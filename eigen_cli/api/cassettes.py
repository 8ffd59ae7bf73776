"""Cassettes: every exchange of a run in one file, from which it can be played again without a server.

A cassette is JSON lines: a header, then one exchange a line, in the order in which they were first used. An exchange
holds the messages that no earlier exchange held before it (`after` names the chat they follow by its digest), so that a
long conversation costs its own length and not its square.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import msgspec

from eigen_cli.api.backend import SimulatedReply
from eigen_cli.api.errors import ConfigError

FORMAT = 1


class CassetteHeader(msgspec.Struct, frozen=True, tag="header"):
    """Who answered, by role, and whether any of them was a simulator."""

    identities: Mapping[str, str]
    simulated: bool
    format: int = FORMAT


class Exchange(msgspec.Struct, frozen=True, omit_defaults=True, tag="exchange"):
    """One call: its key, its request's hash, what was new in its chat, and the reply or how it failed for good."""

    key: str
    fingerprint: str
    role: str
    messages: tuple[Any, ...] = ()
    after: str = ""
    reply: SimulatedReply | None = None
    failure: str = ""
    hint: str = ""
    overflow: bool = False


_decoder = msgspec.json.Decoder(CassetteHeader | Exchange)


def open_cassette(path: Path, mode: str) -> IO[bytes]:
    """Open a cassette's file; one whose name ends in `.gz` is compressed."""
    return gzip.open(path, mode) if path.suffix == ".gz" else path.open(mode)  # type: ignore[return-value]


def read_cassette(path: Path) -> tuple[CassetteHeader, Iterator[Exchange]]:
    """Return a cassette's header and its exchanges, which are read as they are used.

    Raises `ConfigError` for a file that is missing, no cassette, or of a format this eigen does not know. A last line
    that was cut off, as by a kill, is passed over.
    """
    lines = _lines(path)
    first = next(lines, None)
    if not isinstance(first, CassetteHeader):
        raise ConfigError(f"{path} is no cassette", hint="`--record FILE` makes one")
    if first.format != FORMAT:
        raise ConfigError(f"{path} is a cassette of format {first.format}; this eigen reads format {FORMAT}")
    return first, (line for line in lines if isinstance(line, Exchange))


def _lines(path: Path) -> Iterator[CassetteHeader | Exchange]:
    try:
        with open_cassette(path, "rb") as stream:
            for line in stream:
                if not line.endswith(b"\n"):
                    return
                yield _decoder.decode(line)
    except EOFError:  # a compressed file that was cut off
        return
    except OSError as error:
        raise ConfigError(f"the cassette {path} cannot be read: {error.strerror or error}") from error
    except msgspec.MsgspecError as error:
        raise ConfigError(f"{path} is no cassette: {error}", hint="`--record FILE` makes one") from error
