"""A run: what its identity is made of, where its journal lies, and what of it is sealed already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from eigen_cli.api.backend import CallKey, Completer
from eigen_cli.api.canonical import SHORT
from eigen_cli.api.domain import Domain
from eigen_cli.api.generations import Generation
from eigen_cli.api.store import Store
from eigen_cli.api.verifier import Verifier
from eigen_cli.evolve.parent import Parent
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.evolve.templates import templates_of
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import POLICY_PART, POLICY_VERSION
from eigen_cli.roles.prompting import prompt_versions
from eigen_cli.roles.task_verifier import VERSION as TASK_VERIFIER_VERSION
from eigen_cli.run.actors import Actors
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal
from eigen_cli.run.terms import NO_TERMS, Terms
from eigen_cli.world.base import BaseCache
from eigen_cli.world.fingerprint import fingerprint_digest, fingerprint_of, playbook_digest
from eigen_cli.world.toolbox import Toolbox

SEALED = "sealed"
"""Kind of the journal notes that name sealed generations."""


@dataclass(frozen=True)
class RunDomain:
    """A domain as a run uses it: its tools made, its verifiers chosen, its parts fingerprinted."""

    domain: Domain
    toolbox: Toolbox
    verifiers: Mapping[str, Verifier]
    """Those asked about its episodes, by name."""
    fingerprint: str

    @staticmethod
    def of(domain: Domain, verifiers: Mapping[str, Verifier]) -> RunDomain:
        """Return the domain with what a run makes of it."""
        toolbox = Toolbox(domain)
        return RunDomain(domain, toolbox, verifiers, fingerprint_digest(fingerprint_of(domain, toolbox)))

    @property
    def name(self) -> str:
        """The domain's name."""
        return self.domain.name


@dataclass(frozen=True)
class Run:
    """The fixed parts of a run."""

    id: str
    settings: EvolveSettings
    domains: tuple[RunDomain, ...]
    """In the order of their names."""
    actors: Actors
    store: Store
    terms: Terms = NO_TERMS
    """On what terms calls are made; of these only temperatures are part of the identity."""
    parent: Parent | None = None
    """The generation it goes on from, if any."""

    @property
    def first(self) -> int:
        """The number of its first round."""
        return self.parent.round + 1 if self.parent else 1

    @property
    def last(self) -> int:
        """The number of its last round."""
        return self.first + self.settings.rounds - 1

    @property
    def content(self) -> Mapping[str, int | float | str | bool]:
        """The settings that change content, and what must be said of a parent besides its hash."""
        return {**self.settings.content(), **(self.parent.content() if self.parent else {})}

    def calls(self, journal: Journal) -> RecordedBackends:
        """Return the run's completer over its journal; an async context manager."""
        return RecordedBackends(self.actors.backends, journal, concurrency=self.settings.concurrency, terms=self.terms)

    @property
    def domain(self) -> str:
        """The domains' names, joined by commas."""
        return ",".join(part.name for part in self.domains)

    @property
    def identities(self) -> dict[str, str]:
        """Who plays each role, the temperature it was given included."""
        named = dict(self.actors.identities)
        for role, temperature in self.terms.temperatures.items():
            named[role] = f"{named[role]} at {temperature:g}"
        return named

    @property
    def fingerprint(self) -> str:
        """The domains' fingerprints, joined by commas."""
        return ",".join(part.fingerprint for part in self.domains)

    @property
    def journal_path(self) -> Path:
        """Where the run's calls are journaled."""
        return self.store.folder / "journals" / f"{self.id[:SHORT]}.journal"

    @property
    def verifier_versions(self) -> dict[str, str]:
        """Version by verifier, the task verifier and the policy guards among them."""
        versions = {name: verifier.version for part in self.domains for name, verifier in part.verifiers.items()}
        return dict(sorted({**versions, POLICY_PART: POLICY_VERSION, "task": TASK_VERIFIER_VERSION}.items()))


def prepare(
    settings: EvolveSettings,
    domains: Iterable[RunDomain],
    *,
    actors: Actors,
    store: Store,
    terms: Terms = NO_TERMS,
    parent: Parent | None = None,
) -> Run:
    """Return the run that settings, domains (of different names, in any order), actors and temperatures name.

    With a parent it goes on from there; raises `ConfigError` where it cannot.
    """
    run = Run("", settings, tuple(sorted(domains, key=lambda part: part.name)), actors, store, terms, parent)
    if parent is not None:
        parent.check(run.domain, settings)
    # A model's run goes on when only the simulators' procedures change; a simulated one must not mix two of them.
    spoken = "".join(playbook_digest(part.domain) for part in run.domains) if actors.simulated else ""
    identity = settings.run_id(
        run.domain,
        fingerprint=run.fingerprint + spoken,
        actors=run.identities,
        prompts=prompt_versions(),
        verifiers=run.verifier_versions,
        parent=parent.identity if parent else "",
    )
    return replace(run, id=identity)


def role_context(run: Run, part: RunDomain, completer: Completer) -> RoleContext:
    """Return what the roles of one of a run's domains share.

    Its label keys every call, so that a preview's calls are the run's own and no two domains' calls have one key.
    """
    return RoleContext(
        run=f"{part.name}:{run.settings.seed}",
        seed=run.settings.seed,
        domain=part.domain,
        templates=templates_of(part.domain, part.toolbox),
        toolbox=part.toolbox,
        bases=BaseCache(),
        completer=completer,
        verifiers=part.verifiers,
        limits=run.settings.limits,
        oracles=run.actors.oracles,
        reads_tasks=run.actors.read("task_verifier"),
    )


def domain_of_call(key: CallKey) -> str:
    """Return the name of the domain whose roles made a call: what `role_context` put into its label."""
    return key.run.rpartition(":")[0]


def sealed_generations(run: Run, journal: Journal) -> list[Generation]:
    """Return the run's sealed generations from its first round on, as far as the registry still has them."""
    hashes = {hash_ for _, hash_ in journal.texts(SEALED)}
    if not hashes:
        return []
    found = [generation for generation in run.store.generations() if generation.hash in hashes]
    by_round = {generation.body.round: generation for generation in found}
    sealed: list[Generation] = []
    while run.first + len(sealed) in by_round:
        sealed.append(by_round[run.first + len(sealed)])
    return sealed
