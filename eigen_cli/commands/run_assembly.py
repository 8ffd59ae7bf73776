"""From settings and plugins to a run: the domain, who plays the roles, who judges, and where it is stored."""

from __future__ import annotations

from eigen_cli.api.backend import Backend, BackendSettings
from eigen_cli.api.domain import Domain
from eigen_cli.api.verifier import Verifier
from eigen_cli.commands.wiring import load_domain, open_store
from eigen_cli.console import Console
from eigen_cli.evolve.runs import Run, prepare
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.roles.episode_verifier import POLICY_PART
from eigen_cli.run.actors import Actors
from eigen_cli.run.config import Config
from eigen_cli.run.plugins import PluginIndex, load_plugins


def assembled(domain_name: str, config: Config, *, fresh: bool) -> Run:
    """Return the run that settings name; raises `PluginError` or `ConfigError` for what cannot be had."""
    index = load_plugins()
    domain = load_domain(index, domain_name, config)
    section = config.evolve
    settings = EvolveSettings(
        domain=domain_name,
        rounds=section.rounds,
        tasks=section.tasks,
        trials=section.trials,
        seed=section.seed,
        plans=section.plans,
        probe=section.probe,
        repairs=section.repairs,
        attempts=section.attempts,
        concurrency=section.concurrency,
        world_size=section.world_size,
        validation=section.validation,
        evolution=section.evolution,
        fresh=fresh,
    )
    return prepare(
        settings,
        domain,
        verifiers=_verifiers(index, domain, config),
        actors=actors_of(index, config),
        store=open_store(config.registry),
    )


def actors_of(index: PluginIndex, config: Config) -> Actors:
    """Return the roles' backends; roles with equal settings share one instance, and so its connections."""
    made: list[tuple[str, BackendSettings, Backend]] = []
    backends = {}
    for role, wanted in config.roles.items():
        known = next((b for name, settings, b in made if (name, settings) == (wanted.backend, wanted.settings)), None)
        if known is None:
            known = index.load("backend", wanted.backend)(wanted.settings)
            made.append((wanted.backend, wanted.settings, known))
        backends[role] = known
    return Actors(backends)


def warn_of_one_model(run: Run, config: Config, console: Console) -> None:
    """Warn when one model plays agent, user and judge: it will judge its own mistakes kindly."""
    played = {run.actors.backends[role].identity for role in ("agent", "user", "judge")}
    if len(played) == 1 and not run.actors.simulated:
        model = config.roles["agent"].settings.model
        console.warn(f"{model} plays agent, user and judge; give [roles.user] or [roles.judge] another in eigen.toml")


def _verifiers(index: PluginIndex, domain: Domain, config: Config) -> dict[str, Verifier]:
    # The clauses' guards are the core's own part of a reward, not a plugin's.
    names = {*domain.reward_training, *domain.reward_evaluation, *config.evolve.verifiers} - {POLICY_PART}
    return {name: index.load("verifier", name)() for name in sorted(names)}
