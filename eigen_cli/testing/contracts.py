"""Contract checks: one line in a plugin's own tests says whether eigen can rely on it.

    def test_contract() -> None:
        check_domain(TidyLibrary())

Each check runs the plugin for real and raises `ContractError` with every breach it found. Some run an event loop, so
call them from plain functions. Verifiers, backends and exporters are judged with a domain's tasks: give the plugin's
own domain, or any installed one that has scenario templates.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eigen_cli.api.backend import Backend
from eigen_cli.api.domain import Domain
from eigen_cli.api.exporter import Exporter
from eigen_cli.api.trainer import Trainer
from eigen_cli.api.verifier import Verifier
from eigen_cli.roles.episode_verifier import POLICY_PART
from eigen_cli.run.plugins import load_plugins
from eigen_cli.testing.backend_contract import backend_breaches
from eigen_cli.testing.domain_contract import domain_findings
from eigen_cli.testing.drafted import contract_context
from eigen_cli.testing.examined import Finding
from eigen_cli.testing.exporter_contract import exporter_breaches
from eigen_cli.testing.trainer_contract import trainer_breaches
from eigen_cli.testing.verifier_contract import verifier_breaches


class ContractError(AssertionError):
    """A plugin breaks its contract; the message lists how."""

    def __init__(self, plugin: str, breaches: list[str]) -> None:
        super().__init__("\n".join([f"{plugin} breaks its contract:", *(f"- {breach}" for breach in breaches)]))
        self.breaches = tuple(breaches)


def check_domain(domain: Domain, *, seed: int = 0) -> None:
    """Check a domain: declarations, tools, generator, clauses, calls, templates, guards, checks and coverage.

    Its drafted tasks are judged by the task verifier with the installed verifiers of its reward basis. Advice passes.
    """
    found = examine_domain(domain, seed=seed)
    _conclude(f"the domain {domain.name}", (f"{item.contract}: {text}" for item in found for text in item.breaches))


def examine_domain(domain: Domain, *, seed: int = 0) -> Iterable[Finding]:
    """Yield what `check_domain` looks at, clause by clause, without raising for what it finds.

    Raises `PluginError` when a verifier of the domain's reward basis is not installed.
    """
    index = load_plugins()
    # The clauses' guards are the core's own part of a reward, not a plugin's.
    names = sorted({*domain.reward_training, *domain.reward_evaluation} - {POLICY_PART})
    return domain_findings(domain, {name: index.load("verifier", name)() for name in names}, seed=seed)


def check_verifier(verifier: Verifier, domain: Domain, *, seed: int = 0) -> None:
    """Check a verifier: pure, in [0, 1], full marks for gold, and less for at least one near miss it applies to.

    Near misses are gold without its last write, and silence.
    """
    _conclude(f"the verifier {verifier.name}", verifier_breaches(verifier, contract_context(domain, seed=seed)))


def check_backend(backend: Backend, domain: Domain, *, seed: int = 0) -> None:
    """Check a backend: an identity without addresses, usable replies, and several calls in flight at once.

    It is started, asked as an agent whose customer opens the call, and closed; a model backend needs its server.
    """
    breaches = asyncio.run(backend_breaches(backend, contract_context(domain, seed=seed)))
    _conclude(f"the backend {backend.identity}", breaches)


def check_exporter(exporter: Exporter, domain: Domain, *, seed: int = 0) -> None:
    """Check an exporter with a generation that holds passes, failures and rows without a reward, and an empty one."""
    _conclude(f"the exporter {exporter.name}", exporter_breaches(exporter, contract_context(domain, seed=seed)))


def check_trainer(trainer: Trainer, recipe: Mapping[str, Any], data: Path) -> None:
    """Check a trainer's plan for a recipe: pure, inside its working folder, without secrets. Launches nothing."""
    with tempfile.TemporaryDirectory() as workdir:
        breaches = list(trainer_breaches(trainer, recipe, data, Path(workdir)))
    _conclude(f"the trainer {type(trainer).__name__}", breaches)


def _conclude(plugin: str, breaches: Iterable[str]) -> None:
    if found := list(breaches):
        raise ContractError(plugin, found)
