"""What DuckDB and the operating system say when a registry cannot be used, in words a user can act on."""

from __future__ import annotations

import re
from pathlib import Path

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.errors import RegistryError, UnknownRefError

_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
_ELSEWHERE = "or name another folder with --registry"
_DAMAGE = ("not a valid duckdb", "corrupt", "enough bytes", "checksum", "deserialize", "replaying wal")
MEND = (
    "move registry.duckdb away, and registry.duckdb.wal with it if there is one, then run the same evolve command: "
    "it seals again from the journals beside them"
)
MEND_CONTENTS = (
    "put a copy of the file back, or pull the generation again if it was pushed; or move registry.duckdb away and run "
    "the same evolve command: it seals again from the journals"
)
_CHECK = "`eigen verify-registry` names everything that is damaged"
_FULL = ("no space left on device", "file too large", "quota exceeded")
_DENIED = ("permission denied", "read-only file system", "operation not permitted")


def is_busy(text: str) -> bool:
    """Tell whether DuckDB refused because someone else holds the file: another process, or this one otherwise."""
    return "Could not set lock" in text or "Unique file handle conflict" in text


def explain(path: Path, error: Exception) -> RegistryError:
    """Return the one line and the hint that say what an error of DuckDB or of the system means for a registry."""
    line = _line(error)
    lowered = line.lower()
    if is_busy(str(error)):
        return _busy(path, str(error))
    for sign in _FULL:
        if sign in lowered:
            return RegistryError(
                f"the registry {path} cannot be written: {sign}",
                hint="free some space and run the same command: what was sealed is whole, the journals resume the rest",
            )
    for sign in _DENIED:
        if sign in lowered:
            return RegistryError(
                f"the registry {path} cannot be opened or made: {sign}",
                hint=f"fix the permissions of {path.parent}, {_ELSEWHERE}",
            )
    if "with version number" in lowered:
        return RegistryError(
            f"the registry {path} was written by a newer DuckDB than the one installed",
            hint=f"upgrade duckdb, {_ELSEWHERE}",
        )
    if any(sign in lowered for sign in _DAMAGE):
        return RegistryError(f"the registry {path} is damaged or no registry: {line}", hint=MEND)
    return RegistryError(f"the registry {path} cannot be used: {line}", hint=f"look at {path.parent}, {_ELSEWHERE}")


def explain_contents(path: Path, id_: str, error: Exception) -> RegistryError:
    """Return the error for a contents file that cannot be read, `id_` being what it belongs to."""
    line = _line(error)
    lowered = line.lower()
    if any(sign in lowered for sign in _DENIED):
        return RegistryError(f"{id_} cannot be read: {path}: {line}", hint=f"fix the permissions of {path}")
    if "with version number" in lowered:
        return RegistryError(
            f"{id_} cannot be read: {path} was written by a newer DuckDB than the one installed", hint="upgrade duckdb"
        )
    if any(sign in lowered for sign in _DAMAGE):
        return RegistryError(f"{id_} is damaged: {path}: {line}", hint=MEND_CONTENTS)
    return RegistryError(f"{id_} cannot be read: {path}: {line}", hint=MEND_CONTENTS)


def missing_contents(path: Path, id_: str) -> RegistryError:
    """Return the error for something in the catalogue whose contents file is gone."""
    return RegistryError(f"the contents of {id_} are gone: there is no {path}", hint=MEND_CONTENTS)


def foreign_contents(path: Path, id_: str) -> RegistryError:
    """Return the error for a DuckDB file under the name of another one's contents."""
    return RegistryError(f"{path} does not hold the contents of {id_}, whose hash it is named by", hint=MEND_CONTENTS)


def not_a_registry(path: Path) -> RegistryError:
    """Return the error for a sound DuckDB file of someone else's."""
    return RegistryError(f"{path} is a DuckDB file, but not an eigen registry", hint=f"move it away, {_ELSEWHERE}")


def not_a_file(path: Path) -> RegistryError:
    """Return the error for a folder, pipe or device under the name of one of a registry's files."""
    kind = "a folder" if path.is_dir() else "a pipe or device"
    return RegistryError(f"{path} is {kind}, where a registry has a file", hint=f"move it away, {_ELSEWHERE}")


def stray_log(path: Path, log: Path) -> RegistryError:
    """Return the error for a write-ahead log whose registry is gone: the last seal may be in it and nowhere else."""
    return RegistryError(
        f"{log} is there, but {path.name}, to which it belongs, is not",
        hint=f"put {path.name} back, or move {log.name} away too and run the same evolve command",
    )


def not_a_log(log: Path) -> RegistryError:
    """Return the error for a write-ahead log that DuckDB would pass over without a word, and its seals with it."""
    return RegistryError(
        f"{log} is damaged: it does not begin as a write-ahead log does",
        hint="move it away and run the same evolve command: a seal that was in it is made again from the journals",
    )


def damaged(generation: str, what: str) -> RegistryError:
    """Return the error for a row of the catalogue that is not what was sealed."""
    return RegistryError(f"{generation} is damaged: {what}", hint=f"{_CHECK}; {MEND}")


def unreadable(id_: str, error: RegistryError) -> RegistryError:
    """Return the error for a row of the catalogue with something in it that does not decode."""
    return RegistryError(f"{id_} is damaged: {error.message}", hint=f"{error.hint} {_CHECK}")


def damaged_contents(path: Path, id_: str, what: str) -> RegistryError:
    """Return the error for contents that are not what was sealed."""
    return RegistryError(f"{id_} is damaged: {what} ({path})", hint=MEND_CONTENTS)


def no_full_text_search() -> RegistryError:
    """Return the error for searching with a Python whose SQLite cannot."""
    return RegistryError(
        "texts cannot be searched: this Python's SQLite was built without FTS5",
        hint="use another build of Python; everything else works without it",
    )


def kept(id_: str, why: str, hint: str) -> RegistryError:
    """Return the error for deleting what is still needed."""
    return RegistryError(f"{id_} is not removed: {why}", hint=hint)


def orphan(path: Path, parent: str) -> RegistryError:
    """Return the error for sealing a round whose previous one, sealed here, is gone."""
    return RegistryError(
        f"the generation's parent {parent[:SHORT]} is no longer in the registry {path}",
        hint="it was moved or deleted during the run; put it back, or run the same command again to seal every round",
    )


def newer(path: Path, found: int, *, known: int) -> RegistryError:
    """Return the error for a registry whose schema this eigen does not know yet."""
    return RegistryError(
        f"the registry {path} is of a newer eigen: schema {found}, where this one knows {known}",
        hint=f"upgrade eigen-cli, {_ELSEWHERE}",
    )


def missing(folder: Path) -> UnknownRefError:
    """Return the error for looking something up where nothing was ever sealed."""
    return UnknownRefError(
        f"there is no registry in {folder} yet", hint=f"`eigen evolve DOMAIN` seals a first generation; {_ELSEWHERE}"
    )


def _line(error: Exception) -> str:
    """Return what an error says: DuckDB's class of it (`IO Error: …`) is no news, and the rest is in its first line."""
    text = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    return re.sub(r"^[A-Za-z ]+ Error: ", "", text.strip().partition("\n")[0]) or type(error).__name__


def _busy(path: Path, text: str) -> RegistryError:
    holder = _HOLDER.search(text)
    who = f"process {holder['pid']} ({Path(holder['program']).name})" if holder else "another part of this process"
    return RegistryError(
        f"the registry {path} is in use by {who}", hint=f"wait until it is done, or stop it, {_ELSEWHERE}"
    )
