"""Plugin hooks of the oracle and the null agents."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_backends() -> Iterable[PluginSpec]:
    """Return the oracle, for both sides, and three agents that do nothing."""
    return (
        PluginSpec(
            "backend", "oracle", "eigen_oracle.oracle:OracleBackend", "Agent and user who follow the task's gold"
        ),
        PluginSpec(
            "backend", "null-silence", "eigen_oracle.null:SilentAgent", "An agent that only ever asks for patience"
        ),
        PluginSpec(
            "backend", "null-transfer", "eigen_oracle.null:TransferringAgent", "An agent that hands over at once"
        ),
        PluginSpec(
            "backend", "null-refusal", "eigen_oracle.null:RefusingAgent", "An agent that refuses whatever is asked"
        ),
    )
