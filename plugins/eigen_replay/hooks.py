"""Plugin hooks of the replay backend."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_backends() -> Iterable[PluginSpec]:
    """Return the replay backend."""
    return (
        PluginSpec(
            kind="backend",
            name="replay",
            target="eigen_replay.backend:ReplayBackend",
            summary="A cassette made with --record, played again exactly",
            options=("cassette",),
        ),
    )
