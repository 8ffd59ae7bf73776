"""Plugin specs: what a hook returns so that listing plugins imports none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PluginKind = Literal["domain", "verifier", "backend", "trainer", "exporter"]
PLUGIN_KINDS: tuple[PluginKind, ...] = ("domain", "verifier", "backend", "trainer", "exporter")

API_VERSION = 1
"""The plugin API this host offers; raised on every incompatible change."""
OLDEST_API = 1
"""The oldest plugin API this host still runs."""


@dataclass(frozen=True)
class PluginSpec:
    """One plugin: `target` is `package.module:Class`, imported only when the plugin is used."""

    kind: PluginKind
    name: str
    target: str
    summary: str
    options: tuple[str, ...] = ()
    api: int = API_VERSION
