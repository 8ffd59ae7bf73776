"""Plugin hooks of the tau2 bridge; nothing of it is imported before it is used."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec

_OPTIONS = ("tau2_data", "tau2_tasks")


@hookimpl
def eigen_domains() -> Iterable[PluginSpec]:
    """Return the three official domains; they open where the benchmark's data is found."""
    return tuple(
        PluginSpec(
            kind="domain",
            name=f"tau2-{name}",
            target=f"eigen_tau2.{name}:Tau2{name.title()}",
            summary=f"tau2-bench's {name}: official database, policy, tasks and splits",
            options=_OPTIONS,
        )
        for name in ("airline", "retail", "telecom")
    )
