"""The formats of Xet: shards that describe files, xorbs that hold their chunks, and putting a file together again."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from eigen_cli.testing.hub_server.repos import HubContents

_RECORD = 48
"""Bytes of every record of a shard, the header's too."""
_LAST = b"\xff" * 32
_WITH_VERIFICATION, _WITH_METADATA = 1 << 31, 1 << 30
_CHUNK_HEADER = 8
_STORED, _GROUPED = 0, 2
"""How a chunk is packed: as it is (0), as an LZ4 frame (1),
or with its bytes grouped by position modulo 4 before (2)."""


class XetTerm(msgspec.Struct, frozen=True):
    """A piece of a file: chunks `first` to `end` (exclusive) of a xorb, `size` bytes unpacked."""

    xorb: str
    size: int
    first: int
    end: int


class XetFile(msgspec.Struct, frozen=True):
    """A file as its pieces in order."""

    hash: str
    terms: tuple[XetTerm, ...]
    sha256: str

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return sum(term.size for term in self.terms)


def read_shard(data: bytes) -> list[XetFile]:
    """Return the files an uploaded shard describes.

    A header record, then for each file: a header (hash 32, flags 4, count 4), `count` terms (xorb 32, flags 4, size 4,
    first 4, end 4), as many verification records if bit 31 of the flags is set, a metadata record (SHA-256) if bit 30
    is. Integers are little-endian. A header whose hash is all ones closes the list.
    """
    files, place = [], _RECORD
    while place + _RECORD <= len(data) and data[place : place + 32] != _LAST:
        name, flags, count = _hash_text(data[place:]), _number(data, place + 32), _number(data, place + 36)
        starts = [place + _RECORD * index for index in range(1, count + 1)]
        terms = tuple(
            XetTerm(_hash_text(data[at:]), _number(data, at + 36), _number(data, at + 40), _number(data, at + 44))
            for at in starts
        )
        place += _RECORD * (1 + count + (count if flags & _WITH_VERIFICATION else 0))
        sha256 = ""
        if flags & _WITH_METADATA:
            sha256 = _hash_text(data[place:])
            place += _RECORD
        files.append(XetFile(name, terms, sha256))
    return files


def xorb_offsets(xorb: bytes) -> list[int]:
    """Return the byte at which each chunk of a xorb starts, and the end of the last one.

    A chunk is a header (version 1, packed length 3, packing 1, unpacked length 3) and its data; a footer may follow.
    """
    offsets = [0]
    while (place := offsets[-1]) + _CHUNK_HEADER <= len(xorb) and xorb[place] == 0 and xorb[place + 4] <= 4:
        end = place + _CHUNK_HEADER + int.from_bytes(xorb[place + 1 : place + 4], "little")
        if end > len(xorb):
            break
        offsets.append(end)
    return offsets


def rebuilt(contents: HubContents, sha256: str) -> bytes:
    """Return the bytes of a file that came in through Xet, for clients that go without it."""
    file: XetFile = contents.xet_files[contents.xet_hashes[sha256]]
    pieces = []
    for term in file.terms:
        xorb = contents.xorbs[term.xorb]
        offsets = xorb_offsets(xorb)
        for start, end in zip(offsets[term.first : term.end], offsets[term.first + 1 : term.end + 1], strict=True):
            pieces.append(_unpacked(xorb[start + 4], xorb[start + _CHUNK_HEADER : end]))
    data = b"".join(pieces)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError("a file put together from Xet's chunks does not have its SHA-256")
    return data


def _hash_text(data: bytes) -> str:
    """Return a Xet hash as text: every 8 bytes are one little-endian number."""
    return "".join(data[start : start + 8][::-1].hex() for start in range(0, 32, 8))


def _number(data: bytes, place: int) -> int:
    return int.from_bytes(data[place : place + 4], "little")


def _unpacked(packing: int, data: bytes) -> bytes:
    if packing == _STORED:
        return data
    unpacked = _lz4_frame(data)
    if packing != _GROUPED:
        return unpacked
    spread, place = bytearray(len(unpacked)), 0
    for residue in range(4):
        count = len(range(residue, len(unpacked), 4))
        spread[residue::4] = unpacked[place : place + count]
        place += count
    return bytes(spread)


def _lz4_frame(frame: bytes) -> bytes:
    """Unpack an LZ4 frame: slow, and quick enough for tests."""
    flags, place, out = frame[4], 7, bytearray()
    place += (8 if flags & 8 else 0) + (4 if flags & 1 else 0)
    while size := int.from_bytes(frame[place : place + 4], "little"):
        place += 4
        end = place + (size & 0x7FFFFFFF)
        if size >> 31:
            out += frame[place:end]
        else:
            _lz4_block(frame, place, end=end, out=out)
        place = end + (4 if flags & 16 else 0)
    return bytes(out)


def _lz4_block(data: bytes, place: int, *, end: int, out: bytearray) -> None:
    while place < end:
        token = data[place]
        literals, place = _lz4_length(data, place + 1, token >> 4)
        out += data[place : place + literals]
        place += literals
        if place >= end:
            return
        back = data[place] | data[place + 1] << 8
        matched, place = _lz4_length(data, place + 2, token & 15)
        matched += 4
        start = len(out) - back
        repeated = bytes(out[start : start + matched])
        out += (repeated * (matched // len(repeated) + 1))[:matched]


def _lz4_length(data: bytes, place: int, length: int) -> tuple[int, int]:
    """Return a length whose first part is in the token, and where reading goes on."""
    if length == 15:
        while True:
            length, place = length + data[place], place + 1
            if data[place - 1] != 255:
                break
    return length, place
