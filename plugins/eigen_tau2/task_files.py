"""Task files of users: what `tau2_tasks` may name, as JSON objects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from eigen_cli.api.errors import ConfigError

_HINT = "tau2_tasks takes a JSON list of tau2-bench tasks, or AReaL-tau2-data RL rows as a JSON list or one a line"


def read_rows(path: Path) -> list[Any]:
    """Return the rows of a task file, as they are: a row that is no JSON object comes back as what it is, or as None.

    Raises `ConfigError` for a file that cannot be read or is something else altogether.
    """
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"tau2_tasks: {path} cannot be read ({why})", hint=_HINT) from None
    try:
        found = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        return _lines(path, content, why=str(error))
    if isinstance(found, dict) and "user_scenario" in found:
        return [found]  # a file of one line
    if isinstance(found, dict):
        keys = ", ".join(list(map(str, found))[:4]) or "no keys"
        raise ConfigError(f"tau2_tasks: {path} holds one object ({keys}), not a list of tasks", hint=_HINT)
    if not isinstance(found, list):
        raise ConfigError(f"tau2_tasks: {path} holds one {type(found).__name__}, not a list of tasks", hint=_HINT)
    if not found:
        raise ConfigError(f"tau2_tasks: {path} holds no task", hint=_HINT)
    return found


def _lines(path: Path, content: bytes, *, why: str) -> list[Any]:
    lines = [line for line in content.splitlines() if line.strip()]
    rows = list(map(_decoded, lines))
    if not any(isinstance(row, dict) for row in rows):
        what = "is empty" if not lines else f"is neither JSON ({why}) nor JSON Lines"
        raise ConfigError(f"tau2_tasks: {path} {what}", hint=_HINT)
    return rows


def _decoded(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def named(rows: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield each row with a name by which messages can point at it: its id, or its place."""
    for place, row in enumerate(rows, 1):
        own = row.get("id") if isinstance(row, dict) else None
        yield (own if isinstance(own, str) and own else f"row {place}"), row
