"""The built-in verifiers."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_verifiers() -> Iterable[PluginSpec]:
    """Return the four built-in verifiers."""
    return (
        PluginSpec("verifier", "state", "eigen_verifiers.state:StateVerifier", "The final world equals the gold world"),
        PluginSpec("verifier", "checks", "eigen_verifiers.checks:ChecksVerifier", "The task's named checks hold"),
        PluginSpec(
            "verifier",
            "communicate",
            "eigen_verifiers.communicate:CommunicateVerifier",
            "The agent told what it had to",
        ),
        PluginSpec("verifier", "actions", "eigen_verifiers.actions:ActionsVerifier", "The gold calls were made"),
    )
