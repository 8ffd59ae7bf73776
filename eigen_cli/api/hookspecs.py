"""The hooks a plugin may implement, one a kind. Each returns specs and imports nothing heavy.

A plugin package registers the module that holds its hooks under the entry-point group `eigen`:

    [project.entry-points.eigen]
    my_domain = "my_package.hooks"
"""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from eigen_cli.api.specs import PluginSpec

hookspec = pluggy.HookspecMarker("eigen")
hookimpl = pluggy.HookimplMarker("eigen")


@hookspec
def eigen_domains() -> Iterable[PluginSpec]:
    """Return specs of domains (`eigen_cli.api.domain.Domain`)."""
    return ()


@hookspec
def eigen_verifiers() -> Iterable[PluginSpec]:
    """Return specs of verifiers (`eigen_cli.api.verifier.Verifier`)."""
    return ()


@hookspec
def eigen_backends() -> Iterable[PluginSpec]:
    """Return specs of backends (`eigen_cli.api.backend.Backend`)."""
    return ()


@hookspec
def eigen_trainers() -> Iterable[PluginSpec]:
    """Return specs of trainers (`eigen_cli.api.trainer.Trainer`)."""
    return ()


@hookspec
def eigen_exporters() -> Iterable[PluginSpec]:
    """Return specs of exporters (`eigen_cli.api.exporter.Exporter`)."""
    return ()
