"""Selections: which dialogues and tasks of a generation are exported, and why the rest is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor
from typing import Literal, NamedTuple

from eigen_cli.api.canonical import derive_seed
from eigen_cli.api.samples import SampleKind
from eigen_cli.api.tasks import Split, Task
from eigen_cli.training.trials import Trials

Granularity = Literal["whole", "each"]

NO_WRITE_CAP = 0.2
"""Share of tasks to reinforce on whose gold writes nothing, at most: doing nothing passes many of them."""


@dataclass(frozen=True)
class Selection:
    """What to export of a generation. `None` is what is usual for the kind (`of_kind`), or filters nothing.

    Counts are of dialogues (`agent_sft`, `user_sft`) or of tasks (`rl_tasks`). Where fewer are kept than could be,
    hashes of their names choose: the same ones in every run, spread evenly over plans and templates.
    """

    split: Split | None = None
    passed: bool | None = None
    """Only dialogues that passed; usual for `agent_sft`."""
    blame_free: bool | None = None
    """Only dialogues in which nobody was at fault; usual for `agent_sft` of passed ones."""
    best_of: int | None = None
    """How many dialogues of a task: the passed ones first, then those of fewer turns, then earlier trials."""
    band: tuple[float, float] | None = None
    """Only tasks whose pass rate lies strictly between these."""
    no_write_cap: float | None = None
    """Share of the kept whose task's gold writes nothing, in every domain; usual for `rl_tasks` to train on
    (`NO_WRITE_CAP`)."""
    per_domain: int | None = None
    limit: int | None = None
    turns: Granularity = "whole"
    """Whether a dialogue is one sample, or every turn to learn is one."""
    until_violation: bool = False
    """Keep of a `user_sft` dialogue what comes before the user's first fault, instead of nothing."""

    def of_kind(self, kind: SampleKind) -> Selection:
        """Return the selection with what is usual for a kind in the place of what was left open."""
        passed = self.passed if self.passed is not None else kind == "agent_sft"
        blame_free = self.blame_free if self.blame_free is not None else kind == "agent_sft" and passed
        cap = self.no_write_cap
        if cap is None and kind == "rl_tasks" and self.split in (None, "train"):  # held-out tasks measure, all of them
            cap = NO_WRITE_CAP
        return replace(self, passed=passed, blame_free=blame_free, no_write_cap=cap)

    @property
    def counted(self) -> bool:
        """Whether how many are kept depends on how many there are."""
        return (self.no_write_cap is not None and self.no_write_cap < 1) or not (
            self.per_domain is None and self.limit is None
        )

    def task_refusal(self, task: Task, trials: Trials) -> str | None:
        """Return why nothing of a task is exported, or None."""
        if self.split is not None and task.split != self.split:
            return f"not of the split {self.split}"
        if self.band is not None:
            low, high = self.band
            if trials.rate is None or not low < trials.rate < high:
                return f"pass rate not between {low:g} and {high:g}"
        return None


EVERYTHING = Selection(passed=False, blame_free=False, no_write_cap=1.0)
"""No selection at all, whatever the kind; the user's contract binds `user_sft` all the same."""


@dataclass
class Tally:
    """What came of a selection: how many there were, how many were selected, and why the others were not."""

    selected: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def considered(self) -> int:
        """How many there were."""
        return self.selected + self.left_out.total()

    def text(self) -> str:
        """Return `104 of 160: 56 not passed`."""
        why = ", ".join(f"{number} {reason}" for reason, number in self.left_out.most_common())
        return f"{self.selected} of {self.considered}" + (f": {why}" if why else "")


class Candidate(NamedTuple):
    """Something that may be kept: its name's hash, its domain, and whether its task's gold writes."""

    rank: int
    domain: str
    writes: bool

    @classmethod
    def of(cls, name: str, domain: str, *, writes: bool) -> Candidate:
        """Return the candidate of an episode or of a task, by its id."""
        return cls(rank_of(name), domain, writes)


def rank_of(name: str) -> int:
    """Return a name's place among all names: a hash, so that it depends on no other and on no order."""
    return derive_seed("export", name)


class Choice(NamedTuple):
    """The ranks to keep, and how many others were left out for which reason."""

    kept: frozenset[int]
    left_out: Counter[str]


def choose(candidates: Iterable[Candidate], selection: Selection) -> Choice:
    """Return which candidates a selection's cap, quota and limit keep."""
    by_domain: dict[str, tuple[list[int], list[int]]] = {}
    for rank, domain, writes in candidates:
        by_domain.setdefault(domain, ([], []))[not writes].append(rank)
    cap = None if selection.no_write_cap is None else Fraction(str(selection.no_write_cap))
    left_out: Counter[str] = Counter()
    writing: list[int] = []
    reading: list[int] = []
    for ranks in by_domain.values():
        fitted = _fitted(*ranks, cap=cap, most=selection.per_domain)
        writing += fitted.writing
        reading += fitted.reading
        left_out["writing nothing, beyond the cap"] += fitted.over_cap
        left_out["beyond their domain's quota"] += fitted.over_most
    fitted = _fitted(writing, reading, cap=cap, most=selection.limit)
    left_out["beyond the limit"] += fitted.over_cap + fitted.over_most
    return Choice(frozenset((*fitted.writing, *fitted.reading)), +left_out)


class _Fitted(NamedTuple):
    writing: list[int]
    reading: list[int]
    over_cap: int
    over_most: int


def _fitted(writing: list[int], reading: list[int], *, cap: Fraction | None, most: int | None) -> _Fitted:
    """Keep `most` ranks at most, the lowest, of which those that write nothing are no larger a share than the cap."""
    everything = len(writing) + len(reading)
    if cap is None or cap >= 1:
        kept = frozenset(sorted((*writing, *reading))[:most])
        return _Fitted(
            [rank for rank in writing if rank in kept],
            [rank for rank in reading if rank in kept],
            0,
            everything - len(kept),
        )
    allowed = min(len(reading), floor(len(writing) * cap / (1 - cap)))
    room = len(writing) + allowed if most is None else min(most, len(writing) + allowed)
    read = min(allowed, floor(room * cap))
    written = room - read
    return _Fitted(
        sorted(writing)[:written],
        sorted(reading)[:read],
        len(reading) - allowed,
        len(writing) + allowed - room,
    )
