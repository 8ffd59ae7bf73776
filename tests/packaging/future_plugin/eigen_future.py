"""A domain that needs an API nobody has yet."""

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import API_VERSION, PluginSpec


@hookimpl
def eigen_domains() -> list[PluginSpec]:
    """Return a domain from the future."""
    return [PluginSpec("domain", "tomorrow", "eigen_future:Tomorrow", "Not yet", api=API_VERSION + 1)]
