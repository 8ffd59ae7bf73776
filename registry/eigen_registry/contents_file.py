"""Contents files: what one generation or evaluation holds, each in a DuckDB file of its own that is never changed.

A file is written under a passing name in a folder of its own and put in place whole, so nobody ever meets half of one,
and reading one takes no lock that a writer could hold. Where the catalogue names it, it is sealed; a file that the
catalogue does not name is what a killed writer left.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from eigen_cli.api.errors import RegistryError
from eigen_registry import refusals
from eigen_registry.attaching import attached, quoted
from eigen_registry.kinds import GENERATIONS, KINDS, Kind

if TYPE_CHECKING:
    from eigen_registry.text_index import IndexDraft

FORMAT = 1
"""Version of the tables in a contents file; a file says which it has."""
ROW_GROUP = 4096
"""Rows that are compressed and written together. DuckDB keeps what it has not written in memory, uncompressed: with its
own 122,880 that is a gigabyte of episodes of 8 KB."""
WRITER_MEMORY = "340MB"
"""DuckDB would fill most of the machine's memory with what it has not written."""
_PASSING = ".sealing-"


class Draft:
    """A contents file being written; `con` is the connection to its empty tables.

    It has a DuckDB of its own: one that meets a full disk takes nothing more, and what it spills goes with the folder.
    """

    def __init__(self, kind: Kind, place: Path, files: ContentsFiles) -> None:
        self.kind = kind
        self._files = files
        self._file, self._words = place / "contents.duckdb", place / "words"
        self._index: IndexDraft | None = None
        self.con = duckdb.connect(config={"memory_limit": WRITER_MEMORY, "temp_directory": str(place / "spilled")})
        self.con.execute(f"ATTACH {quoted(self._file)} AS contents (ROW_GROUP_SIZE {ROW_GROUP})")
        self.con.execute("USE contents")
        self.con.execute(tables(kind))

    def index(self) -> IndexDraft | None:
        """Begin an index of what the contents say, which becomes part of the draft; None where none can be made."""
        from eigen_registry.text_index import IndexDraft, is_available  # sqlite3, which few readers need

        self._index = IndexDraft(self._words) if is_available() else None
        return self._index

    def finish(self, hash_: str) -> None:
        """Note whose contents these are, close the files, and see that they have reached the disk."""
        self.con.execute("INSERT INTO sealed VALUES (?, ?, ?)", (self.kind.noun, hash_, FORMAT))
        self.con.execute("CHECKPOINT contents")
        self.con.execute("USE memory")
        self.con.execute("DETACH contents")
        self.con.close()
        _to_disk(self._file)
        if self._index is not None:
            self._index.finish()
            _to_disk(self._words)

    def put(self, hash_: str) -> None:
        """Put what is finished in place, over what may be there; readers of that go on reading it."""
        path = self._files.path(self.kind, hash_)
        _replace(self._file, path)
        if self._index is not None:
            _replace(self._words, self._files.index_path(hash_))
        _to_disk(path.parent)

    def close(self) -> None:
        """Let go of the files, finished or not."""
        self.con.close()
        if self._index is not None:
            self._index.close()


class ContentsFiles:
    """The contents files of the registry in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, kind: Kind, hash_: str) -> Path:
        """Return where the contents of a sealed generation or evaluation lie."""
        return self._folder / kind.table / f"{hash_}.duckdb"

    def index_path(self, hash_: str) -> Path:
        """Return where the index of a generation's words lies; it may be missing, for it follows from the contents."""
        return self.path(GENERATIONS, hash_).with_suffix(".words")

    @contextlib.contextmanager
    def reading(self, kind: Kind, hash_: str, *, id_: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the contents of a sealed generation or evaluation, which the catalogue calls `id_`."""
        path = self.path(kind, hash_)
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                raise refusals.not_a_file(path)
            with attached(path, read_only=True) as con:
                if not is_of(con, kind, hash_):
                    raise refusals.foreign_contents(path, id_)
                yield con
        except FileNotFoundError as error:
            raise refusals.missing_contents(path, id_) from error
        except (duckdb.Error, OSError) as error:
            raise refusals.explain_contents(path, id_, error) from error

    def is_sound(self, kind: Kind, hash_: str) -> bool:
        """Tell whether there is a file that opens and says it holds these contents."""
        try:
            with self.reading(kind, hash_, id_=hash_):
                return True
        except RegistryError:
            return False

    @contextlib.contextmanager
    def drafting(self, kind: Kind) -> Iterator[Draft]:
        """Begin a contents file, and leave nothing of it but what was put in place."""
        with (
            _passing_folder(self._folder / kind.table) as place,
            contextlib.closing(Draft(kind, place, self)) as draft,
        ):
            yield draft

    @contextlib.contextmanager
    def indexing(self, hash_: str) -> Iterator[IndexDraft]:
        """Begin an index for a sealed generation that has none, and put it in place at the end."""
        from eigen_registry.text_index import IndexDraft, is_available

        path = self.index_path(hash_)
        if not is_available():
            raise refusals.no_full_text_search()
        try:
            with _passing_folder(path.parent) as place, contextlib.closing(IndexDraft(place / "words")) as index:
                yield index
                index.finish()
                _to_disk(index.path)
                _replace(index.path, path)
        except OSError as error:
            raise refusals.explain(path, error) from error

    def clean(self) -> int:
        """Delete what killed writers left half-written, and return how many bytes that freed."""
        freed = 0
        for kind in KINDS:
            folder = self._folder / kind.table
            if folder.is_dir():
                with _locked(folder):
                    freed += _clean(folder)
        return freed + sum(_deleted(path) for path in self._orphans())

    def _orphans(self) -> Iterator[Path]:
        """Yield the indexes whose contents are gone."""
        for path in (self._folder / GENERATIONS.table).glob("*.words"):
            if path.is_file() and not path.with_suffix(".duckdb").exists():
                yield path


def is_of(con: duckdb.DuckDBPyConnection, kind: Kind, hash_: str) -> bool:
    """Tell whether a file says that it holds the contents of what has this hash."""
    try:
        rows = con.execute("SELECT kind, hash, format FROM sealed").fetchall()
    except duckdb.CatalogException:
        return False
    return rows == [(kind.noun, hash_, FORMAT)]


def tables(kind: Kind) -> str:
    """Return the SQL that makes the empty tables of a contents file."""
    return (resources.files(__package__) / "contents" / f"{kind.table}.sql").read_text(encoding="utf-8")


def _replace(file: Path, path: Path) -> None:
    try:
        file.replace(path)
    except IsADirectoryError as error:
        raise refusals.not_a_file(path) from error


def _deleted(path: Path) -> int:
    size = path.stat().st_size
    path.unlink()
    return size


@contextlib.contextmanager
def _passing_folder(folder: Path) -> Iterator[Path]:
    """Make a folder that is locked while its maker lives and deleted after it; delete those whose makers died."""
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        _clean(folder)
        place = Path(tempfile.mkdtemp(prefix=f"{_PASSING}{os.getpid()}-", dir=folder))
        lock = _lock(place)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _clean(folder: Path) -> int:
    """Delete the passing folders that nobody locks any more; the caller has locked the one they are in."""
    freed = 0
    for left in folder.glob(f"{_PASSING}*"):
        if left.is_symlink() or not left.is_dir():
            continue  # None of ours; opening a pipe would wait without end.
        lock = _lock(left)
        if lock is not None:
            freed += sum(path.stat().st_size for path in left.rglob("*") if path.is_file())
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
    return freed


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock for moments, waiting for who has it."""
    held = os.open(folder, os.O_RDONLY)
    try:
        # A file system without such locks: leftovers of killed writers stay there then.
        with contextlib.suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _lock(folder: Path) -> int | None:
    """Return a descriptor that keeps a folder locked until it is closed or its process dies; None if it is locked."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        return None
    return held


def _to_disk(path: Path) -> None:
    """Wait until a file's or a folder's contents have reached the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
