"""Stored episodes, replayed: the models' own words through today's machine, tools and verifiers.

A sealed hash says that records are those that were sealed. A replay says more: that they are still true.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import msgspec

from eigen_cli.api.browsing import EpisodeFilter
from eigen_cli.api.canonical import SHORT
from eigen_cli.api.generations import EpisodeRecord, Generation
from eigen_cli.api.messages import Message
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Part
from eigen_cli.episode.guards import breaches_of_episode
from eigen_cli.episode.record import FinishedEpisode
from eigen_cli.episode.state import EpisodeKey, EpisodeState
from eigen_cli.evolve.parent import limits_of
from eigen_cli.evolve.runs import RunDomain
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import POLICY_PART, POLICY_VERSION, policy_part, score
from eigen_cli.roles.rebuilding import NoModel, rebuilt
from eigen_cli.world.base import BaseCache


class Replayed(msgspec.Struct, frozen=True):
    """One episode after its replay; `differences` is empty where all came out as it was stored."""

    episode: str
    task: str
    differences: tuple[str, ...] = ()


def sampled_episodes(store: Store, generation: Generation, count: int) -> Iterator[EpisodeRecord]:
    """Yield at most `count` of a generation's episodes, spread evenly over it and always the same ones.

    One that broke down is passed over: it holds what a server did, which does not repeat.
    """
    total = generation.body.episodes
    for place in range(min(count, total)):
        rows = store.episode_rows(generation.hash, EpisodeFilter(), limit=1, offset=place * total // min(count, total))
        for row in rows:
            if row.stop != "infrastructure":
                yield store.episode(generation.hash, row.id)


def replay_context(part: RunDomain, generation: Generation) -> RoleContext:
    """Return a domain as the rounds of a generation had it, with nobody to ask."""
    return RoleContext(
        run=f"{part.name}:{generation.body.seed}",
        seed=generation.body.seed,
        domain=part.domain,
        templates={},
        toolbox=part.toolbox,
        bases=BaseCache(),
        completer=NoModel(),
        verifiers=part.verifiers,
        limits=limits_of(generation),
    )


def comparable_verifiers(part: RunDomain, generation: Generation) -> frozenset[str]:
    """Return the verifiers that are today of the version that judged a generation, the policy's guards among them."""
    today = {name: verifier.version for name, verifier in part.verifiers.items()} | {POLICY_PART: POLICY_VERSION}
    return frozenset(name for name, version in today.items() if generation.body.verifiers.get(name) == version)


def replayed(context: RoleContext, task: Task, record: EpisodeRecord, *, verifiers: frozenset[str]) -> Replayed:
    """Replay one episode in a fresh world and return what came out otherwise than it is stored.

    Compared are every tool result, both hashes of the final world, and the parts of those `verifiers`. Whatever the
    replay raises is a difference too: stored episodes once ran.
    """
    episode = record.episode
    try:
        origin = task.provenance
        key = EpisodeKey(context.run, origin.round, origin.plan, task.id, episode.trial)
        state = rebuilt(context, key, task, episode)
        found = [*_told_otherwise(episode.messages, state.messages)]
        for name, stored, again in (
            ("state_hash", episode.state_hash, state.world.state_hash()),
            ("outcome_hash", episode.outcome_hash, state.world.outcome_hash()),
        ):
            if stored != again:
                found.append(f"{name} is {again[:SHORT]}, stored is {stored[:SHORT]}")
        found += _judged_otherwise(record.verdict.parts, _parts(context, task, state), verifiers)
    except Exception as error:
        found = [f"it cannot be replayed: {type(error).__name__}: {error}"]
    return Replayed(episode.id, episode.task, tuple(found))


def _parts(context: RoleContext, task: Task, state: EpisodeState) -> tuple[Part, ...]:
    parts = score(context, task, FinishedEpisode.of(state), context.gold(task))
    return (*parts, policy_part(breaches_of_episode(state.messages, state.initial, context.toolbox)))


def _told_otherwise(stored: Sequence[Message], again: Sequence[Message]) -> Iterator[str]:
    """Yield the first message that differs; what follows it differs for that reason."""
    for place, (before, after) in enumerate(zip_longest(stored, again)):
        if before is None or after is None:
            yield f"message {place + 1} {'appears' if before is None else 'is missing'}"
            return
        if before.result != after.result or before.speaker != after.speaker or before.text != after.text:
            name = before.result.name if before.result is not None else f"the {before.speaker}"
            yield f"message {place + 1}, of {name}, is another one"
            return


def _judged_otherwise(stored: Sequence[Part], again: Sequence[Part], verifiers: frozenset[str]) -> Iterator[str]:
    before = {part.verifier: part for part in stored if part.verifier in verifiers}
    after: Mapping[str, Part] = {part.verifier: part for part in again if part.verifier in verifiers}
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was is None or now is None:
            yield f"the verifier {name} {'judged it only now' if was is None else 'no longer judges it'}"
        elif was.score != now.score or was.applicable != now.applicable:
            yield f"the verifier {name} gives {now.score:g}, stored is {was.score:g}"
        elif was != now:
            yield f"the verifier {name} has other evidence"
