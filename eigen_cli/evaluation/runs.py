"""An evaluation before it runs: its fixed parts, what its identity is made of, and where its journal lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from eigen_cli.api.backend import Completer
from eigen_cli.api.canonical import SHORT, content_hash
from eigen_cli.api.domain import Domain
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.api.verifier import Verifier
from eigen_cli.evaluation.scoring import scorings_of, verifiers_of
from eigen_cli.evaluation.selection import Selection
from eigen_cli.evaluation.settings import EvalSettings
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import POLICY_PART, POLICY_VERSION
from eigen_cli.roles.prompting import load_prompt
from eigen_cli.roles.statement_judge import PROMPT
from eigen_cli.run.actors import Actors
from eigen_cli.run.terms import Terms
from eigen_cli.world.base import BaseCache
from eigen_cli.world.fingerprint import fingerprint_digest, fingerprint_of, playbook_digest
from eigen_cli.world.toolbox import Toolbox


@dataclass(frozen=True)
class EvalDomain:
    """A domain as an evaluation uses it."""

    domain: Domain
    toolbox: Toolbox
    verifiers: Mapping[str, Verifier]
    """Those its scorings ask, by name."""
    fingerprint: str

    @staticmethod
    def of(domain: Domain, verifiers: Mapping[str, Verifier]) -> EvalDomain:
        """Return the domain with what an evaluation makes of it."""
        toolbox = Toolbox(domain)
        return EvalDomain(domain, toolbox, verifiers, fingerprint_digest(fingerprint_of(domain, toolbox)))

    @property
    def verifier_versions(self) -> dict[str, str]:
        """Version by verifier, that of the policy guards among them."""
        versions = {name: verifier.version for name, verifier in self.verifiers.items()}
        return dict(sorted({**versions, POLICY_PART: POLICY_VERSION}.items()))

    def context(self, settings: EvalSettings, completer: Completer, actors: Actors | None = None) -> RoleContext:
        """Return what the roles share."""
        return RoleContext(
            run=f"eval:{self.domain.name}:{settings.seed}",
            seed=settings.seed,
            domain=self.domain,
            templates={},
            toolbox=self.toolbox,
            bases=BaseCache(),
            completer=completer,
            verifiers=self.verifiers,
            limits=settings.limits,
            oracles=actors.oracles if actors else frozenset(),
        )


@dataclass(frozen=True)
class EvalRun:
    """The fixed parts of the evaluation of one domain."""

    settings: EvalSettings
    part: EvalDomain
    selection: Selection
    actors: Actors
    """Agent, user and, where statements may be judged, judge."""
    store: Store
    terms: Terms = field(default_factory=Terms)

    @cached_property
    def journal_id(self) -> str:
        """The digest that names the journal: of what every reply depends on.

        Which tasks and how many trials are not part of it, and neither is the judge, whose identity is in the keys of
        its calls. So a wider evaluation of the same agent and user asks only what is new.
        """
        actors = {role: name for role, name in self.actors.identities.items() if role != "judge"}
        spoken = playbook_digest(self.part.domain) if self.actors.simulated else ""
        subject = (self.part.domain.name, self.settings.seed, self.settings.checkpoint, self.settings.limits)
        return content_hash(("eval", subject, actors, self.part.fingerprint + spoken))

    @cached_property
    def id(self) -> str:
        """The digest that names the evaluation: equal tasks, trials, actors, prompts and verifiers share it."""
        settings, selection = self.settings, self.selection
        sizes = (settings.trials, settings.attempts, selection.split, selection.release)
        judged = selection.generation.hash if selection.generation else None
        versions = self.part.verifier_versions
        content = (sizes, judged, [content_hash(task) for task in selection.tasks], selection.skipped)
        return content_hash(
            (self.journal_id, content, self.actors.identities, self.temperatures, eval_prompts(), versions)
        )

    @property
    def temperatures(self) -> dict[str, float]:
        """Sampling temperature by role, where one is set."""
        return dict(sorted(self.terms.temperatures.items()))

    @property
    def journal_path(self) -> Path:
        """Where the calls are journaled."""
        return self.store.folder / "journals" / f"{self.journal_id[:SHORT]}.journal"

    @property
    def judge(self) -> str | None:
        """The identity of the model that decides statements, or None."""
        return self.actors.identities.get("judge")

    @property
    def scorings(self) -> tuple[str, ...]:
        """The names of the domain's scorings, the default first."""
        return scorings_of(self.part.domain, self.selection.tasks)


def eval_prompts() -> dict[str, str]:
    """Return the version of every prompt an evaluation sends, by name."""
    names = ("agent", "customer_tools", "user", "own_tools", PROMPT)
    return {name: load_prompt(name).version for name in names}


def needed_verifiers(domain: Domain, tasks: tuple[Task, ...]) -> list[str]:
    """Return the verifier plugins the tasks' scorings ask; the clauses' guards are the core's own."""
    return sorted(verifiers_of(domain, tasks) - {POLICY_PART})
