"""Two generations, compared by what they mean: how they were made, what is in them, and what that came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from eigen_cli.api.backend import Usage
from eigen_cli.api.browsing import Outline, TaskChanges
from eigen_cli.api.generations import Coverage, CoverageCount, Generation, GenerationBody
from eigen_cli.api.store import Store
from eigen_cli.evaluation.plan_diff import SlotChange, plan_changes
from eigen_cli.evaluation.proportions import ShareChange, change_of, clustered_share, share_of

Value = int | float | str | bool
Covered = Literal["tools", "tool_pairs", "clauses"]


class MakingChange(msgspec.Struct, frozen=True):
    """Something that decides what a generation comes to and that differs; None where one has no such thing."""

    what: Literal["domain", "seed", "actor", "setting", "prompt", "verifier"]
    name: str
    before: Value | None
    after: Value | None


class RateChange(msgspec.Struct, frozen=True):
    """Acceptance and pass rate of one domain, or of all (`domain` is then empty)."""

    domain: str
    accepted: ShareChange
    """Of the proposals."""
    passed: ShareChange
    """Of the trials that have a reward."""


class CoverageChange(msgspec.Struct, frozen=True):
    """What a domain's accepted tasks touch now and did not, and the other way round; pairs are joined by ` > `."""

    domain: str
    kind: Covered
    before: CoverageCount
    after: CoverageCount
    won: tuple[str, ...]
    lost: tuple[str, ...]


class CountChange(msgspec.Struct, frozen=True):
    """How often something of one name was counted."""

    name: str
    before: int
    after: int


class Cost(msgspec.Struct, frozen=True):
    """What making a generation took."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float
    tokens_per_accepted: float | None
    usd_per_accepted: float | None


class CostChange(msgspec.Struct, frozen=True):
    """What making two generations took."""

    before: Cost
    after: Cost


class GenerationDiff(msgspec.Struct, frozen=True):
    """How one generation differs from another."""

    before: Generation
    after: Generation
    making: tuple[MakingChange, ...]
    plans: tuple[SlotChange, ...]
    tasks: TaskChanges
    rates: tuple[RateChange, ...]
    """Of all domains first, then of each that both have, where there are several."""
    coverage: tuple[CoverageChange, ...]
    """Of every domain that both have."""
    rejections: tuple[CountChange, ...]
    blame: tuple[CountChange, ...]
    stops: tuple[CountChange, ...]
    cost: CostChange

    @property
    def common(self) -> tuple[str, ...]:
        """The domains both have."""
        return tuple(name for name in self.before.body.by_domain if name in self.after.body.by_domain)


def generation_diff(store: Store, before: Generation, after: Generation, *, first: int = 20) -> GenerationDiff:
    """Return how two stored generations differ; of their tasks' changes, the first ones by name."""
    outlines = store.outline(before.hash), store.outline(after.hash)
    return GenerationDiff(
        before,
        after,
        making=tuple(making_changes(before.body, after.body)),
        plans=plan_changes(store.plans(before.hash), store.plans(after.hash)),
        tasks=store.task_changes(before.hash, after.hash, first=first),
        rates=tuple(_rates(before.body, after.body, outlines)),
        coverage=tuple(_coverage(before.body, after.body, outlines)),
        rejections=count_changes(before.body.rejections, after.body.rejections),
        blame=count_changes(before.body.blame, after.body.blame),
        stops=count_changes(outlines[0].stops, outlines[1].stops),
        cost=CostChange(_cost(before), _cost(after)),
    )


def making_changes(before: GenerationBody, after: GenerationBody) -> Iterator[MakingChange]:
    """Yield what the two were made differently by; a domain by its fingerprint."""
    fingerprints = [{name: figures.fingerprint for name, figures in body.by_domain.items()} for body in (before, after)]
    yield from _changed("domain", *fingerprints)
    yield from _changed("seed", {"seed": before.seed}, {"seed": after.seed})
    yield from _changed("actor", before.actors, after.actors)
    yield from _changed("setting", before.settings, after.settings)
    yield from _changed("prompt", before.prompts, after.prompts)
    yield from _changed("verifier", before.verifiers, after.verifiers)


def _changed(
    what: Literal["domain", "seed", "actor", "setting", "prompt", "verifier"],
    before: Mapping[str, Value],
    after: Mapping[str, Value],
) -> Iterator[MakingChange]:
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield MakingChange(what, name, before.get(name), after.get(name))


def count_changes(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[CountChange, ...]:
    """Return both counts of every name that either has counted, the most frequent first."""
    names = sorted({*before, *after}, key=lambda name: (-before.get(name, 0) - after.get(name, 0), name))
    changes = (CountChange(name, before.get(name, 0), after.get(name, 0)) for name in names)
    return tuple(change for change in changes if change.before or change.after)


def _rates(before: GenerationBody, after: GenerationBody, outlines: tuple[Outline, Outline]) -> Iterator[RateChange]:
    common = [name for name in before.by_domain if name in after.by_domain]
    several = max(len(before.by_domain), len(after.by_domain)) > 1
    for domain in ("", *(common if several else ())):
        figures = [body.by_domain[domain] if domain else body for body in (before, after)]
        accepted = [share_of(each.tasks_accepted, each.tasks_proposed) for each in figures]
        passed = [
            clustered_share([count for count in outline.trials if not domain or count.domain == domain])
            for outline in outlines
        ]
        yield RateChange(domain, change_of(*accepted), change_of(*passed))


def _coverage(
    before: GenerationBody, after: GenerationBody, outlines: tuple[Outline, Outline]
) -> Iterator[CoverageChange]:
    kinds: tuple[Covered, ...] = ("tools", "tool_pairs", "clauses")
    for domain, figures in before.by_domain.items():
        other = after.by_domain.get(domain)
        if other is None:
            continue
        for kind in kinds:
            earlier, later = (_names(outline, kind, domain) for outline in outlines)
            yield CoverageChange(
                domain,
                kind,
                _count(figures.coverage, kind),
                _count(other.coverage, kind),
                won=tuple(sorted(later - earlier)),
                lost=tuple(sorted(earlier - later)),
            )


def _count(coverage: Coverage, kind: Covered) -> CoverageCount:
    counts = {"tools": coverage.tools, "tool_pairs": coverage.tool_pairs, "clauses": coverage.clauses}
    return counts[kind]


def _names(outline: Outline, kind: Covered, domain: str) -> set[str]:
    if kind == "tool_pairs":
        return {" > ".join(pair) for pair in outline.tool_pairs.get(domain, ())}
    return set((outline.tools if kind == "tools" else outline.clauses).get(domain, ()))


def _cost(generation: Generation) -> Cost:
    total = Usage()
    for usage in generation.observed.usage.values():
        total = total.plus(usage)
    accepted, tokens = generation.body.tasks_accepted, total.prompt_tokens + total.completion_tokens
    return Cost(
        calls=total.calls,
        prompt_tokens=total.prompt_tokens,
        completion_tokens=total.completion_tokens,
        usd=total.cost_usd,
        tokens_per_accepted=tokens / accepted if accepted and tokens else None,
        usd_per_accepted=total.cost_usd / accepted if accepted and total.cost_usd else None,
    )
