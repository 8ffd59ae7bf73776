"""The format of a journal file: a header, then frames, each one entry; and how to read on after a damaged frame.

A file is a header (magic, format version, PID of the last writer) and frames (length, CRC-32, body); integers are
little-endian. A frame's body is one `Entry` in MessagePack. Nothing is ever rewritten, so a frame that does not check
is either the torn tail of a killed writer or was damaged later by something else; which of the two, `frames` tells.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from eigen_cli.api.errors import RegistryError

MAGIC = b"EIGENJNL"
VERSION = 1
HEADER = struct.Struct("<8sII")
FRAME = struct.Struct("<II")
ELSEWHERE = "move it away, or name another folder with --registry"

_REACH = 1 << 26
"""Bytes searched for the next whole frame, and bytes checksummed in doing so: bounds the time that damage costs."""
_BODY_BEGINS = re.compile(rb"\x94[\xa0-\xbf\xd9]")
"""How MessagePack begins an array of four whose first is a string: what every `Entry` is."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """One acknowledged fact: a call's reply, or a note of the run about itself."""

    kind: str
    key: str
    fingerprint: str
    payload: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Entry).decode


def framed(entry: Entry) -> bytes:
    """Return an entry's frame."""
    body = _encode(entry)
    return FRAME.pack(len(body), zlib.crc32(body)) + body


def unframed(head: bytes, body: bytes) -> Entry | None:
    """Return the entry that a frame's head and body hold, or None where they do not check."""
    if len(head) < FRAME.size:
        return None
    length, checksum = FRAME.unpack(head)
    if length != len(body) or zlib.crc32(body) != checksum:
        return None
    try:
        return _decode(body)
    except msgspec.MsgspecError:
        # Zeros, with which a crash may leave a file grown, are the length and the CRC-32 of an empty body.
        return None


def frames(stream: BinaryIO) -> Iterator[tuple[Entry | None, int, int]]:
    """Yield each entry with the offsets at which its frame starts and ends, and None with those of a damaged stretch.

    Begins where the stream stands, behind the header, and ends before a torn tail.
    """
    start = stream.tell()
    while head := stream.read(FRAME.size):
        entry, end = unframed(head, _body(stream, start, head)), stream.tell()
        if entry is None:
            whole = _after_damage(stream, start, head)
            if whole is None:
                return
            end = stream.seek(whole)
        yield entry, start, end
        start = end


def header_is_whole(path: Path, header: bytes) -> bool:
    """Tell a journal's header from that of a writer killed while making one; raise when it is neither."""
    if len(header) < HEADER.size and HEADER.pack(MAGIC, VERSION, 0).startswith(header[: len(MAGIC)]):
        return False
    magic, version, _ = HEADER.unpack(header) if len(header) == HEADER.size else (b"", 0, 0)
    if magic != MAGIC:
        raise RegistryError(f"{path} is not an eigen journal", hint=ELSEWHERE)
    if version != VERSION:
        raise RegistryError(
            f"the journal {path} has format {version}; this eigen reads format {VERSION}",
            hint="use the eigen that wrote it, or start anew with --fresh",
        )
    return True


def _body(stream: BinaryIO, start: int, head: bytes) -> bytes:
    """Read the body a head announces; nothing where it announces more than the file has."""
    if len(head) < FRAME.size:
        return b""
    length = int(FRAME.unpack(head)[0])
    # A damaged length may claim gigabytes: compare before making room for them.
    return stream.read(length) if start + FRAME.size + length <= _size(stream) else b""


def _after_damage(stream: BinaryIO, start: int, head: bytes) -> int | None:
    """Return where to read on after a frame that does not check, or None if it is a torn tail.

    The announced length is tried before any search: a body is a model's words, in which a frame might be planted.
    """
    size = _size(stream)
    if len(head) < FRAME.size:
        return None
    length, checksum = map(int, FRAME.unpack(head))
    end = start + FRAME.size + length
    if length and end == size:
        return size
    if length and end < size and _entry_at(stream, end) is not None:
        return end
    found = _search(stream, start + 1, size)
    if found is not None:
        return found
    if size - start > _REACH or (length and end < size):
        return size
    # Cut short, as a kill leaves it; or whole, and only its length is not.
    stream.seek(start + FRAME.size)
    return size if length and zlib.crc32(stream.read()) == checksum else None


def _search(stream: BinaryIO, start: int, size: int) -> int | None:
    """Return the offset of the next whole frame from `start` on, as far as the search reaches."""
    stream.seek(start)
    window, budget = stream.read(_REACH), _REACH
    for match in _BODY_BEGINS.finditer(window, FRAME.size):
        at = match.start() - FRAME.size
        length = int(FRAME.unpack_from(window, at)[0])
        if start + at + FRAME.size + length <= size and length <= budget:
            budget -= length
            if _entry_at(stream, start + at) is not None:
                return start + at
    return None


def _entry_at(stream: BinaryIO, offset: int) -> Entry | None:
    stream.seek(offset)
    head = stream.read(FRAME.size)
    return unframed(head, _body(stream, offset, head))


def _size(stream: BinaryIO) -> int:
    return os.fstat(stream.fileno()).st_size
