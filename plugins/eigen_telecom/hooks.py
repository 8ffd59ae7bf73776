"""What eigen sees of this plugin before anyone uses it."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_domains() -> Iterable[PluginSpec]:
    """Return the telecom domain's spec."""
    return (
        PluginSpec(
            kind="domain",
            name="telecom",
            target="eigen_telecom.domain:Telecom",
            summary="A mobile carrier's help line, where the customer works on a phone with tools of its own",
        ),
    )
