"""What eigen sees of this package before anyone uses it."""

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_domains() -> Iterable[PluginSpec]:
    """Return the parcel counter."""
    return [PluginSpec("domain", "parcels", "eigen_parcels.domain:Parcels", "A parcel counter")]


@hookimpl
def eigen_backends() -> Iterable[PluginSpec]:
    """Return its clerk."""
    return [
        PluginSpec("backend", "clerk", "eigen_parcels.clerk:Clerk", "An agent for the parcel counter that never errs")
    ]
