"""Trials: rolled out, scored, and judged where code cannot decide."""

from __future__ import annotations

from collections.abc import Sequence

from eigen_cli.api.errors import EigenError
from eigen_cli.api.evaluations import EvaluatedEpisode, Judgement
from eigen_cli.api.tasks import Task
from eigen_cli.episode.record import FinishedEpisode, to_record
from eigen_cli.episode.state import EpisodeKey, EpisodeState
from eigen_cli.evaluation.scoring import Scored, scored, settled
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.rollout import roll_out
from eigen_cli.roles.statement_judge import judge_statements
from eigen_cli.roles.user_faults import user_findings

PLAN = "eval"
"""What stands for a plan in the keys of an evaluation's calls."""


def trial_key(context: RoleContext, task: Task, trial: int) -> EpisodeKey:
    """Return the name of one trial; equal for every evaluation of the same domain and seed."""
    return EpisodeKey(context.run, 0, PLAN, task.id, trial)


async def evaluated(
    context: RoleContext, task: Task, trial: int, *, attempts: int, judge: str | None
) -> EvaluatedEpisode:
    """Roll out one trial and score it. `judge` is the identity of the model that decides statements, if there is one.

    The user stays as it is: no guard, no second try because of how a trial went.
    """
    rolled = await roll_out(context, trial_key(context, task, trial), task, attempts=attempts)
    state, usage = rolled.state, rolled.usage
    if state.stop == "infrastructure":
        return EvaluatedEpisode(to_record(state), failure=state.failure, usage=usage)
    try:
        found = scored(context, task, FinishedEpisode.of(state))
    except Exception as error:  # a verifier's bug must cost one trial, not the evaluation
        return EvaluatedEpisode(to_record(state), failure=_failure(error), usage=usage)
    statements = open_statements(found)
    judgements = await judge_statements(context, state, statements, judge=judge) if statements and judge else ()
    return with_rewards(context, state, found, judgements, EvaluatedEpisode(to_record(state), usage=usage))


def open_statements(found: Scored) -> tuple[str, ...]:
    """Return every statement that some scoring's reward hangs on, once each."""
    return tuple(dict.fromkeys(statement for statements in found.open.values() for statement in statements))


def with_rewards(
    context: RoleContext,
    state: EpisodeState,
    found: Scored,
    judgements: Sequence[Judgement],
    bare: EvaluatedEpisode,
) -> EvaluatedEpisode:
    """Return a trial with its rewards and what they stand on."""
    rewards, undetermined = settled(found, judgements)
    return EvaluatedEpisode(
        bare.episode,
        rewards=rewards,
        parts=found.parts,
        undetermined=undetermined,
        judgements=tuple(judgements),
        violations=tuple(user_findings(context, state)),
        usage=bare.usage,
    )


def _failure(error: Exception) -> str:
    said = error.message if isinstance(error, EigenError) else f"{type(error).__name__}: {error}"
    return f"it could not be scored: {said}"
