"""Plugin hooks of the offline backend."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_backends() -> Iterable[PluginSpec]:
    """Return the offline backend."""
    return (
        PluginSpec(
            kind="backend",
            name="offline",
            target="eigen_offline.backend:OfflineBackend",
            summary="Simulated actors (SIMULATED): deterministic, no model, never training data",
            options=("skill", "user", "defects", "deaf"),
        ),
    )
