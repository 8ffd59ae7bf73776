"""The registry: sealed generations and evaluations in one DuckDB file, implementing `eigen_cli.api.store.Store`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eigen_cli.api.store import Store


def open_registry(folder: Path, *, patience: float = 30.0) -> Store:
    """Return the registry in a folder (`registry.duckdb`; journals lie in `journals/` beside it).

    Nothing is touched until it is used: reading makes no file, the first seal makes folder and file. `patience` is
    how many seconds to wait for a process that holds the file.
    """
    # Imports DuckDB, about 100 ms of CPU: only commands that look into a registry should pay.
    from eigen_registry.store import DuckStore

    return DuckStore(folder, patience=patience)
