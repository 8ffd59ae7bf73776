"""The generation a run goes on from, and whether a run's settings can go on from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from eigen_cli.api.episodes import Limits
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.generations import Generation
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.store import Store
from eigen_cli.evolve.lineage import Lineage
from eigen_cli.evolve.settings import EvolveSettings

MISSING = "ancestors_missing"
"""The setting that counts the ancestors whose tasks were not known; absent where all were."""
_SWITCHES = ("validation", "evolution")


@dataclass(frozen=True)
class Parent:
    """A sealed generation whose next round is to be made, and as much of its line as the registry has."""

    generation: Generation
    ancestors: tuple[Generation, ...]
    """Its parent first."""
    plans: tuple[PlanRecord, ...]
    """All that were sealed with it."""

    @property
    def round(self) -> int:
        """The round it is the outcome of."""
        return self.generation.body.round

    @property
    def missing(self) -> int:
        """How many of its ancestors the registry lacks: it cannot tell what nearly repeats one of their tasks.

        Counted from the oldest it has, so that a run and one that goes on from its last generation count the same.
        """
        oldest = (self.generation, *self.ancestors)[-1].body
        return 0 if oldest.parent is None else max(oldest.round - 1, 1)

    @property
    def identity(self) -> str:
        """All of it that decides what comes next."""
        return f"{self.generation.hash}/{self.missing}"

    def content(self) -> Mapping[str, int]:
        """Return what a generation made from it must say of it besides its hash."""
        return {MISSING: self.missing} if self.missing else {}

    def used(self, domain: str) -> tuple[PlanRecord, ...]:
        """Return the plans of a domain that made it, in slot order."""
        used = (record for record in self.plans if record.status != "rejected" and record.plan.body.domain == domain)
        return tuple(sorted(used, key=lambda record: record.plan.body.slot))

    def check(self, domain: str, settings: EvolveSettings) -> None:
        """Raise `ConfigError` where a run of these domains (joined by commas) and settings cannot go on from it."""
        body, name = self.generation.body, self.generation.id
        if body.domain != domain:
            raise ConfigError(
                f"{name} is of {body.domain}, not of {domain}", hint=f"eigen evolve {body.domain} --from {name}"
            )
        takes_over = f"`eigen rollback {name}` takes over what it was made with"
        for switch in _SWITCHES:
            was = bool(body.settings.get(switch, True))
            if was != getattr(settings, switch):
                how, remedy = ("with", f"leave --no-{switch} out") if was else ("without", f"add --no-{switch}")
                raise ConfigError(f"{name} was made {how} {switch}", hint=f"{remedy}; {takes_over}")
        for each in domain.split(","):
            slots = [record.plan.body.slot for record in self.used(each)]
            if slots != list(range(settings.plans)):
                raise ConfigError(
                    f"{name} has {len(slots)} plans of {each}, not {settings.plans}",
                    hint=f"--plans {len(slots)}; {takes_over}" if slots else "nothing can go on without plans",
                )


def parent_of(store: Store, ref: str) -> Parent:
    """Return a generation as one to go on from. Raises `RegistryError` when there is none of that name."""
    generation = store.generation(ref)
    ancestors = tuple(Lineage(store.generations()).ancestors(generation))
    return Parent(generation, ancestors, tuple(store.plans(generation.hash)))


def limits_of(generation: Generation) -> Limits:
    """Return the bounds that a generation's episodes had; today's, where it does not say."""
    said = generation.body.settings
    names = (item.name for item in msgspec.structs.fields(Limits))
    return msgspec.convert({name: said[name] for name in names if name in said}, Limits)
