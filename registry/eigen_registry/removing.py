"""Deleting generations, and what killed writers left."""

from __future__ import annotations

import stat
from pathlib import Path

from eigen_cli.api.generations import Generation
from eigen_registry import entries, refs, refusals, tags
from eigen_registry.catalogue import Catalogue
from eigen_registry.contents_file import ContentsFiles
from eigen_registry.kinds import GENERATIONS
from eigen_registry.transaction import transaction


def size_of(files: ContentsFiles, generation: Generation) -> int:
    """Return how many bytes a generation's contents and the index of its words take on the disk."""
    path = files.path(GENERATIONS, generation.hash)
    try:
        size = _file_size(path)
    except OSError as error:
        raise refusals.explain_contents(path, generation.id, error) from error
    if size is None:
        raise refusals.missing_contents(path, generation.id)
    return size + (_file_size(files.index_path(generation.hash)) or 0)


def remove(catalogue: Catalogue, files: ContentsFiles, hash_: str, *, pushed: bool) -> int:
    """Delete a generation; `pushed` says that one that was pushed may go too. See `Store.remove`.

    The catalogue forgets it before its file goes: killed in between, a file is left that nothing names. Raises
    `RegistryError`, with nothing forgotten, where something else lies in the file's place.
    """
    path, index = files.path(GENERATIONS, hash_), files.index_path(hash_)
    with catalogue.writing() as con:
        number = refs.number_of_ref(con, GENERATIONS, hash_)
        id_ = GENERATIONS.id(number)
        if named := tags.of_hash(con, hash_):
            raise refusals.kept(id_, f"it is tagged {', '.join(named)}", "move or delete the tag first")
        if made := entries.children(con, hash_):
            raise refusals.kept(id_, f"{', '.join(made)} was made from it", f"remove {made[-1]} first")
        if not pushed and (places := [push for push in entries.pushes(con) if push.hash == hash_]):
            raise refusals.kept(id_, f"it was pushed to {places[-1].repo}", "pushed generations are kept")
        freed = (_file_size(path) or 0) + (_file_size(index) or 0)
        with transaction(con):
            entries.delete_generation(con, number)
        path.unlink(missing_ok=True)
        index.unlink(missing_ok=True)
        return freed


def clean(catalogue: Catalogue, files: ContentsFiles) -> int:
    """Delete half-written contents files whose writers died.

    A whole one that the catalogue does not name stays: if it is the catalogue that was lost, it is all there is left.
    """
    return files.clean() if catalogue.exists() else 0


def _file_size(path: Path) -> int | None:
    """Return the size of a contents file, None where there is none; raise `RegistryError` for what is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise refusals.not_a_file(path)
    return found.st_size
