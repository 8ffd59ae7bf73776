"""What eigen sees of this package before anyone uses it."""

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_domains() -> Iterable[PluginSpec]:
    """Return the benchmark, twice over."""
    return [
        PluginSpec("domain", "kiosk", "eigen_kiosk.domain:Kiosk", "A library's kiosk, as a benchmark"),
        PluginSpec("domain", "kiosk-two", "eigen_kiosk.domain:KioskTwo", "The same in another world"),
    ]


@hookimpl
def eigen_verifiers() -> Iterable[PluginSpec]:
    """Return what reads the dialogue."""
    return [PluginSpec("verifier", "manners", "eigen_kiosk.manners:Manners", "Statements about the dialogue")]


@hookimpl
def eigen_backends() -> Iterable[PluginSpec]:
    """Return the actors."""
    return [
        PluginSpec("backend", "script", "eigen_kiosk.actors:Script", "Plays agent and user by the task's gold"),
        PluginSpec("backend", "reader", "eigen_kiosk.actors:Reader", "Judges statements by their own words"),
    ]
