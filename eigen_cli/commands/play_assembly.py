"""Who sits at the table of `eigen play`: a person, a backend, a task of the domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, RoleName
from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.domain import Domain
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_cli.commands.eval_assembly import Played
from eigen_cli.commands.wiring import load_domain
from eigen_cli.evaluation.runs import EvalDomain, needed_verifiers
from eigen_cli.evaluation.selection import EVERY, latest, of_generation, of_set
from eigen_cli.evaluation.settings import EvalSettings
from eigen_cli.evaluation.trials import evaluated
from eigen_cli.nearest import nearest_hint
from eigen_cli.run.actors import Actors
from eigen_cli.run.plugins import PluginIndex, load_plugins
from eigen_cli.run.sections import Config
from eigen_cli.testing.drafted import contract_context, drafted_tasks

Side = Literal["agent", "user"]


class Seats:
    """Answers each side's requests by whoever plays it; nothing is journaled, a game is over when it is over."""

    def __init__(self, backends: Mapping[RoleName, Backend]) -> None:
        self._backends = backends

    async def complete(self, request: Request) -> Reply:
        """Answer a request."""
        return await self._backends[request.role].complete(request)


@dataclass(frozen=True)
class Table:
    """A game about to begin."""

    part: EvalDomain
    task: Task
    actors: Actors
    other: str
    """The identity of the other side."""

    @property
    def domain(self) -> Domain:
        """The domain."""
        return self.part.domain

    async def played(self) -> EpisodeRecord:
        """Play to the end and return the episode, scored as an evaluation scores it by default."""
        context = self.part.context(EvalSettings(), Seats(self.actors.backends), self.actors)
        try:
            for backend in self.actors.distinct:
                await backend.start()
            trial = await evaluated(context, self.task, 0, attempts=1, judge=None)
        finally:
            for backend in self.actors.distinct:
                await backend.close()
        default = self.domain.scorings(self.task)[0].name
        return EpisodeRecord(trial.episode, EpisodeVerdict(trial.rewards.get(default), trial.parts), trial.usage)


def seated(
    name: str,
    config: Config,
    store: Store,
    *,
    side: Side,
    other: Played | None,
    base_url: str | None,
    task_id: str | None,
    generation: str | None,
    seed: int,
) -> Table:
    """Return the table: `side` is the person's. Raises `ConfigError` or `PluginError` for what cannot be had."""
    index = load_plugins()
    domain = load_domain(index, name, config)
    task = _task(domain, store, task_id=task_id, generation=generation, seed=seed)
    verifiers = {name: index.load("verifier", name)() for name in needed_verifiers(domain, (task,))}
    opposite: Side = "user" if side == "agent" else "agent"
    partner = _partner(index, config, opposite, other, base_url)
    backends: dict[RoleName, Backend] = {
        side: index.load("backend", "human")(BackendSettings()),
        opposite: partner,
    }
    return Table(EvalDomain.of(domain, verifiers), task, Actors(backends), partner.identity_for(opposite))


def _partner(index: PluginIndex, config: Config, role: RoleName, other: Played | None, base_url: str | None) -> Backend:
    wanted = config.roles[role]
    if other is None:
        return index.load("backend", wanted.backend)(wanted.settings)
    settings = wanted.settings
    return index.load("backend", other.backend)(
        BackendSettings(
            base_url=base_url or settings.base_url,
            model=other.model or settings.model,
            api_key_env=settings.api_key_env,
            connect_timeout=settings.connect_timeout,
            timeout=settings.timeout,
            max_retries=settings.max_retries,
            options=settings.options if other.backend == wanted.backend else {},
        )
    )


def _task(domain: Domain, store: Store, *, task_id: str | None, generation: str | None, seed: int) -> Task:
    """Return the task to play: of the domain's own set, of a generation, or drafted where there is neither."""
    tasks = _tasks(domain, store, generation) or [
        item.task for item in drafted_tasks(contract_context(domain, seed=seed), each=1)
    ]
    if not tasks:
        raise ConfigError(f"{domain.name} has no task to play", hint=f"`eigen evolve {domain.name}` makes some")
    if task_id is None:
        return derive_rng("play", seed).choice(tasks)
    exact = [task for task in tasks if task.id == task_id] or [task for task in tasks if task.id.startswith(task_id)]
    if len(exact) != 1:
        what = f"{len(exact)} tasks begin with" if exact else "there is no task"
        raise ConfigError(f"{what} {task_id}", hint=nearest_hint(task_id, (task.id for task in tasks)))
    return exact[0]


def _tasks(domain: Domain, store: Store, generation: str | None) -> Sequence[Task]:
    """Return the tasks there are; none where no generation is named and none has any."""
    if generation is not None:
        return of_generation(domain, store, store.generation(generation), split=EVERY).tasks
    task_set = domain.task_set()
    if task_set is not None:
        return of_set(domain, task_set, split=EVERY).tasks
    try:
        return of_generation(domain, store, latest(domain, store), split=EVERY).tasks
    except ConfigError:
        return ()
