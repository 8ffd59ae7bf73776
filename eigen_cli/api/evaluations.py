"""Evaluations: agents scored on the tasks of one domain, sealed and content-addressed as generations are."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from eigen_cli.api.backend import Usage
from eigen_cli.api.episodes import Episode, Limits
from eigen_cli.api.tasks import SkippedTask, Task
from eigen_cli.api.verdicts import Blame, Part


class Interval(msgspec.Struct, frozen=True):
    """A mean over tasks with its 95 % interval: percentiles of a bootstrap that draws whole tasks."""

    mean: float
    low: float
    high: float


class ScoringFigures(msgspec.Struct, frozen=True):
    """What an evaluation came to under one scoring."""

    pass_hat_k: Mapping[str, Interval]
    """By k, from 1 to the fewest rewarded trials of any task; empty where no trial has a reward."""
    upper_bound: Mapping[str, float]
    """pass^k if every undetermined trial had passed."""
    passed: int
    """Tasks whose trials all passed."""
    undetermined: int
    """Trials that hang on statements nobody decided; counted as not passed."""
    untouched_passes: int
    """Tasks that an episode in which nobody says or does anything would pass."""
    basis: Mapping[str, int]
    """How many tasks are scored by each product of verifiers (`state*communicate`)."""


class Overlap(msgspec.Struct, frozen=True):
    """Whether the training tasks of the judged generation name entities of the evaluated tasks."""

    generation: str
    """The generation's hash."""
    training_tasks: int
    entities: int
    """Entities that the evaluated tasks name."""
    shared: Mapping[str, int]
    """How many of them a training task names too, by table; only tables with any."""
    tasks: int
    """Evaluated tasks that name a shared entity."""
    examples: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing is shared."""
        return not self.shared


class EvaluationBody(msgspec.Struct, frozen=True):
    """The hashed summary of an evaluation; `contents` pins its tasks and episodes."""

    domain: str
    split: str
    release: str
    """What names the tasks: a benchmark's data release, or the generation (`generation 3f2a…`) they come from."""
    seed: int
    trials: int
    attempts: int
    """Starts of a trial, infrastructure failures included."""
    tasks: int
    limits: Limits
    actors: Mapping[str, str]
    """Backend identity of agent, user and, where statements may be judged, judge."""
    temperatures: Mapping[str, float]
    """Sampling temperature by role, where one was set."""
    simulated: bool
    fingerprint: str
    """The domain's."""
    prompts: Mapping[str, str]
    verifiers: Mapping[str, str]
    scorings: Mapping[str, ScoringFigures]
    scoring: str
    """The domain's default scoring."""
    stops: Mapping[str, int]
    infrastructure: int
    """Trials that broke down on every attempt."""
    missing: int
    """Trials without a reward: those that broke down, and those a verifier failed on."""
    violations: Mapping[str, int]
    """Breaches of the user's contract by what they are; they stay in the headline."""
    violating_episodes: int
    turns: float
    """Mean completions of both sides a rewarded trial."""
    tool_calls: float
    """Mean calls of both sides a rewarded trial."""
    skipped: tuple[SkippedTask, ...] = ()
    generation: str | None = None
    """Hash of the generation the judged agent was trained on, or the tasks come from."""
    checkpoint: str = ""
    """Label of the judged checkpoint."""
    rescored: str | None = None
    """Hash of the evaluation whose episodes were scored anew."""
    overlap: Overlap | None = None
    contents: Mapping[str, str] = {}
    schema: int = 1


class EvaluationObserved(msgspec.Struct, frozen=True):
    """What is known about the making of an evaluation; never hashed."""

    run: str
    started_at: float
    """Unix seconds."""
    sealed_at: float
    usage: Mapping[str, Usage]
    """By role; empty where nobody was asked."""
    usd: float | None = None
    """What the calls cost; None where no price is known."""
    host: str = ""
    eigen_version: str = ""


class Evaluation(msgspec.Struct, frozen=True):
    """A sealed evaluation. `id` is a local alias (`eval-0001`), outside the hash."""

    id: str
    hash: str
    body: EvaluationBody
    observed: EvaluationObserved


class Judgement(msgspec.Struct, frozen=True, omit_defaults=True):
    """A judge's word on one statement that code cannot decide; `holds` is None where it gave no usable answer."""

    statement: str
    holds: bool | None
    evidence: str = ""


class EvaluatedEpisode(msgspec.Struct, frozen=True, omit_defaults=True):
    """One trial: its episode, its reward under each scoring, and what the rewards stand on."""

    episode: Episode
    rewards: Mapping[str, float] = {}
    """By scoring; empty for a missing trial."""
    parts: tuple[Part, ...] = ()
    undetermined: tuple[str, ...] = ()
    """Scorings whose reward hangs on statements nobody decided."""
    judgements: tuple[Judgement, ...] = ()
    violations: tuple[Blame, ...] = ()
    failure: str = ""
    """Why there is no reward."""
    usage: Usage = Usage()
    """Observed: never hashed."""

    @property
    def missing(self) -> bool:
        """Whether the trial has no reward."""
        return not self.rewards


class EvaluationContents(msgspec.Struct, frozen=True):
    """Everything sealed with an evaluation: tasks in order, episodes in task and trial order."""

    tasks: tuple[Task, ...]
    episodes: tuple[EvaluatedEpisode, ...]
