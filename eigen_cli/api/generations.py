"""Generations: the sealed, content-addressed outcome of one round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from eigen_cli.api.backend import EndpointTelemetry, Usage
from eigen_cli.api.episodes import Episode
from eigen_cli.api.messages import Requestor
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


class Figures(msgspec.Struct, frozen=True):
    """What a round came to: in all, or in one of its domains."""

    fingerprint: str
    """The domain's; of several, theirs joined by commas."""
    tasks_proposed: int
    tasks_accepted: int
    rejections: Mapping[str, int]
    """How often each reason turned an attempt down."""
    episodes: int
    passed: int
    blame: Mapping[str, int]
    coverage: Coverage
    near_duplicates: int
    splits: Mapping[str, int]

    @property
    def infrastructure(self) -> int:
        """How many episodes broke down and so have no reward."""
        return self.blame.get("infrastructure", 0)

    @property
    def pass_rate(self) -> float | None:
        """Passed over episodes that have a reward, or None without any."""
        judged = self.episodes - self.infrastructure
        return self.passed / judged if judged else None


class GenerationBody(Figures, frozen=True):
    """The hashed summary of a generation. With `contents` (digests of plans, tasks and episodes in key order) it pins
    everything the generation holds; settings that change no content are absent. Its own figures are the sums over its
    domains."""

    domain: str
    """The domain's name; of several, theirs in alphabetical order, joined by commas."""
    seed: int
    round: int
    parent: str | None
    """The parent's hash."""
    actors: Mapping[str, str]
    """Backend identity by role."""
    simulated: bool
    prompts: Mapping[str, str]
    verifiers: Mapping[str, str]
    settings: Mapping[str, int | float | str | bool]
    contents: Mapping[str, str]
    domains: Mapping[str, Figures] = {}
    """Figures by domain; empty in bodies sealed before a round could have several. Read `by_domain`."""
    schema: int = 1

    @property
    def by_domain(self) -> Mapping[str, Figures]:
        """Figures by domain, at least one."""
        return self.domains or {self.domain: self}


class Latency(msgspec.Struct, frozen=True):
    """Seconds a role's calls took, retries included."""

    calls: int
    p50: float
    p95: float
    p99: float


class GenerationObserved(msgspec.Struct, frozen=True):
    """What is known about the making of a generation; never hashed."""

    run: str
    started_at: float
    """Unix seconds."""
    sealed_at: float
    usage: Mapping[str, Usage]
    host: str = ""
    eigen_version: str = ""
    latency: Mapping[str, Latency] = {}
    """By role, of the calls asked for in this sitting; what a journal or a cache answered has none."""
    endpoints: Mapping[str, EndpointTelemetry] = {}
    """What the backends saw of each server since they were started."""
    pulled_from: str = ""
    """Where on the Hub it was pulled from (`user/dataset@tag, commit 0123456789ab`); empty for one made here."""


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
    """Names it within its generation: `domain/number`."""
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


class Opening(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a side's model was sent before anyone spoke: one of each domain for the agent, one of each task for the
    user."""

    side: Requestor
    domain: str
    system: str
    first: str = ""
    """What it heard before it spoke: a user turn; empty where the chat goes on as the episode does."""
    task: str = ""

    def chat(self) -> list[dict[str, Any]]:
        """Return the chat's first messages."""
        chat = [{"role": "system", "content": self.system}]
        return [*chat, {"role": "user", "content": self.first}] if self.first else chat


class ToolSet(msgspec.Struct, frozen=True):
    """The tools that came with every request of a side: OpenAI definitions, their keys in the order they were sent."""

    side: Requestor
    domain: str
    tools: tuple[dict[str, Any], ...]
    writing: tuple[str, ...] = ()
    """Names of those that change the world."""


class GenerationContents(msgspec.Struct, frozen=True):
    """Everything sealed with a generation, in key order. Each kind is read once, so it may be a generator."""

    plans: Iterable[PlanRecord]
    tasks: Iterable[Task]
    rejected: Iterable[ProposalRecord]
    episodes: Iterable[EpisodeRecord]
    """In task and trial order."""
    faults: Iterable[InjectedFault] = ()
    openings: Iterable[Opening] = ()
    """The agent's by domain, then the users' in the order of the tasks; empty where they were not kept."""
    toolsets: Iterable[ToolSet] = ()
    """By domain, the agent's before the user's; a side without tools has none."""
