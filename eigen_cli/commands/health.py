"""What `eigen doctor` looks at, one function a question."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from eigen_cli.api.errors import BackendUnreachableError, EigenError
from eigen_cli.commands.wiring import open_store
from eigen_cli.run.plugins import PluginIndex, incompatibility, load_plugins
from eigen_cli.run.sections import Config, RoleBackend, Setting
from eigen_cli.version import VERSION

_LIBRARIES = ("aiohttp", "click", "duckdb", "msgspec", "pluggy", "tenacity")
_LOW_DISK = 1 << 30
"""Free bytes below which a run of a few thousand episodes may not fit."""


@dataclass(frozen=True)
class Check:
    """One question's answer. `unreachable` marks a failure that is somebody else's server."""

    name: str
    status: Literal["ok", "warning", "failed"]
    detail: str
    unreachable: bool = False


def examine(config: Config) -> Iterator[Check]:
    """Ask everything: versions, plugins, registry, variables, and every configured backend."""
    yield Check("eigen", "ok", f"{VERSION} on Python {platform.python_version()}, {platform.system()}")
    yield _libraries()
    yield _full_text_search()
    index = load_plugins()
    yield from _plugins(index)
    yield _registry(config.registry)
    yield _disk(config.registry)
    for name, hint in config.unknown_variables.items():
        yield Check("environment", "warning", f"{name} is no setting; {hint}".rstrip("; "))
    yield from _backends(index, config)


def key_check(config: Config) -> Iterator[Check]:
    """Say of each variable that holds a key whether it is set, never what it holds."""
    for name in dict.fromkeys(role.settings.api_key_env for role in config.roles.values() if role.settings.api_key_env):
        yield Check("key", "ok", f"{name} is {'set' if os.environ.get(name) else 'not set'}")


def effective_settings(config: Config) -> list[Setting]:
    """Return every setting with its source; roles that agree are shown once, and addresses without credentials."""
    own = [setting for setting in config.settings if not setting.key.startswith("roles.")]
    by_role: dict[tuple[tuple[str, str, str], ...], list[str]] = {}
    values: dict[str, dict[str, Setting]] = {role: {} for role in config.roles}
    for setting in config.settings:
        if setting.key.startswith("roles."):
            _, role, name = setting.key.split(".", 2)
            values[role][name] = setting
    for role, settings in values.items():
        same = tuple((name, repr(setting.value), setting.source) for name, setting in settings.items())
        by_role.setdefault(same, []).append(role)
    for roles in by_role.values():
        label = "backend" if len(roles) == len(values) else f"roles.{'+'.join(roles)}"
        # A role's `backend` is the `name` of the table that holds for all of them.
        named = {"backend": "name"} if label == "backend" else {}
        own += [_safe(label, named.get(name, name), setting) for name, setting in values[roles[0]].items()]
    return own


def _safe(label: str, name: str, setting: Setting) -> Setting:
    value = setting.value
    if name == "base_url" and value:
        parts = [urlsplit(address.strip()) for address in value.split(",")]
        value = ",".join(urlunsplit(part._replace(netloc=part.netloc.rpartition("@")[2])) for part in parts)
    elif name == "options" and value:
        # Free-form, so it may hold a secret whatever we advise: names only.
        value = dict.fromkeys(value, "set")
    return Setting(f"{label}.{name}", value, setting.source)


def _libraries() -> Check:
    versions, missing = [], []
    for name in _LIBRARIES:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Check("libraries", "failed", f"missing: {', '.join(missing)}; reinstall eigen-cli")
    return Check("libraries", "ok", ", ".join(versions))


def _full_text_search() -> Check:
    with contextlib.closing(sqlite3.connect(":memory:")) as con:
        try:
            con.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        except sqlite3.Error:
            return Check("sqlite", "warning", "built without FTS5: `eigen show --find` needs another build of Python")
    return Check("sqlite", "ok", f"{sqlite3.sqlite_version} with full-text search")


def _plugins(index: PluginIndex) -> Iterator[Check]:
    yield Check("plugins", "ok", f"{len(index.plugins)} usable")
    for broken in index.broken:
        yield Check("plugins", "warning", f"{broken.entry_point} of {broken.distribution} is broken: {broken.reason}")
    for plugin in index.incompatible:
        what = f"{plugin.spec.kind} {plugin.spec.name} of {plugin.distribution}"
        yield Check("plugins", "warning", f"{what} {incompatibility(plugin.spec)}")
    for plugin in index.duplicates:
        what = f"{plugin.spec.kind} {plugin.spec.name}"
        yield Check("plugins", "failed", f"{what} of {plugin.distribution} has a namesake in another package")


def _registry(folder: Path) -> Check:
    try:
        count = len(open_store(folder).generations())
    except EigenError as error:
        return Check("registry", "failed", f"{error.message}; {error.hint or ''}".rstrip("; "))
    existing = _nearest_existing(folder)
    if not os.access(existing, os.W_OK):
        return Check("registry", "warning", f"{folder}: {count} generations, read-only")
    return Check("registry", "ok", f"{folder}: {count} generations")


def _disk(folder: Path) -> Check:
    free = shutil.disk_usage(_nearest_existing(folder)).free
    status: Literal["ok", "warning"] = "ok" if free >= _LOW_DISK else "warning"
    return Check("disk", status, f"{free / (1 << 30):.1f} GiB free")


def _nearest_existing(folder: Path) -> Path:
    return next((path for path in (folder, *folder.absolute().parents) if path.exists()), Path("/"))


def _backends(index: PluginIndex, config: Config) -> Iterator[Check]:
    asked: set[tuple[str, str, str]] = set()
    for role in config.roles.values():
        address = (role.backend, role.settings.base_url, role.settings.model)
        if address not in asked:
            asked.add(address)
            yield _backend(index, role)


def _backend(index: PluginIndex, role: RoleBackend) -> Check:
    name = f"backend {role.backend}"
    try:
        backend = index.load("backend", role.backend)(role.settings)

        async def answers() -> None:
            try:
                await backend.examine()
            finally:
                await backend.close()

        asyncio.run(answers())
    except BackendUnreachableError as error:
        return Check(name, "failed", error.message, unreachable=True)
    except EigenError as error:
        return Check(name, "failed", f"{error.message}; {error.hint or ''}".rstrip("; "))
    except Exception as error:  # a plugin may raise anything
        return Check(name, "failed", f"{type(error).__name__}: {error}")
    return Check(name, "ok", f"{backend.identity}{', SIMULATED' if backend.simulated else ''}")
