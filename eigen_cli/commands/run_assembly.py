"""From settings and plugins to a run: its domains, who plays the roles, who judges, and where it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eigen_cli.api.backend import ROLES, Backend, BackendSettings, RoleName
from eigen_cli.api.domain import Domain
from eigen_cli.api.episodes import Limits
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.generations import Generation
from eigen_cli.api.verifier import Verifier
from eigen_cli.commands.wiring import load_domain, open_store
from eigen_cli.console import Console
from eigen_cli.evolve.parent import Parent, parent_of
from eigen_cli.evolve.runs import Run, RunDomain, prepare
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.roles.episode_verifier import POLICY_PART
from eigen_cli.run.actors import Actors
from eigen_cli.run.budget import Allowance
from eigen_cli.run.cache import ResponseCache
from eigen_cli.run.cassette import CassetteRecorder
from eigen_cli.run.config import DEFAULTS
from eigen_cli.run.plugins import PluginIndex, load_plugins
from eigen_cli.run.sections import Config, RoleBackend
from eigen_cli.run.terms import Terms


def assembled(
    domains: str,
    config: Config,
    *,
    fresh: bool,
    record: bool = True,
    parent: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> Run:
    """Return the run that settings and domains (one name, or several joined by commas) name.

    `record`: whether the cassette that settings name is written, which replaces the file. `parent`: the generation it
    goes on from. Raises `RegistryError` where there is none of that name, `PluginError` or
    `ConfigError` for what cannot be had.
    """
    index = load_plugins()
    names = domain_names(domains)
    section = config.evolve
    if section.tasks < len(names):
        raise ConfigError(
            f"`evolve.tasks` is {section.tasks}, too few for {len(names)} domains",
            hint=f"give every domain at least one: --tasks {len(names)}",
        )
    settings = EvolveSettings(
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
        limits=limits,
    )
    opened = [load_domain(index, name, config) for name in names]
    actors, store = actors_of(index, config), open_store(config.registry)
    return prepare(
        settings,
        [RunDomain.of(domain, _verifiers(index, domain, config)) for domain in opened],
        actors=actors,
        store=store,
        parent=None if parent is None else parent_of(store, parent),
        terms=terms_of(config, actors, record=record),
    )


def domain_names(text: str) -> tuple[str, ...]:
    """Return the names in a list joined by commas; raise `ConfigError` for an empty one and for one given twice."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ConfigError(f"`{text}` has an empty name", hint="join domains by single commas: airline,retail")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"`{text}` names {twice} twice", hint="name each domain once")
    return names


def recast(config: Config, console: Console, roles: Sequence[RoleName] = ROLES) -> Config:
    """Return settings in which a backend given for all roles plays only those of `roles` that it can, and say so.

    The others go to the backend that plays where nothing is set. A role that names its backend keeps it.
    """
    default = DEFAULTS["backend.name"]
    shared = {role: wanted for role, wanted in config.roles.items() if role in roles and not wanted.named}
    name = next((wanted.backend for wanted in shared.values()), default)
    if name == default:
        return config
    playable = load_plugins().load("backend", name).roles
    spared = [role for role in shared if role not in playable]
    if not spared:
        return config
    played = ", ".join(role for role in shared if role in playable) or "none of these roles"
    console.note(f"{name} plays {played}; {default} plays {', '.join(spared)} (eigen.toml's [roles.…] sets others)")
    substitute = BackendSettings(concurrency=config.evolve.concurrency)
    return replace(config, roles={**config.roles, **{role: RoleBackend(role, default, substitute) for role in spared}})


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


def terms_of(config: Config, actors: Actors, *, record: bool) -> Terms:
    """Return on what terms the roles are asked. `record`: whether the cassette that settings name is written anew."""
    roles = {role: config.roles[role] for role in actors.backends}
    cassette = None
    if record and config.record is not None:
        cassette = CassetteRecorder(config.record, identities=actors.identities, simulated=actors.simulated)
    return Terms(
        prices={role: wanted.price for role, wanted in roles.items() if wanted.price is not None},
        temperatures={role: wanted.temperature for role, wanted in roles.items() if wanted.temperature is not None},
        budget=Allowance(config.budget.usd, config.budget.tokens),
        cache=None if config.cache is None else ResponseCache(config.cache),
        cassette=cassette,
    )


def warn_of_one_model(actors: Actors, console: Console, *, remedy: str) -> None:
    """Warn when one model plays agent, user and judge: it will judge its own mistakes kindly."""
    names = {actors.identities.get(role) for role in ("agent", "user", "judge")}
    if len(names) == 1 and not actors.simulated:
        console.warn(f"{names.pop()} plays agent, user and judge; {remedy}")


def _verifiers(index: PluginIndex, domain: Domain, config: Config) -> dict[str, Verifier]:
    # The clauses' guards are the core's own part of a reward, not a plugin's.
    names = {*domain.reward_training, *domain.reward_evaluation, *config.evolve.verifiers} - {POLICY_PART}
    return {name: index.load("verifier", name)() for name in sorted(names)}


def warn_of_benchmarks(run: Run, console: Console) -> None:
    """Warn where tasks would be made over a benchmark's own database, and say what keeps them off its test entities."""
    for part in run.domains:
        if part.domain.task_set() is None:
            continue
        guarded = (
            "those that name one of its reserved entities are rejected"
            if part.domain.benchmark_entities
            else "it reserves none, so nothing keeps them apart"
        )
        console.warn(
            f"{part.name} is a benchmark: tasks made in its world may touch the entities its own tasks test; {guarded}"
        )


def warn_of_parent(run: Run, parent: Parent, console: Console) -> None:
    """Warn where the generation a run goes on from is not all it was: ancestors unknown, a domain that has changed."""
    name, figures = parent.generation.id, parent.generation.body.by_domain
    if parent.missing:
        known = f"{len(parent.ancestors)} of {len(parent.ancestors) + parent.missing}"
        console.warn(
            f"the registry has {known} ancestors of {name}: what nearly repeats a task of the others is not turned down"
        )
    for part in run.domains:
        if figures[part.name].fingerprint != part.fingerprint:
            console.warn(f"{part.name} has changed since {name} was sealed; the new rounds are made in today's")


def note_overlaps(run: Run, generations: Sequence[Generation], console: Console) -> None:
    """Say how many proposals a domain with reserved entities turned down for naming one."""
    for part in run.domains:
        if part.domain.benchmark_entities:
            found = sum(g.body.by_domain[part.name].rejections.get("benchmark_overlap", 0) for g in generations)
            console.note(f"{part.name}: rejected as benchmark_overlap: {found}")
