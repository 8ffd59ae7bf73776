"""How records become rows and rows records again.

The stored bytes are the canonical ones that hashes cover: they are written once and only ever decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from eigen_cli.api.backend import Usage
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.episodes import Episode
from eigen_cli.api.errors import RegistryError
from eigen_cli.api.evaluations import EvaluatedEpisode
from eigen_cli.api.generations import EpisodeRecord, InjectedFault, ProposalRecord
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_registry.kinds import EVALUATIONS, GENERATIONS, Kind

R = TypeVar("R")
S = TypeVar("S", bound=msgspec.Struct)


@dataclass(frozen=True)
class Layout(Generic[R]):
    """A table of the records sealed with a generation or an evaluation, its owner.

    `row` gives a record's columns in the table's order, after the owner's number and `ordinal`; `record` reads back
    those named in `columns`. `noun` is what one record is called in messages. Under `pinned` the owner's body has the
    digest of the table's contents, which covers the first `hashed` of the columns; nothing pins a table without it.
    """

    table: str
    noun: str
    columns: tuple[str, ...]
    row: Callable[[R], tuple[Any, ...]]
    record: Callable[..., R]
    pinned: str | None = None
    hashed: int = 1
    owner: Kind = GENERATIONS


def text(value: msgspec.Struct) -> str:
    """Return a record's canonical JSON as DuckDB takes it."""
    return canonical_json(value).decode()


def decoder(record: type[S]) -> Callable[[str], S]:
    """Return the function that reads stored canonical JSON; it raises `RegistryError` where the two do not fit."""
    decode = msgspec.json.Decoder(record).decode

    def read(body: str) -> S:
        try:
            return decode(body)
        except msgspec.MsgspecError as error:
            raise RegistryError(
                f"a stored {record.__name__} cannot be read: {error}", hint="was it sealed by another version of eigen?"
            ) from error

    return read


def _plan_row(record: PlanRecord) -> tuple[Any, ...]:
    body = record.plan.body
    return (record.plan.id, body.parent, body.slot, record.status, text(record))


def _task_row(task: Task) -> tuple[Any, ...]:
    origin = task.provenance
    return (task.id, task.family, task.split, origin.plan, origin.template, task.difficulty, text(task))


def _proposal_row(record: ProposalRecord) -> tuple[Any, ...]:
    reasons = [rejection.reason for rejection in record.rejections]
    return (record.key, record.plan, record.template, record.attempts, reasons, text(record))


def _episode_row(record: EpisodeRecord) -> tuple[Any, ...]:
    episode, verdict = record.episode, record.verdict
    blame = verdict.blame.party if verdict.blame else None
    light = (episode.id, episode.task, episode.trial, episode.stop, verdict.reward, verdict.passed, blame)
    return (*light, text(episode), text(verdict), text(record.usage))


def _evaluated_row(record: EvaluatedEpisode) -> tuple[Any, ...]:
    episode = record.episode
    reward = min(record.rewards.values(), default=None)
    light = (episode.id, episode.task, episode.trial, episode.stop, reward)
    return (*light, text(episode), text(verdict_of(record)), text(record.usage))


def verdict_of(record: EvaluatedEpisode) -> EvaluatedEpisode:
    """Return what was found of an evaluated episode, without its dialogue and its cost: what `verdict` columns hold."""
    bare = msgspec.structs.replace(record.episode, messages=())
    return msgspec.structs.replace(record, episode=bare, usage=Usage())


_episode, _verdict, _usage = decoder(Episode), decoder(EpisodeVerdict), decoder(Usage)

PLANS = Layout("plans", "plan", ("body",), _plan_row, decoder(PlanRecord), "plans")
TASKS = Layout("tasks", "task", ("body",), _task_row, decoder(Task), "tasks")
PROPOSALS = Layout("proposals", "proposal", ("body",), _proposal_row, decoder(ProposalRecord), "rejected")
EPISODES: Layout[EpisodeRecord] = Layout(
    "episodes",
    "episode",
    ("body", "verdict", "observed"),
    _episode_row,
    lambda body, verdict, observed: EpisodeRecord(_episode(body), _verdict(verdict), _usage(observed)),
    "episodes",
    hashed=2,
)
FAULTS: Layout[InjectedFault] = Layout(
    "injected_faults", "fault", ("episode", "role", "turn", "fault"), msgspec.structs.astuple, InjectedFault
)

EVALUATION_TASKS = Layout(
    "evaluation_tasks", "task", ("body",), lambda task: (task.id, text(task)), decoder(Task), "tasks", owner=EVALUATIONS
)
_evaluated = decoder(EvaluatedEpisode)
EVALUATION_EPISODES: Layout[EvaluatedEpisode] = Layout(
    "evaluation_episodes",
    "episode",
    ("body", "verdict", "observed"),
    _evaluated_row,
    lambda body, verdict, observed: msgspec.structs.replace(
        _evaluated(verdict), episode=_episode(body), usage=_usage(observed)
    ),
    "episodes",
    hashed=2,
    owner=EVALUATIONS,
)
