"""Real generations of the three domains, with everything their agents and users were sent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from eigen_airline.domain import Airline
from eigen_cli.api.backend import ROLES, BackendSettings, Reply, Request
from eigen_cli.api.generations import Generation
from eigen_cli.api.store import Store
from eigen_cli.episode.record import episode_id
from eigen_cli.episode.state import EpisodeKey
from eigen_cli.evolve.loop import evolve
from eigen_cli.evolve.runs import RunDomain, prepare
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.run.actors import Actors
from eigen_cli.run.plugins import load_plugins
from eigen_offline.backend import OfflineBackend
from eigen_retail.domain import Retail
from eigen_telecom.domain import Telecom

Asked = Mapping[tuple[str, str, int], Request]
"""What the models were sent, by episode, side and completion."""


class Overheard(OfflineBackend):
    """The offline actors, with what agents and users were sent."""

    def __init__(self) -> None:
        super().__init__(BackendSettings())
        self.asked: dict[tuple[str, str, int], Request] = {}

    async def complete(self, request: Request) -> Reply:
        key = request.key
        if request.role in ("agent", "user"):
            episode = episode_id(EpisodeKey(key.run, key.round, key.plan, key.task, key.trial, key.attempt, key.fork))
            self.asked[episode, request.role, key.turn] = request
        return await super().complete(request)


@dataclass
class Overhearing:
    """A sealed generation and what its models were sent."""

    store: Store
    generation: Generation
    asked: Asked = field(repr=False)


def overheard(store: Store, *, tasks: int = 24, trials: int = 3) -> Overhearing:
    """Evolve airline, retail and telecom for a round."""
    index = load_plugins()
    verifiers = {spec.name: index.load("verifier", spec.name)() for spec in index.specs("verifier")}
    backend = Overheard()
    run = prepare(
        EvolveSettings(rounds=1, tasks=tasks, trials=trials, plans=1, seed=4),
        [RunDomain.of(domain, verifiers) for domain in (Airline(), Retail(), Telecom())],
        actors=Actors(dict.fromkeys(ROLES, backend)),
        store=store,
    )
    (generation,) = asyncio.run(evolve(run, progress=lambda *_: None))
    return Overhearing(store, generation, backend.asked)
