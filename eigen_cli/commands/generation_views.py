"""A generation as JSON and as text: the same facts wherever a command shows one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import asdict

from eigen_cli.api.generations import CoverageCount, Generation
from eigen_cli.api.plans import PlanRecord, ProbeFigures
from eigen_cli.console import Line, aligned

SCHEMA = 1
"""Version of every JSON object the commands print; keys are added, never renamed."""

SIMULATED = "SIMULATED: made by offline actors; not training data"


def simulated_line(generation: Generation) -> Iterator[Line]:
    """Yield the warning that a simulated generation carries wherever it is shown."""
    if generation.body.simulated:
        yield Line(SIMULATED, "yellow")


def generation_json(generation: Generation) -> dict[str, Any]:
    """Return a generation as `eigen evolve --json` and `eigen generations --json` print it."""
    body, observed = generation.body, generation.observed
    found: dict[str, Any] = {
        "id": generation.id,
        "hash": generation.hash,
        "parent": body.parent,
        "parent_id": generation.parent_id,
        "domain": body.domain,
        "seed": body.seed,
        "round": body.round,
        "settings": dict(body.settings),
        "run": observed.run,
        "actors": dict(body.actors),
        "simulated": body.simulated,
        "tasks_proposed": body.tasks_proposed,
        "tasks_accepted": body.tasks_accepted,
        "rejections": dict(body.rejections),
        "episodes": body.episodes,
        "passed": body.passed,
        "pass_rate": body.pass_rate,
        "blame": dict(body.blame),
        "coverage": body.coverage,
        "near_duplicates": body.near_duplicates,
        "splits": dict(body.splits),
        "usage": {role: asdict(usage) for role, usage in observed.usage.items()},
    }
    if body.simulated:
        found["notice"] = SIMULATED
    return found


def generations_table(generations: Sequence[Generation]) -> str:
    """Return one line a generation, under a header; runs with an ablation say what they went without."""
    header = [
        "id",
        "hash",
        "domain",
        "seed",
        "round",
        "accepted",
        "passed",
        "tools",
        "pairs",
        "clauses",
        "near-dup",
        "actors",
    ]
    rows = [
        [
            generation.id,
            generation.hash[:12],
            generation.body.domain,
            str(generation.body.seed),
            str(generation.body.round),
            f"{generation.body.tasks_accepted}/{generation.body.tasks_proposed}",
            _rate(generation),
            _share(generation.body.coverage.tools),
            _share(generation.body.coverage.tool_pairs),
            _share(generation.body.coverage.clauses),
            str(generation.body.near_duplicates),
            "SIMULATED" if generation.body.simulated else actors_text(generation.body.actors),
        ]
        for generation in generations
    ]
    without = [", ".join(ablations(generation)) for generation in generations]
    if any(without):
        header.append("without")
        rows = [[*row, left_out or "-"] for row, left_out in zip(rows, without, strict=True)]
    return aligned(rows, header=header, right=range(3, 11))


def ablations(generation: Generation) -> tuple[str, ...]:
    """Return what a generation was made without: `validation`, `evolution`, both or nothing."""
    return tuple(name for name in ("validation", "evolution") if generation.body.settings.get(name) is False)


def generation_lines(generation: Generation, plans: Sequence[PlanRecord]) -> Iterator[Line]:
    """Yield a generation's figures and its plans as text."""
    body = generation.body
    yield Line(f"{generation.id}  {body.domain}, seed {body.seed}, round {body.round}", "bold")
    yield from simulated_line(generation)
    facts = [
        ("hash", generation.hash),
        ("parent", f"{generation.parent_id or '-'}  {body.parent or ''}".rstrip()),
        ("actors", actors_text(body.actors)),
        *([("ablation", f"made without {' and '.join(left_out)}")] if (left_out := ablations(generation)) else []),
        ("tasks", f"{body.tasks_accepted} accepted of {body.tasks_proposed} proposed ({_counts(body.splits)})"),
        ("rejections", _counts(body.rejections)),
        ("episodes", f"{body.episodes}, passed {_rate(generation)}"),
        ("blame", _counts(body.blame)),
        (
            "coverage",
            f"tools {_share(body.coverage.tools)}, tool pairs {_share(body.coverage.tool_pairs)}, "
            f"clauses {_share(body.coverage.clauses)}",
        ),
        ("near-duplicates", str(body.near_duplicates)),
        ("usage", _usage(generation)),
    ]
    yield Line(aligned(facts))
    if plans:
        yield Line("")
        yield Line(_plans_table(plans))


def actors_text(actors: Mapping[str, str]) -> str:
    """Return who played the roles: one name if one played them all, else each role's."""
    names = set(actors.values())
    return names.pop() if len(names) == 1 else ", ".join(f"{role} {name}" for role, name in actors.items())


def _plans_table(plans: Sequence[PlanRecord]) -> str:
    rows = [
        (
            record.plan.id,
            str(record.plan.body.slot),
            record.status,
            _figures(record.figures),
            _figures(record.parent_figures),
            record.plan.body.synthesis.focus,
        )
        for record in plans
    ]
    return aligned(rows, header=("plan", "slot", "status", "probe", "parent's probe", "focus"))


def _figures(figures: ProbeFigures | None) -> str:
    if figures is None:
        return "-"
    return f"{figures.accepted}/{figures.proposed} accepted, {figures.learnable} learnable, covers {figures.coverage}"


def _rate(generation: Generation) -> str:
    rate = generation.body.pass_rate
    return "-" if rate is None else f"{generation.body.passed} ({rate:.0%})"


def _share(count: CoverageCount) -> str:
    return f"{count.covered}/{count.total}"


def _counts(counts: Mapping[str, int]) -> str:
    present = sorted(
        ((number, name) for name, number in counts.items() if number), key=lambda pair: (-pair[0], pair[1])
    )
    return ", ".join(f"{name} {number}" for number, name in present) or "none"


def _usage(generation: Generation) -> str:
    return (
        "; ".join(
            f"{role} {usage.calls} calls" + (f", {usage.cost_usd:.2f} USD" if usage.cost_usd else "")
            for role, usage in generation.observed.usage.items()
            if usage.calls
        )
        or "none"
    )
