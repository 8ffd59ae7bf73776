"""How records become rows and rows records again.

The stored bytes are the canonical ones that hashes cover: they are written once and only ever decoded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import msgspec

from eigen_cli.api.backend import Usage
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.episodes import Episode
from eigen_cli.api.errors import RegistryError
from eigen_cli.api.evaluations import EvaluatedEpisode
from eigen_cli.api.generations import EpisodeRecord, InjectedFault, Opening, ProposalRecord, ToolSet
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import EpisodeVerdict

R = TypeVar("R")
S = TypeVar("S", bound=msgspec.Struct)

EXCERPT = 160
"""Characters of a task's reason that lists have."""


@dataclass(frozen=True)
class Layout(Generic[R]):
    """A table of the records sealed with a generation or an evaluation, its owner.

    The table's columns are `ordinal`, those named in `light`, which `light_of` reads off a record, and those named in
    `stored`, whose bytes `stored_of` gives. `record` reads the stored columns back; where there are none, the light
    ones. The owner's contents have the records under `field`, and its body the digest of them, which covers the first
    `hashed` of the stored columns, unless nothing pins them. `noun` is what one record is called in messages.
    """

    table: str
    field: str
    noun: str
    light: tuple[str, ...]
    light_of: Callable[[R], tuple[Any, ...]]
    stored: tuple[str, ...]
    stored_of: Callable[[R], tuple[bytes, ...]]
    record: Callable[..., R]
    pinned: Literal["always", "if any", "never"] = "always"
    """Bodies sealed before openings were kept hash as they did: a kind of which there are none is not mentioned."""
    hashed: int = 1

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns `record` takes."""
        return self.stored or self.light


def text(value: msgspec.Struct) -> str:
    """Return a record's canonical JSON as DuckDB takes it."""
    return canonical_json(value).decode()


def decoder(record: type[S]) -> Callable[[str], S]:
    """Return the function that reads stored canonical JSON; it raises `RegistryError` where the two do not fit."""
    # Made when it is first used: a decoder costs a millisecond, and commands that list need few of them.
    decoding = functools.cache(lambda: msgspec.json.Decoder(record).decode)

    def read(body: str) -> S:
        try:
            return decoding()(body)
        except msgspec.MsgspecError as error:
            raise RegistryError(
                f"a stored {record.__name__} cannot be read: {error}", hint="was it sealed by another version of eigen?"
            ) from error

    return read


def _whole(record: msgspec.Struct) -> tuple[bytes, ...]:
    return (canonical_json(record),)


def _nothing(_: msgspec.Struct) -> tuple[bytes, ...]:
    return ()


def _light_of_plan(record: PlanRecord) -> tuple[Any, ...]:
    body = record.plan.body
    return (record.plan.id, body.parent, body.slot, record.status)


def _light_of_task(task: Task) -> tuple[Any, ...]:
    origin = task.provenance
    tools = [action.name for action in task.gold]
    names = (task.id, task.domain, task.family, task.split, origin.plan, origin.template)
    return (*names, task.difficulty, excerpt(task.scenario.reason), list(task.clauses), tools)


def excerpt(words: str) -> str:
    """Return the first words of a text on one line, without what a terminal would take for more than a character."""
    line = " ".join(words[: 4 * EXCERPT].split())
    shown = line if len(line) <= EXCERPT else line[: EXCERPT - 1].rstrip() + "…"
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in shown)


def _light_of_proposal(record: ProposalRecord) -> tuple[Any, ...]:
    reasons = [rejection.reason for rejection in record.rejections]
    return (record.key, record.plan, record.template, record.attempts, reasons)


def _light_of_episode(record: EpisodeRecord) -> tuple[Any, ...]:
    episode, verdict = record.episode, record.verdict
    blame = verdict.blame.party if verdict.blame else None
    turns = len(episode.messages) - [message.finish_reason for message in episode.messages].count(None)
    return (episode.id, episode.task, episode.trial, episode.stop, verdict.reward, verdict.passed, blame, turns)


def _stored_of_episode(record: EpisodeRecord) -> tuple[bytes, ...]:
    return (canonical_json(record.episode), canonical_json(record.verdict), canonical_json(record.usage))


def _light_of_evaluated(record: EvaluatedEpisode) -> tuple[Any, ...]:
    episode = record.episode
    return (episode.id, episode.task, episode.trial, episode.stop, min(record.rewards.values(), default=None))


def _stored_of_evaluated(record: EvaluatedEpisode) -> tuple[bytes, ...]:
    return (canonical_json(record.episode), canonical_json(verdict_of(record)), canonical_json(record.usage))


def verdict_of(record: EvaluatedEpisode) -> EvaluatedEpisode:
    """Return what was found of an evaluated episode, without its dialogue and its cost: what `verdict` columns hold."""
    bare = msgspec.structs.replace(record.episode, messages=())
    return msgspec.structs.replace(record, episode=bare, usage=Usage())


_episode, _verdict, _usage, _evaluated = (
    decoder(Episode),
    decoder(EpisodeVerdict),
    decoder(Usage),
    decoder(EvaluatedEpisode),
)
_EPISODE_BODIES = ("body", "verdict", "observed")

PLANS = Layout(
    "plans",
    "plans",
    "plan",
    light=("id", "parent", "slot", "status"),
    light_of=_light_of_plan,
    stored=("body",),
    stored_of=_whole,
    record=decoder(PlanRecord),
)
TASKS = Layout(
    "tasks",
    "tasks",
    "task",
    light=("id", "domain", "family", "split", "plan", "template", "difficulty", "reason", "clauses", "tools"),
    light_of=_light_of_task,
    stored=("body",),
    stored_of=_whole,
    record=decoder(Task),
)
PROPOSALS = Layout(
    "proposals",
    "rejected",
    "proposal",
    light=("key", "plan", "template", "attempts", "reasons"),
    light_of=_light_of_proposal,
    stored=("body",),
    stored_of=_whole,
    record=decoder(ProposalRecord),
)
EPISODES: Layout[EpisodeRecord] = Layout(
    "episodes",
    "episodes",
    "episode",
    light=("id", "task", "trial", "stop", "reward", "passed", "blame", "turns"),
    light_of=_light_of_episode,
    stored=_EPISODE_BODIES,
    stored_of=_stored_of_episode,
    record=lambda body, verdict, observed: EpisodeRecord(_episode(body), _verdict(verdict), _usage(observed)),
    hashed=2,
)
FAULTS: Layout[InjectedFault] = Layout(
    "injected_faults",
    "faults",
    "fault",
    light=("episode", "role", "turn", "fault"),
    light_of=msgspec.structs.astuple,
    stored=(),
    stored_of=_nothing,
    record=InjectedFault,
    pinned="never",
)
OPENINGS = Layout(
    "openings",
    "openings",
    "opening",
    light=("side", "domain", "task"),
    light_of=lambda opening: (opening.side, opening.domain, opening.task),
    stored=("body",),
    stored_of=_whole,
    record=decoder(Opening),
    pinned="if any",
)
TOOLSETS = Layout(
    "toolsets",
    "toolsets",
    "set of tools",
    light=("side", "domain"),
    light_of=lambda tools: (tools.side, tools.domain),
    stored=("body",),
    # Not canonical: the order of the keys in a definition is that of what was sent, and is part of it.
    stored_of=lambda tools: (msgspec.json.encode(tools),),
    record=decoder(ToolSet),
    pinned="if any",
)
OF_GENERATIONS: tuple[Layout[Any], ...] = (PLANS, TASKS, PROPOSALS, EPISODES, FAULTS, OPENINGS, TOOLSETS)

EVALUATION_TASKS = Layout(
    "tasks",
    "tasks",
    "task",
    light=("id",),
    light_of=lambda task: (task.id,),
    stored=("body",),
    stored_of=_whole,
    record=decoder(Task),
)
EVALUATION_EPISODES: Layout[EvaluatedEpisode] = Layout(
    "episodes",
    "episodes",
    "episode",
    light=("id", "task", "trial", "stop", "reward"),
    light_of=_light_of_evaluated,
    stored=_EPISODE_BODIES,
    stored_of=_stored_of_evaluated,
    record=lambda body, verdict, observed: msgspec.structs.replace(
        _evaluated(verdict), episode=_episode(body), usage=_usage(observed)
    ),
    hashed=2,
)
OF_EVALUATIONS: tuple[Layout[Any], ...] = (EVALUATION_TASKS, EVALUATION_EPISODES)
