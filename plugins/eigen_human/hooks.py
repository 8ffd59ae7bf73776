"""Plugin hooks of the human backend."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_backends() -> Iterable[PluginSpec]:
    """Return the human backend."""
    return (
        PluginSpec(
            kind="backend",
            name="human",
            target="eigen_human.backend:HumanBackend",
            summary="A person at the terminal: words as they are typed, tools with /call",
        ),
    )
