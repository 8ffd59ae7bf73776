"""What the three bridged domains have in common: official data as worlds of ours, official tasks, official scoring.

The bridge's tools behave as the benchmark's do, upstream defects included, so that official scores are official;
`corrected()` is the same domain with the defects put right.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self, TypeVar, cast

from eigen_cli.api.domain import Clause, Domain, Scoring
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import CheckCall, RecordPatch, Scenario, Task, TaskSet
from eigen_cli.api.verifier import Replayer
from eigen_cli.api.world import WorldView
from eigen_tau2.canonical_form import canonical_hash
from eigen_tau2.data import DomainFiles, find_files
from eigen_tau2.scenario_text import scenario_text

Sides = Mapping[str, Any]
"""A state as the benchmark writes it, as JSON values, by side: `agent`, and `user` where users have a database."""

B = TypeVar("B", bound="Bridged")


class Bridged(Domain):
    """Base of the `tau2-*` domains, mixed in before the domain of ours that each of them extends.

    An instance stands on one release of the data: `files` and `release`. `databases` are further databases that
    imported task files bring; the world with seed k > 0 is made of the k-th, the one with seed 0 of the release's.
    """

    fixed_world: ClassVar[bool] = True
    folder: ClassVar[str]
    """The domain's folder in the benchmark's data."""

    clauses: ClassVar[tuple[Clause, ...]] = ()
    templates: ClassVar[tuple[Any, ...]] = ()
    greeting = "Hello! What can I do for you today?"
    stop_tokens = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
    reward_training = ("state", "checks", "communicate")
    reward_evaluation = ("state", "checks", "communicate")

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        """Find the data. `options`: `tau2_data` (a folder) and `tau2_tasks` (a file); raises `ConfigError`."""
        self.options: Mapping[str, str] = dict(options or {})
        self.files: DomainFiles = find_files(self.folder, data=self.options.get("tau2_data", ""))
        self.release = str(self.files.release)
        self.databases: list[Sides] = []
        self._hashes: dict[str, Mapping[str, str]] = {}
        self._siblings: dict[type[Bridged], Bridged] = {}
        # What a world, a policy or a task is depends on the data, so the data's digest is part of the version.
        self.version = f"{type(self).version}+{self.files.release.digest}"  # type: ignore[misc]

    @classmethod
    def opened(cls, options: Mapping[str, str]) -> Self:
        """Return the domain over the data that the options name; raises `ConfigError`."""
        return cls(options)

    def database(self, seed: int) -> Sides:
        """Return the database that the world with a seed is made of; raises `ConfigError` for a seed without one."""
        if seed == 0:
            agent, user = self.files.database(), self.files.user_database()
            if user is None and self.user_tools is not None:
                raise ConfigError(f"the data of {self.name} lacks user_db.toml, the database of its users' phones")
            return {"agent": agent} if user is None else {"agent": agent, "user": user}
        if seed > 0 and not self.databases and self.options.get("tau2_tasks"):
            self.task_set()  # reading the task file registers its databases; stored tasks may be asked about first
        if 0 < seed <= len(self.databases):
            return self.databases[seed - 1]
        raise ConfigError(
            f"{self.name} has no database {seed}; it has 0 (the release's) to {len(self.databases)}",
            hint="a tau2-* domain has the world of its data and those that the tasks in `tau2_tasks` bring; no others",
        )

    def generate(self, *, seed: int, size: int) -> Iterable[Record]:
        """Yield the records of the database with a seed; size is the data's own. Raises `ConfigError`."""
        del size
        return self.records(self.database(seed))

    @abstractmethod
    def records(self, database: Sides) -> Iterable[Record]:
        """Yield the records a database is made of; raises `ConfigError` for a database of another schema."""

    def preamble(self) -> str:
        """Return the official policy, as the release writes it."""
        return self.files.text("policy.md")

    def playbook(self) -> Any:
        """Return None: our playbooks follow our policy, not the benchmark's."""
        return None

    def user_prompt(self, scenario: Scenario) -> str | None:
        """Return the release's rules for simulated users and the scenario; None where the release has no such rules."""
        guidelines = self.files.guidelines(tools=self.user_tools is not None)
        return None if guidelines is None else f"{guidelines.strip()}\n\n{scenario_text(scenario)}"

    def task_set(self) -> TaskSet:
        """Return the release's tasks, or those of the file in the option `tau2_tasks`."""
        from eigen_tau2.tasks import read_task_set

        return read_task_set(self)

    def scorings(self, task: Task) -> tuple[Scoring, ...]:
        """Return the official scoring, bug for bug, and the corrected one."""
        from eigen_tau2.scoring import scorings_of

        return scorings_of(task)

    def benchmark_hashes(self, task: Task, replayer: Replayer) -> Mapping[str, str]:
        """Return the hash of the gold state by side, exactly as the benchmark's databases hash themselves."""
        del task
        world = replayer.gold_world()
        # Many golds end alike, and half of the airline's change nothing: a whole database is dumped once a state.
        known = self._hashes.get(world.state_hash())
        if known is None:
            known = {side: canonical_hash(state) for side, state in self.sides(world).items()}
            self._hashes[world.state_hash()] = known
        return known

    def sides(self, world: WorldView) -> Sides:
        """Return the whole state in the benchmark's form: what its database models dump."""
        raise NotImplementedError

    def touched_sides(self, world: WorldView) -> Sides:
        """Return only what differs from the official database; equal for two worlds exactly when `sides` is."""
        raise NotImplementedError

    def official_gold(self, task: Task, replayer: Replayer) -> Sides:
        """Return `touched_sides` of the gold state as the benchmark's evaluator makes it, its defects included."""
        del task
        return self.touched_sides(replayer.gold_world())

    def corrected(self) -> Domain:
        """Return this domain, over the same tables and records, with tools free of upstream defects."""
        raise NotImplementedError

    def over_same_data(self, kind: type[B]) -> B:
        """Return a domain of another class that stands on the data of this one, imported databases included."""
        if kind not in self._siblings:
            sibling = self._siblings[kind] = kind(self.options)
            sibling.databases = self.databases
        return cast(B, self._siblings[kind])

    def initial_patch(self, initial_state: Mapping[str, Any] | None, world: WorldView) -> tuple[RecordPatch, ...]:
        """Return what a task's initial state changes in the world it starts from.

        Raises `ValueError`, saying what was found and what is known, for functions, data or ids this domain lacks.
        """
        raise NotImplementedError

    def check_of(self, assertion: Mapping[str, Any]) -> CheckCall:
        """Return the check that an environment assertion of a task means; raises `ValueError` for an unknown one."""
        raise NotImplementedError
