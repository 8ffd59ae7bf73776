"""From a finished episode to its reward under each of a domain's scorings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eigen_cli.api.domain import Domain, Scoring
from eigen_cli.api.errors import DomainError
from eigen_cli.api.evaluations import Judgement
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import EpisodeView
from eigen_cli.episode.guards import breaches_of_episode
from eigen_cli.episode.record import FinishedEpisode
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import POLICY_PART, combined, policy_part, score


@dataclass(frozen=True)
class Scored:
    """A finished episode's parts, and the scorings under which everything that code decides is in order."""

    parts: tuple[Part, ...]
    rewards: Mapping[str, float]
    """By scoring, statements left aside."""
    open: Mapping[str, tuple[str, ...]]
    """Statements left to decide, by scoring; only where all else passed."""


def scorings_of(domain: Domain, tasks: Iterable[Task]) -> tuple[str, ...]:
    """Return the names of a domain's scorings, the default first.

    Raises `DomainError` where tasks of one evaluation are scored in different ways.
    """
    names: tuple[str, ...] = ()
    for task in tasks:
        found = tuple(scoring.name for scoring in domain.scorings(task))
        if not found or (names and found != names):
            raise DomainError(f"{domain.name} scores {task.id} by {found}, and other tasks by {names}")
        names = found
    return names


def verifiers_of(domain: Domain, tasks: Iterable[Task]) -> set[str]:
    """Return the verifiers that any scoring of any task asks, the clauses' guards included."""
    return {name for task in tasks for scoring in domain.scorings(task) for name in scoring.basis}


def scored(context: RoleContext, task: Task, episode: FinishedEpisode) -> Scored:
    """Execute every verifier once and combine their scores as each scoring does.

    An episode the user did not end earns 0. So does one whose task's gold meets an error, unless the scoring passes
    such errors over.
    """
    replayer = context.gold(task)
    parts = score(context, task, episode, replayer)
    scorings = context.domain.scorings(task)
    if any(POLICY_PART in scoring.basis for scoring in scorings):
        parts += (policy_part(breaches_of_episode(episode.messages, episode.initial, context.toolbox)),)
    rewards = {
        scoring.name: _reward(scoring, parts, episode, replayed=not replayer.gold_errors()) for scoring in scorings
    }
    open_ = {
        scoring.name: statements
        for scoring in scorings
        if rewards[scoring.name] == 1.0 and (statements := _undecided(scoring, parts))
    }
    return Scored(parts, rewards, open_)


def _reward(scoring: Scoring, parts: Sequence[Part], episode: EpisodeView, *, replayed: bool) -> float:
    if episode.stop != "user_stop" or not (replayed or scoring.tolerates_gold_errors):
        return 0.0
    return combined(parts, scoring.basis)


def _undecided(scoring: Scoring, parts: Sequence[Part]) -> tuple[str, ...]:
    found = (statement for part in parts if part.verifier in scoring.basis for statement in part.undecided)
    return tuple(dict.fromkeys(found))


def settled(found: Scored, judgements: Sequence[Judgement]) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the final rewards, and the scorings whose reward hangs on statements nobody decided.

    One statement that does not hold fails the episode; one that nobody decided leaves it open, and it does not count as
    passed.
    """
    word = {judgement.statement: judgement.holds for judgement in judgements}
    rewards, undetermined = dict(found.rewards), []
    for name, statements in found.open.items():
        words = [word.get(statement) for statement in statements]
        if not all(words):
            rewards[name] = 0.0
        if None in words and False not in words:
            undetermined.append(name)
    return rewards, tuple(undetermined)


def untouched_passes(context: RoleContext, tasks: Iterable[Task]) -> dict[str, int]:
    """Return, by scoring, how many tasks an episode in which nobody says or does anything would pass.

    Statements count as failed: nothing was said that could fulfil them.
    """
    passes: dict[str, int] = {}
    for task in tasks:
        world = context.initial_world(task)
        found = scored(context, task, FinishedEpisode((), (), world, world, "user_stop"))
        rewards, _ = settled(found, ())
        for name, reward in rewards.items():
            passes[name] = passes.get(name, 0) + (reward == 1.0)
    return passes


def bases_of(domain: Domain, tasks: Iterable[Task]) -> dict[str, dict[str, int]]:
    """Return, by scoring, how many tasks are scored by each product of verifiers."""
    bases: dict[str, dict[str, int]] = {}
    for task in tasks:
        for scoring in domain.scorings(task):
            counts = bases.setdefault(scoring.name, {})
            name = "*".join(scoring.basis)
            counts[name] = counts.get(name, 0) + 1
    return bases
