"""The shelf: where a round's finished episodes lie until they are sealed, so that memory holds none of them.

A file in the registry's folder without a name, so that whatever ends the process frees its room. Nothing rests on it
beyond that process: a resumed run plays its episodes again, from the journal, and puts them there anew.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, NoReturn

import msgspec

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.errors import RegistryError
from eigen_cli.api.generations import EpisodeRecord

_decode = msgspec.json.Decoder(EpisodeRecord).decode


class Place(NamedTuple):
    """Where a record lies on a shelf, in bytes."""

    start: int
    length: int


class Shelf:
    """Records that are put once, in any order, and read in whatever order is wanted.

    They lie there in their canonical bytes, so what comes back is what a registry would give back.
    """

    def __init__(self, folder: Path) -> None:
        """Open an empty one in a folder, which is made if need be. Raises `RegistryError` when the disk refuses."""
        self._folder = folder
        self._end = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - closed with the shelf
        except OSError as error:
            self._refuse(error)

    def put(self, record: EpisodeRecord) -> Place:
        """Put a record away and return where it is. Raises `RegistryError` when the disk refuses."""
        rest, start = memoryview(canonical_json(record)), self._end
        try:
            while rest:
                count = os.pwrite(self._file.fileno(), rest, self._end)
                rest, self._end = rest[count:], self._end + count
        except OSError as error:
            self._end = start
            self._refuse(error)
        return Place(start, self._end - start)

    def get(self, place: Place) -> EpisodeRecord:
        """Return the record at a place."""
        try:
            return _decode(os.pread(self._file.fileno(), place.length, place.start))
        except OSError as error:
            raise RegistryError(f"an unsealed episode in {self._folder} cannot be read: {error.strerror}") from error

    def close(self) -> None:
        """Give its room back; closing twice is harmless."""
        self._file.close()

    def __enter__(self) -> Shelf:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refuse(self, error: OSError) -> NoReturn:
        raise RegistryError(
            f"episodes cannot be put away in {self._folder}: {error.strerror or error}",
            hint="free some space or fix the folder's permissions, then run the same command: nothing recorded is lost",
        ) from error
