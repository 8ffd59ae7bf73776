"""Where commands meet the world outside: settings, plugins, and the one import of the registry."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigen_cli.api.releases import Hub
from eigen_cli.api.store import Store
from eigen_cli.run.config import load_config
from eigen_cli.run.sections import Config
from eigen_cli.version import VERSION

if TYPE_CHECKING:
    # 60 ms that commands which only read the registry need not pay.
    from eigen_cli.api.domain import Domain
    from eigen_cli.run.plugins import PluginIndex


def configured(flags: Mapping[str, tuple[str, Any]] | None = None) -> Config:
    """Return the effective settings of the working folder, environment and flags."""
    return load_config(folder=Path.cwd(), environ=os.environ, flags=flags)


def registry_folder(registry: str | None) -> Path:
    """Return the registry's folder; `registry` is the `--registry` flag's value."""
    return configured({"registry": ("--registry", registry)}).registry


def opened_store(registry: str | None) -> Store:
    """Open the registry that flag, environment or `eigen.toml` names."""
    return open_store(registry_folder(registry))


def open_store(folder: Path) -> Store:
    """Open the registry in a folder."""
    from eigen_registry import open_registry  # 110 ms: duckdb

    return open_registry(folder)


def open_hub() -> Hub:
    """Return the way to the Hugging Face Hub, or to the one that HF_ENDPOINT names."""
    from eigen_registry import open_hub

    return open_hub(eigen_version=VERSION, endpoint=os.environ.get("HF_ENDPOINT") or None)


def load_domain(index: PluginIndex, name: str, config: Config) -> Domain:
    """Return an instance of a domain plugin, opened with the settings its spec asks for."""
    wanted = index.find("domain", name).spec.options
    options = {key: value for key, value in config.domain_options.items() if key in wanted}
    return index.load("domain", name).opened(options)
