"""What a check of the registry replays with: each domain as it is installed today, and the verifiers of its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import msgspec

from eigen_cli.api.browsing import Sealed
from eigen_cli.api.errors import EigenError
from eigen_cli.api.generations import EpisodeRecord, Generation
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.api.verifier import Verifier
from eigen_cli.commands.wiring import load_domain
from eigen_cli.evolve.audit import Replayed, comparable_verifiers, replay_context, replayed, sampled_episodes
from eigen_cli.evolve.runs import RunDomain
from eigen_cli.roles.episode_verifier import POLICY_PART
from eigen_cli.run.plugins import PluginIndex
from eigen_cli.run.sections import Config


class Checked(msgspec.Struct, frozen=True):
    """What a check found out about one generation or evaluation."""

    id: str
    hash: str
    damage: str = ""
    """Why it is not what was sealed; empty where it is."""
    replayed: int = 0
    differing: tuple[Replayed, ...] = ()
    """Episodes that came out otherwise than they are stored."""
    remarks: tuple[str, ...] = ()
    """What could not be compared, and why; no failure of the registry."""

    @property
    def sound(self) -> bool:
        """Whether everything that could be checked holds."""
        return not self.damage and not self.differing


@dataclass
class Auditor:
    """Replays episodes of many generations; each domain is opened once."""

    index: PluginIndex
    config: Config
    _domains: dict[str, RunDomain | str] = field(default_factory=dict)
    """By name; a text says why the domain cannot be had."""

    def audited(self, store: Store, generation: Generation, *, sample: int) -> Checked:
        """Return what replaying a sample of a generation brings."""
        chosen: dict[str, list[tuple[Task, EpisodeRecord]]] = {}
        for record in sampled_episodes(store, generation, sample):
            task = store.task(generation.hash, record.episode.task)
            chosen.setdefault(task.domain, []).append((task, record))
        done: list[Replayed] = []
        remarks: list[str] = []
        for name, items in chosen.items():
            part = self._part(name, generation)
            if isinstance(part, str):
                remarks.append(f"{len(items)} episodes of {name} not replayed: {part}")
                continue
            asked = {part_.verifier for _, record in items for part_ in record.verdict.parts} - {POLICY_PART}
            verifiers, absent = self._verifiers(asked)
            judged = replace(part, verifiers=verifiers)
            same = comparable_verifiers(judged, generation)
            remarks += [f"{name}: parts of {each} not compared: {absent[each]}" for each in sorted(absent)]
            changed = sorted({*verifiers, POLICY_PART} - same)
            remarks += [f"{name}: parts of {each} not compared: it is of another version today" for each in changed]
            context = replay_context(judged, generation)
            done += [replayed(context, task, record, verifiers=same) for task, record in items]
        differing = tuple(one for one in done if one.differences)
        return Checked(generation.id, generation.hash, "", len(done), differing, tuple(remarks))

    def _part(self, name: str, generation: Generation) -> RunDomain | str:
        """Return a domain as it is installed, or why its episodes cannot be replayed."""
        if name not in self._domains:
            try:
                self._domains[name] = RunDomain.of(load_domain(self.index, name, self.config), {})
            except EigenError as error:
                self._domains[name] = error.message
        part, figures = self._domains[name], generation.body.by_domain.get(name)
        if isinstance(part, str):
            return part
        if figures is not None and figures.fingerprint != part.fingerprint:
            return f"the installed {name} is another version: it has changed since"
        return part

    def _verifiers(self, names: Iterable[str]) -> tuple[Mapping[str, Verifier], Mapping[str, str]]:
        """Return the verifiers that can be had, and why the others cannot."""
        had: dict[str, Verifier] = {}
        absent: dict[str, str] = {}
        for name in sorted(names):
            try:
                had[name] = self.index.load("verifier", name)()
            except EigenError as error:
                absent[name] = error.message
        return had, absent


def checked_generation(store: Store, name: Sealed, auditor: Auditor | None, *, sample: int) -> Checked:
    """Hash a generation and its contents again and, with an auditor, replay a sample of its episodes."""
    try:
        store.verify(name.id)
        if auditor is None:
            return Checked(name.id, name.hash)
        return auditor.audited(store, store.generation(name.id), sample=sample)
    except EigenError as error:
        return Checked(name.id, name.hash, error.message)


def checked_evaluation(store: Store, name: Sealed) -> Checked:
    """Hash an evaluation and its contents again."""
    try:
        store.verify_evaluation(name.id)
    except EigenError as error:
        return Checked(name.id, name.hash, error.message)
    return Checked(name.id, name.hash)
