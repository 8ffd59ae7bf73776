"""What eigen sees of this plugin before anyone uses it."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_domains() -> Iterable[PluginSpec]:
    """Return the airline domain's spec."""
    return (
        PluginSpec(
            kind="domain",
            name="airline",
            target="eigen_airline.domain:Airline",
            summary="An airline's service desk: bookings, changes, cancellations, baggage, compensation",
        ),
    )
