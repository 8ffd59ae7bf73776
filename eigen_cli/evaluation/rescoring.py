"""Scoring stored episodes anew, with today's tools and verifiers and without a single call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from eigen_cli.api.evaluations import EvaluatedEpisode, Evaluation
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.episode.record import FinishedEpisode, to_record
from eigen_cli.evaluation.runs import EvalDomain
from eigen_cli.evaluation.scoring import scored
from eigen_cli.evaluation.sealing import seal_rescored
from eigen_cli.evaluation.settings import EvalSettings
from eigen_cli.evaluation.trials import open_statements, trial_key, with_rewards
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.rebuilding import NoModel, rebuilt


@dataclass(frozen=True)
class Change:
    """A trial that is scored otherwise than before; None stands for no reward."""

    task: str
    trial: int
    scoring: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Rescored:
    """A new evaluation of old episodes, and what became different."""

    evaluation: Evaluation
    before: Evaluation
    changes: tuple[Change, ...]
    retold: int
    """Episodes in which tools return something else, or end in another world, than when they were played."""


def rescore(part: EvalDomain, before: Evaluation, store: Store) -> Rescored:
    """Score an evaluation's episodes with the domain and verifiers of today and seal that as a new evaluation."""
    body = before.body
    settings = EvalSettings(split=body.split, trials=body.trials, seed=body.seed, limits=body.limits)
    context = part.context(settings, NoModel())
    tasks = {task.id: task for task in store.evaluation_tasks(before.hash)}
    stored = list(store.evaluation_episodes(before.hash))
    episodes = [rescored(context, tasks[record.episode.task], record) for record in stored]
    evaluation = seal_rescored(part, context, before, tasks=list(tasks.values()), episodes=episodes, store=store)
    retold = sum(old.episode != new.episode for old, new in zip(stored, episodes, strict=True))
    return Rescored(evaluation, before, _changes(stored, episodes), retold)


def _changes(stored: Sequence[EvaluatedEpisode], episodes: Sequence[EvaluatedEpisode]) -> tuple[Change, ...]:
    found = []
    for old, new in zip(stored, episodes, strict=True):
        for scoring in sorted({*old.rewards, *new.rewards}):
            before, after = old.rewards.get(scoring), new.rewards.get(scoring)
            if before != after:
                found.append(Change(old.episode.task, old.episode.trial, scoring, before, after))
    return tuple(found)


def rescored(context: RoleContext, task: Task, stored: EvaluatedEpisode) -> EvaluatedEpisode:
    """Return a stored trial as it is scored today.

    Its messages are the models' own; its tools run again. A statement a judge decided before keeps its judgement, and
    one that is new stays undetermined. A dialogue that today's machine would have ended earlier cannot be scored: it is
    a missing trial.
    """
    if stored.episode.stop == "infrastructure":
        return msgspec.structs.replace(stored, rewards={}, parts=(), judgements=())
    try:
        state = rebuilt(context, trial_key(context, task, stored.episode.trial), task, stored.episode)
        found = scored(context, task, FinishedEpisode.of(state))
    except Exception as error:  # another release of the domain may refuse what this one's models did
        failure = f"it cannot be scored any more: {type(error).__name__}: {error}"
        return EvaluatedEpisode(stored.episode, failure=failure, usage=stored.usage)
    episode = msgspec.structs.replace(to_record(state), id=stored.episode.id)
    wanted = open_statements(found)
    kept = tuple(judgement for judgement in stored.judgements if judgement.statement in wanted)
    return with_rewards(context, state, found, kept, EvaluatedEpisode(episode, usage=stored.usage))
