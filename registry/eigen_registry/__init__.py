"""The registry: sealed generations and evaluations in DuckDB files, implementing `eigen_cli.api.store.Store`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eigen_cli.api.releases import Hub
    from eigen_cli.api.store import Store


def open_registry(folder: Path, *, patience: float = 30.0) -> Store:
    """Return the registry in a folder (`registry.duckdb` is its catalogue, `generations/` and `evaluations/` have what
    it names; journals lie in `journals/` beside them).

    Nothing is touched until it is used: reading makes no file, the first seal makes folder and files. `patience` is
    how many seconds to wait for a process that holds the catalogue.
    """
    # Imports DuckDB, about 100 ms of CPU: only commands that look into a registry should pay.
    from eigen_registry.store import DuckStore

    return DuckStore(folder, patience=patience)


def open_hub(*, eigen_version: str, endpoint: str | None = None, pause: float = 1.0) -> Hub:
    """Return the way to the Hugging Face Hub; nothing is asked of it yet.

    `endpoint` is its URL if it is not the public one, `pause` how many seconds to wait before a second attempt.
    """
    from eigen_registry.hub import HuggingFaceHub

    return HuggingFaceHub(eigen_version=eigen_version, endpoint=endpoint, pause=pause)
