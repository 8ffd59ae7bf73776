"""Generations: the sealed, content-addressed outcome of one round."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from eigen_cli.api.backend import Usage
from eigen_cli.api.episodes import Episode
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import EpisodeVerdict, Rejection


class CoverageCount(msgspec.Struct, frozen=True):
    """How many of a domain's things the accepted tasks of a generation touch."""

    covered: int
    total: int


class Coverage(msgspec.Struct, frozen=True):
    """Coverage by accepted tasks. Tool pairs are two tools following each other in one task's gold actions; the total
    counts the pairs the domain's templates can produce."""

    tools: CoverageCount
    tool_pairs: CoverageCount
    clauses: CoverageCount


class GenerationBody(msgspec.Struct, frozen=True):
    """The hashed summary of a generation. With `contents` (digests of plans, tasks and episodes in key order) it pins
    everything the generation holds; settings that change no content are absent."""

    domain: str
    seed: int
    round: int
    parent: str | None
    """The parent's hash."""
    actors: Mapping[str, str]
    """Backend identity by role."""
    simulated: bool
    fingerprint: str
    """The domain's."""
    prompts: Mapping[str, str]
    verifiers: Mapping[str, str]
    settings: Mapping[str, int | float | str | bool]
    tasks_proposed: int
    tasks_accepted: int
    rejections: Mapping[str, int]
    episodes: int
    passed: int
    blame: Mapping[str, int]
    coverage: Coverage
    near_duplicates: int
    splits: Mapping[str, int]
    contents: Mapping[str, str]
    schema: int = 1

    @property
    def pass_rate(self) -> float | None:
        """Passed over episodes that have a reward, or None without any."""
        judged = self.episodes - self.blame.get("infrastructure", 0)
        return self.passed / judged if judged else None


class GenerationObserved(msgspec.Struct, frozen=True):
    """What is known about the making of a generation; never hashed."""

    run: str
    started_at: float
    """Unix seconds."""
    sealed_at: float
    usage: Mapping[str, Usage]
    host: str = ""
    eigen_version: str = ""


class Generation(msgspec.Struct, frozen=True):
    """A sealed generation. `id` is a local alias (`gen-0001`), outside the hash."""

    id: str
    hash: str
    body: GenerationBody
    observed: GenerationObserved
    parent_id: str | None = None


class ProposalRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rejected proposal: what was last written and why it was turned down."""

    key: str
    plan: str
    template: str
    attempts: int
    rejections: tuple[Rejection, ...]
    task: Task | None = None


class EpisodeRecord(msgspec.Struct, frozen=True):
    """An episode with its verdict and what was observed of it."""

    episode: Episode
    verdict: EpisodeVerdict
    usage: Usage = Usage()


class InjectedFault(msgspec.Struct, frozen=True):
    """A fault a simulated actor planted, kept apart from everything roles can see."""

    episode: str
    """Episode id, or the proposal key for a planted task defect."""
    role: str
    turn: int
    fault: str


class GenerationContents(msgspec.Struct, frozen=True):
    """Everything sealed with a generation, in key order."""

    plans: tuple[PlanRecord, ...]
    tasks: tuple[Task, ...]
    rejected: tuple[ProposalRecord, ...]
    episodes: tuple[EpisodeRecord, ...]
    faults: tuple[InjectedFault, ...] = ()
