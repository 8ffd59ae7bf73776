"""What eigen sees of this plugin before anyone uses it."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_domains() -> Iterable[PluginSpec]:
    """Return the retail domain's spec."""
    return (
        PluginSpec(
            kind="domain",
            name="retail",
            target="eigen_retail.domain:Retail",
            summary="An online shop's service desk: cancellations, order changes, returns, exchanges, addresses",
        ),
    )
