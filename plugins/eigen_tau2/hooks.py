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


@hookimpl
def eigen_exporters() -> Iterable[PluginSpec]:
    """Return the exporter of tau2-bench's task file."""
    return (
        PluginSpec(
            kind="exporter",
            name="tau2",
            target="eigen_tau2.export:Tau2Exporter",
            summary="Tasks as tau2-bench's task JSON, with a list of what it cannot say",
        ),
    )


@hookimpl
def eigen_verifiers() -> Iterable[PluginSpec]:
    """Return what tau2-bench's evaluators decide, and the same questions decided rightly."""
    official = (
        ("tau2-db", "DatabaseVerifier", "As tau2-bench: both databases end as its gold replay leaves them"),
        ("tau2-env", "EnvironmentVerifier", "As tau2-bench: the environment assertions hold"),
        ("tau2-action", "ActionVerifier", "As tau2-bench: some call loosely matches each gold call"),
        ("tau2-communicate", "CommunicateVerifier", "As tau2-bench: each text stands in a message of the agent"),
        ("tau2-nl", "StatementsVerifier", "Statements about the conversation, left to a judge"),
    )
    corrected = (
        ("tau2-state", "StateVerifier", "Episode and gold, run again without upstream defects, come to the same"),
        ("tau2-strict-action", "StrictActionVerifier", "Each gold call was made, successfully, by its own side"),
    )
    return (
        *(PluginSpec("verifier", name, f"eigen_tau2.verifiers:{cls}", what) for name, cls, what in official),
        *(PluginSpec("verifier", name, f"eigen_tau2.verifiers_corrected:{cls}", what) for name, cls, what in corrected),
    )
