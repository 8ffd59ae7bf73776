"""A run: what its identity is made of, where its journal lies, and what of it is sealed already."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eigen_cli.api.backend import Completer
from eigen_cli.api.canonical import SHORT
from eigen_cli.api.domain import Domain
from eigen_cli.api.generations import Generation
from eigen_cli.api.store import Store
from eigen_cli.api.verifier import Verifier
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.evolve.templates import templates_of
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import POLICY_PART, POLICY_VERSION
from eigen_cli.roles.prompting import prompt_versions
from eigen_cli.roles.task_verifier import VERSION as TASK_VERIFIER_VERSION
from eigen_cli.run.actors import Actors
from eigen_cli.run.journal import Journal
from eigen_cli.run.journal_files import rename_held
from eigen_cli.world.base import BaseCache
from eigen_cli.world.fingerprint import fingerprint_digest, fingerprint_of, playbook_digest
from eigen_cli.world.toolbox import Toolbox

SEALED = "sealed"
"""Kind of the journal notes that name sealed generations."""


@dataclass(frozen=True)
class Run:
    """The fixed parts of a run."""

    id: str
    settings: EvolveSettings
    domain: Domain
    toolbox: Toolbox
    verifiers: Mapping[str, Verifier]
    actors: Actors
    store: Store
    fingerprint: str
    """The domain's."""

    @property
    def journal_path(self) -> Path:
        """Where the run's calls are journaled."""
        return self.store.folder / "journals" / f"{self.id[:SHORT]}.journal"

    @property
    def verifier_versions(self) -> dict[str, str]:
        """Version by verifier, the task verifier and the policy guards among them."""
        versions = {name: verifier.version for name, verifier in self.verifiers.items()}
        return dict(sorted({**versions, POLICY_PART: POLICY_VERSION, "task": TASK_VERIFIER_VERSION}.items()))


def prepare(
    settings: EvolveSettings, domain: Domain, *, verifiers: Mapping[str, Verifier], actors: Actors, store: Store
) -> Run:
    """Return the run that settings, domain, verifiers and actors name."""
    toolbox = Toolbox(domain)
    run = Run(
        "", settings, domain, toolbox, verifiers, actors, store, fingerprint_digest(fingerprint_of(domain, toolbox))
    )
    # A model's run goes on when only the simulators' procedures change; a simulated one must not mix two of them.
    spoken = playbook_digest(domain) if actors.simulated else ""
    identity = settings.run_id(
        fingerprint=run.fingerprint + spoken,
        actors=actors.identities,
        prompts=prompt_versions(),
        verifiers=run.verifier_versions,
    )
    return Run(identity, settings, domain, toolbox, verifiers, actors, store, run.fingerprint)


def role_context(run: Run, completer: Completer) -> RoleContext:
    """Return what the run's roles share. Its label keys every call, so that a preview's calls are the run's own."""
    return RoleContext(
        run=f"{run.domain.name}:{run.settings.seed}",
        seed=run.settings.seed,
        domain=run.domain,
        templates=templates_of(run.domain, run.toolbox),
        toolbox=run.toolbox,
        bases=BaseCache(),
        completer=completer,
        verifiers=run.verifiers,
        limits=run.settings.limits,
        oracles=run.actors.oracles,
    )


def sealed_generations(run: Run, journal: Journal) -> list[Generation]:
    """Return the run's sealed generations from round 1 on, as far as the registry still has them."""
    hashes = {hash_ for _, hash_ in journal.texts(SEALED)}
    if not hashes:
        return []
    found = [generation for generation in run.store.generations() if generation.hash in hashes]
    by_round = {generation.body.round: generation for generation in found}
    sealed: list[Generation] = []
    while len(sealed) + 1 in by_round:
        sealed.append(by_round[len(sealed) + 1])
    return sealed


def set_aside(path: Path) -> None:
    """Rename a journal out of the way; its replies stay readable. Raises `RegistryError` while a run writes it."""
    if os.path.lexists(path):
        rename_held(path, ".old")
