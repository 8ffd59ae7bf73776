"""A domain: tables, tools, a policy in numbered clauses, a world generator, templates and checks."""

from __future__ import annotations

import datetime
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from eigen_cli.api.messages import Message, Requestor
from eigen_cli.api.playbook import Playbook
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import (
    STOP_TOKEN,
    Action,
    CheckCall,
    Communicate,
    Fact,
    Goal,
    RecordPatch,
    Scenario,
    Task,
    TaskSet,
)
from eigen_cli.api.tools import Tools
from eigen_cli.api.world import WorldView

if TYPE_CHECKING:
    from eigen_cli.api.verifier import Replayer

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class TableSpec(Generic[R]):
    """A table: its name, the record type it holds, the key field and the indexed fields.

    `created` says that tools make new records here with ids of their own; outcomes are then compared up to a
    renaming of those ids.
    """

    name: str
    record: type[R]
    key: str
    indexes: tuple[str, ...] = ()
    created: bool = False


@dataclass(frozen=True)
class GuardContext:
    """What a clause's guard sees: one call about to run, the world before it, and the dialogue so far.

    `dialogue` is None when gold actions are judged without a conversation; guards about what was said then pass.
    """

    world: WorldView
    requestor: Requestor
    name: str
    arguments: Mapping[str, Any]
    dialogue: Sequence[Message] | None
    earlier: Sequence[Action] = ()
    """Calls of the same episode that succeeded before this one."""


Guard = Callable[[GuardContext], str | None]
"""Returns what is broken, or None. Must be pure."""


@dataclass(frozen=True)
class Clause:
    """One numbered clause of the policy.

    `tools` are the tools it governs (its guard is asked only about those; empty means every tool). A clause without
    a guard is one that code cannot decide.
    """

    id: str
    title: str
    text: str
    tools: tuple[str, ...] = ()
    guard: Guard | None = None


@dataclass(frozen=True)
class FactKind:
    """A kind of fact users know and agents ask for.

    `pattern`: a regular expression that finds values of this kind in free text, group 1 (or the whole match) being
    the value; None where the value has no recognisable shape. It is what blame by evidence stands on.
    `asks`: regular expressions that recognise an agent's question for it. `question`: how an agent asks.
    `says`: how a user states it, with `{value}`.
    """

    name: str
    label: str
    question: tuple[str, ...]
    says: tuple[str, ...]
    asks: tuple[str, ...]
    pattern: str | None = None


@dataclass(frozen=True)
class CheckContext:
    """What a named check sees of a finished episode."""

    initial: WorldView
    final: WorldView
    messages: Sequence[Message]
    calls: Sequence[tuple[Action, bool]]
    """Every call that ran, in order, and whether it succeeded."""


Check = Callable[..., bool]
"""`check(context, **arguments) -> bool`; pure."""


@dataclass(frozen=True)
class Draft:
    """A grounded task before anyone words it: real facts and gold actions that run.

    `requests` in goals are the domain's plain wording; a synthesizer rewrites them.
    """

    goals: tuple[Goal, ...]
    known: tuple[Fact, ...]
    gold: tuple[Action, ...]
    clauses: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    communicate: tuple[Communicate, ...] = ()
    checks: tuple[CheckCall, ...] = ()
    patch: tuple[RecordPatch, ...] = ()
    instructions: str = ""
    breach: tuple[Action, ...] = ()
    """Gold as a careless author would write it: it runs, but breaks a clause. Only simulators use it, to plant a
    defect the task verifier must catch; empty where the template has none."""


class ScenarioTemplate(Protocol):
    """A family of tasks. `draft` draws real records and returns None when this world has none that fit.

    `family` names what splits must keep together. `tools` and `clauses` say what the template can cover.
    """

    @property
    def name(self) -> str:
        """Its name, unique in the domain."""

    @property
    def family(self) -> str:
        """What splits must keep together."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools its gold actions can use."""

    @property
    def clauses(self) -> tuple[str, ...]:
        """The policy clauses its cases can turn on."""

    @property
    def difficulty(self) -> int:
        """1 (one plain request) to 3 (several, or with complications)."""

    def draft(self, world: WorldView, rng: random.Random) -> Draft | None:
        """Return a grounded draft drawn with `rng` alone."""


@dataclass(frozen=True)
class Scoring:
    """One way to score a finished episode: the verifiers whose scores are multiplied.

    `tolerates_gold_errors`: gold actions that are refused are passed over, as some benchmarks do; otherwise a task
    whose gold meets an error cannot be passed.
    """

    name: str
    basis: tuple[str, ...]
    tolerates_gold_errors: bool = False


@dataclass(frozen=True)
class Persona:
    """How a user talks. `style` is a hint for models and for the simulated user's wording."""

    name: str
    text: str
    style: str = "plain"


class Domain(ABC):
    """Base class of every domain plugin. Subclasses are stateless; one instance serves a whole process."""

    name: ClassVar[str]
    title: ClassVar[str]
    version: ClassVar[str]
    tables: ClassVar[tuple[TableSpec[Any], ...]]
    agent_tools: ClassVar[type[Tools]]
    user_tools: ClassVar[type[Tools] | None] = None
    clauses: ClassVar[tuple[Clause, ...]] = ()
    fact_kinds: ClassVar[tuple[FactKind, ...]] = ()
    checks: ClassVar[Mapping[str, Check]] = {}
    templates: ClassVar[tuple[ScenarioTemplate, ...]] = ()
    personas: ClassVar[tuple[Persona, ...]] = ()
    greeting: ClassVar[str | None] = None
    """The agent's fixed first words; None lets the user speak first."""
    reward_training: ClassVar[tuple[str, ...]] = ("state", "checks", "communicate", "policy")
    """Verifiers multiplied into the training reward; `policy` stands for the clauses' guards."""
    reward_evaluation: ClassVar[tuple[str, ...]] = ("state", "checks", "communicate")
    handover_tool: ClassVar[str | None] = None
    """The tool that passes the customer to a human, if there is one; a null policy is made from it."""
    benchmark_entities: ClassVar[frozenset[str]] = frozenset()
    """Entity ids of benchmark test tasks that no training task may touch."""
    fixed_world: ClassVar[bool] = False
    """Whether new tasks all stand in the world of seed 0, because its records are given (a benchmark's database) and
    not generated."""
    stop_tokens: ClassVar[tuple[str, ...]] = (STOP_TOKEN,)
    """What a simulated user writes to end the call; prompts name the first."""

    @classmethod
    def opened(cls, options: Mapping[str, str]) -> Domain:
        """Return the domain. `options` are settings a plugin names in its spec (`tau2_data`); others are not for it.

        Raises `ConfigError` for an option that cannot be used.
        """
        del options
        return cls()

    @abstractmethod
    def clock(self) -> datetime.datetime:
        """Return the fixed time at which every world starts."""

    @abstractmethod
    def generate(self, *, seed: int, size: int) -> Iterable[Record]:
        """Yield the records of a world. Pure: same arguments, same records in the same order.

        `size` is the approximate number of records; 0 is the domain's default.
        """

    def preamble(self) -> str:
        """Return the policy's opening: what the service is, the time, how to behave."""
        return ""

    def canonical(self, record: Record) -> Any:
        """Return what of a record counts when outcomes are compared; pure, per record."""
        return record

    def playbook(self) -> Playbook | None:
        """Return dialogue procedures for simulated actors; None lets them work from the tool schemas alone."""
        return None

    def task_set(self) -> TaskSet | None:
        """Return the tasks the domain comes with; None where tasks come from its generations alone."""
        return None

    def scorings(self, task: Task) -> tuple[Scoring, ...]:
        """Return the ways an evaluation may score a task's episodes, the default first."""
        return (Scoring("own", task.reward.evaluation),)

    def user_prompt(self, scenario: Scenario) -> str | None:
        """Return the whole prompt of a simulated user, where a benchmark has its own; None for eigen's."""
        del scenario
        return None

    def benchmark_hashes(self, task: Task, replayer: Replayer) -> Mapping[str, str]:
        """Return the hashes of a task's gold state as the benchmark writes them, by side; none without a benchmark."""
        del task, replayer
        return {}


@dataclass(frozen=True)
class DomainFingerprint:
    """Digests of a domain's parts, so that a change can invalidate exactly what it touches."""

    domain: str
    version: str
    tools: Mapping[str, str] = field(default_factory=dict)
    clauses: Mapping[str, str] = field(default_factory=dict)
    checks: Mapping[str, str] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)
    generator: str = ""
    manner: str = ""
    """Of what is said rather than done: preamble, greeting, fact kinds, personas, reward basis."""
