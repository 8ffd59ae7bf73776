"""Rows of AReaL-tau2-data's RL file: the benchmark's tasks, written by a data-set library.

What differs from the benchmark's JSON: `evaluation_criteria` is JSON in a string; every object is padded with nulls to
the keys any row has; ids repeat; a row may not say its domain, nor an action its requestor; `db_path` names a database
beside the file. Source: the data set's card and its users' adapters (2026).
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from eigen_cli.api.canonical import content_hash
from eigen_cli.api.errors import ConfigError
from eigen_tau2.bridged import Bridged
from eigen_tau2.known_ids import tool_kinds

_TASK_KEYS = ("id", "description", "user_scenario", "ticket", "initial_state", "evaluation_criteria")
_HINTS: Mapping[str, tuple[str, ...]] = {
    "airline": ("seed_pattern_task_id",),
    "retail": ("scenario_id",),
    "telecom": ("difficulty", "num_subtasks"),
}
"""Keys that only one domain's rows fill."""
_SHORT = 8


def is_row(value: Mapping[str, Any]) -> bool:
    """Whether a JSON object is such a row rather than a task of the benchmark."""
    return isinstance(value.get("evaluation_criteria"), str) or "db_path" in value


def domain_of(row: Mapping[str, Any]) -> str | None:
    """Return the domain a row is of: as it says, by keys only one domain's rows fill, or by its database's name."""
    told = _at(row, "user_scenario", "instructions", "domain") or row.get("domain")
    if isinstance(told, str) and told:
        return told
    for name, keys in _HINTS.items():
        if any(row.get(key) is not None for key in keys):
            return name
    path = str(row.get("db_path") or "").lower()
    return next((name for name in _HINTS if name in path), None)


def task_of_row(row: Mapping[str, Any], domain: Bridged) -> dict[str, Any]:
    """Return the benchmark's task a row is; raises `ValueError` for criteria that are no JSON object."""
    task = {key: value for key, value in row.items() if key in _TASK_KEYS and value is not None}
    task["id"] = str(row.get("id", ""))
    criteria = task.get("evaluation_criteria")
    if isinstance(criteria, str):
        try:
            criteria = msgspec.json.decode(criteria)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ValueError(f"its evaluation_criteria are a text that is no JSON: {error}") from None
    if not isinstance(criteria, dict):
        raise ValueError(f"its evaluation_criteria are {type(criteria).__name__}, not an object")
    task["evaluation_criteria"] = _with_requestors(_unpadded(criteria), domain)
    scenario, state = _unpadded(task.get("user_scenario")), _unpadded(task.get("initial_state"))
    if isinstance(scenario, dict) and isinstance(scenario.get("instructions"), dict):
        scenario["instructions"].setdefault("domain", domain.folder)
    return task | {"user_scenario": scenario} | ({"initial_state": state} if state else {})


def rest_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row says beyond the benchmark's task, and the id it came with."""
    return {"id": row.get("id")} | {
        key: value for key, value in row.items() if key not in _TASK_KEYS and value is not None
    }


def unique_ids(rows: Sequence[Any]) -> list[str]:
    """Return an id for each row: its own, or, where rows share one, its own and a digest of the row's content.

    A row's id depends on the row and on whether its own id is shared, not on its place; equal rows are numbered.
    """
    own = [str(row["id"]) if isinstance(row, dict) and row.get("id") is not None else "" for row in rows]
    shared, seen = Counter(own), Counter[str]()
    ids = []
    for name, row in zip(own, rows, strict=True):
        if shared[name] > 1 or not name:
            name = f"{name or 'row'}-{content_hash(row)[:_SHORT]}"
        seen[name] += 1
        ids.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return ids


class Databases:
    """The databases that a task file's rows stand on, registered with the domain as they are met."""

    def __init__(self, domain: Bridged, folder: Path) -> None:
        self._domain = domain
        self._folder = folder.resolve()
        self._seeds: dict[Path, int] = {}
        self._refused: dict[Path, str] = {}

    def seed(self, db_path: object) -> int:
        """Return the seed of the world made of a row's database; 0 where the row names none.

        Raises `ValueError` for a path that leaves the task file's folder, and for a file that is no database.
        """
        if db_path in (None, ""):
            return 0
        path = self._confined(db_path)
        if path in self._refused:
            raise ValueError(self._refused[path])
        if path not in self._seeds:
            try:
                self._seeds[path] = self._registered(path)
            except (ConfigError, OSError, ValueError, RecursionError, msgspec.DecodeError) as error:
                why = error.strerror if isinstance(error, OSError) else error
                self._refused[path] = f"its database {db_path!s:.80} cannot be used: {why}"
                raise ValueError(self._refused[path]) from None
        return self._seeds[path]

    def _confined(self, db_path: object) -> Path:
        if not isinstance(db_path, str) or "\0" in db_path:
            raise ValueError(f"its db_path is {db_path!r}, not the path of a file")
        try:
            path = (self._folder / db_path).resolve()
            a_file = path.is_file()  # reading a pipe would wait for ever
        except (OSError, RuntimeError):  # a link to itself, a name too long
            raise ValueError(f"its db_path {db_path!r:.80} leads nowhere") from None
        if Path(db_path).is_absolute() or not path.is_relative_to(self._folder):
            raise ValueError(f"its db_path {db_path!r} leaves the folder of the task file")
        if not a_file:
            raise ValueError(f"its db_path {db_path!r:.80} is no file")
        return path

    def _registered(self, path: Path) -> int:
        content = path.read_bytes()
        agent = tomllib.loads(content.decode()) if path.suffix == ".toml" else msgspec.json.decode(content)
        if not isinstance(agent, dict):
            raise ValueError(f"it holds one {type(agent).__name__}, not a database")
        official = self._domain.database(0)
        if agent == official["agent"]:
            return 0  # many rows stand on the official database
        database = {**official, "agent": agent}
        for _ in self._domain.records(database):
            pass  # refuses another schema here, where only this row is lost, and not when its world is opened
        if database not in self._domain.databases:
            self._domain.databases.append(database)
        return self._domain.databases.index(database) + 1


def _with_requestors(criteria: dict[str, Any], domain: Bridged) -> dict[str, Any]:
    """Give actions that do not say whose they are to the only side that has the tool."""
    kinds = tool_kinds(domain)
    actions = criteria.get("actions")
    for action in actions if isinstance(actions, list) else ():  # anything else is refused where criteria are read
        if isinstance(action, dict) and "requestor" not in action and isinstance(name := action.get("name"), str):
            users = name in kinds.get("user", {}) and name not in kinds["agent"]
            action["requestor"] = "user" if users else "assistant"
    return criteria


def _unpadded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unpadded(item) for key, item in value.items() if item is not None}
    return [_unpadded(item) for item in value] if isinstance(value, list) else value


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
