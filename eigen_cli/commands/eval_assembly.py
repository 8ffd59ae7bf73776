"""From settings and plugins to evaluations: which tasks, who plays, who judges, and where it is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eigen_cli.api.backend import RoleName
from eigen_cli.api.domain import Domain
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.evaluations import Evaluation
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.commands.run_assembly import actors_of, terms_of
from eigen_cli.commands.wiring import load_domain
from eigen_cli.evaluation.runs import EvalDomain, EvalRun, needed_verifiers
from eigen_cli.evaluation.selection import select
from eigen_cli.evaluation.settings import EvalSettings
from eigen_cli.run.actors import Actors
from eigen_cli.run.plugins import PluginIndex, load_plugins
from eigen_cli.run.sections import Config

PLAYED: tuple[RoleName, ...] = ("agent", "user", "judge")
MAILBOX = "mailbox"
"""The backend that `--dir` is for; others refuse an option they do not know."""


@dataclass(frozen=True)
class Played:
    """One of `--agent`, `--user`, `--judge`: a backend's name and, where it asks one, its model."""

    backend: str
    model: str

    @classmethod
    def of(cls, text: str) -> Played:
        """Read `NAME[:MODEL]`; a model's own name may hold colons."""
        backend, _, model = text.partition(":")
        return cls(backend, model)


def role_flags(flags: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
    """Return the settings that `--agent`, `--user` and `--judge` make, by key, each with its flag's spelling.

    A role that names a backend of its own takes nothing from `[backend]`, so the address and the model of the command
    line are handed to it here: they are meant for whoever asks a server, and `--dir` for whoever writes letters.
    """
    settings: dict[str, tuple[str, Any]] = {}
    for role in PLAYED:
        played: Played | None = flags[role]
        if played is not None:
            flag = f"--{role}"
            settings[f"roles.{role}.backend"] = (flag, played.backend)
            settings[f"roles.{role}.model"] = (flag, played.model or flags["model"])
            settings[f"roles.{role}.base_url"] = ("--base-url", flags["base_url"])
            if played.backend == MAILBOX and flags["folder"] is not None:
                settings[f"roles.{role}.options"] = ("--dir", {"dir": flags["folder"]})
    return settings


def assembled(
    names: Sequence[str], config: Config, settings: EvalSettings, store: Store, *, judge_named: bool, record: bool
) -> list[EvalRun]:
    """Return the evaluation of every domain; raises `PluginError` or `ConfigError` for what cannot be had.

    Everything is found before anything is paid for: an unknown split of the last domain stops the first. `record` says
    whether the cassette that settings name is written; that replaces the file.
    """
    index = load_plugins()
    actors = _actors(index, config, judge_named=judge_named)
    runs = []
    for name in names:
        domain = load_domain(index, name, config)
        selection = select(settings, domain, store)
        part = _part(index, domain, selection.tasks)
        run = EvalRun(settings, part, selection, actors, store)
        _ = run.scorings  # a domain that scores its tasks in different ways says so now
        runs.append(run)
    terms = terms_of(config, actors, record=record)
    return [replace(run, terms=terms) for run in runs]


def reassembled(evaluation: Evaluation, config: Config, store: Store) -> EvalDomain:
    """Return the domain of a stored evaluation as it is today, with the verifiers its tasks' scorings ask."""
    index = load_plugins()
    domain = load_domain(index, evaluation.body.domain, config)
    return _part(index, domain, tuple(store.evaluation_tasks(evaluation.hash)))


def _part(index: PluginIndex, domain: Domain, tasks: tuple[Task, ...]) -> EvalDomain:
    verifiers = {name: index.load("verifier", name)() for name in needed_verifiers(domain, tasks)}
    return EvalDomain.of(domain, verifiers)


def _actors(index: PluginIndex, config: Config, *, judge_named: bool) -> Actors:
    """Return who plays agent and user, and the judge, if there is one that can read: no simulator, no oracle."""
    roles = {role: config.roles[role] for role in PLAYED}
    try:
        actors = actors_of(index, replace(config, roles=roles))
    except ConfigError:
        if judge_named:
            raise
        # What `[backend]` says may not be enough for a judge, and nobody asked for one.
        del roles["judge"]
        actors = actors_of(index, replace(config, roles=roles))
    for backend in actors.distinct:
        if backend.assisted:
            raise ConfigError(
                f"{backend.identity} helps its model along, and an evaluation scores the model by itself",
                hint="leave out of its options what helps it (strict tool calls, for one)",
            )
    judge = actors.backends.get("judge")
    if judge is not None and (judge.simulated or judge.oracle):
        return Actors({role: backend for role, backend in actors.backends.items() if role != "judge"})
    return actors
