"""Telling apart models that lie in folders: one name, `checkpoint-200`, stands in many places for different weights."""

from __future__ import annotations

import hashlib
from pathlib import Path

_END = 1 << 16
"""Bytes looked at on each end of a file: the header of weights, and numbers that no two trainings share."""
_WEIGHTS = (".safetensors", ".bin", ".pt", ".gguf")
_TOLD_BY = (*_WEIGHTS, ".json", ".jinja", ".model")


def folder_digest(folder: Path) -> str:
    """Return a short digest of a model's files: their names, sizes and both ends; small ones are seen whole.

    It costs the same for a model of any size, and copying the folder does not change it.
    """
    told = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.suffix in _TOLD_BY and path.is_file()):
        size = path.stat().st_size
        with path.open("rb") as file:
            ends = file.read(_END)
            file.seek(max(_END, size - _END))
            ends += file.read(_END)
        told.update(f"{path.name} {size} ".encode() + ends)
    return told.hexdigest()[:8]
