"""What eigen sees of this package before anyone uses it."""

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_domains() -> Iterable[PluginSpec]:
    """Return the parcel counter."""
    return [PluginSpec("domain", "parcels", "eigen_parcels.domain:Parcels", "A parcel counter")]
