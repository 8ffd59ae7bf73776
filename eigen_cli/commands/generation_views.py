"""A generation as JSON and as text: the same facts wherever a command shows one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import asdict

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.generations import CoverageCount, Figures, Generation, GenerationBody
from eigen_cli.commands.tables import ENDLESS, by_column, table_within
from eigen_cli.commands.usage_views import usd_per_accepted
from eigen_cli.console import Line

SCHEMA = 1
"""Version of every JSON object the commands print; keys are added, never renamed."""

SIMULATED = "SIMULATED: made by offline actors; not training data"

FIGURES = ("accepted", "passed", "tools", "pairs", "clauses", "near-dup")
"""Columns of a generation's figures, and of each of its domains'."""

FIRST_TO_GO = ("near-dup", "pairs", "clauses", "tools", "run", "seed", "hash", "actors")
"""Columns of generations that a terminal too narrow for all does without, in this order."""

_WIDEST_MIX = 20
"""Characters that several domains' names may take in a table."""


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
        **_figures_json(body),
        "domains": {name: _figures_json(figures) for name, figures in body.by_domain.items()},
        "usage": {role: asdict(usage) for role, usage in observed.usage.items()},
        "latency": dict(observed.latency),
        "endpoints": dict(observed.endpoints),
        "usd_per_accepted_task": usd_per_accepted(generation),
    }
    if body.simulated:
        found["notice"] = SIMULATED
    return found


def _figures_json(figures: Figures) -> dict[str, Any]:
    return {
        "fingerprint": figures.fingerprint,
        "tasks_proposed": figures.tasks_proposed,
        "tasks_accepted": figures.tasks_accepted,
        "rejections": dict(figures.rejections),
        "episodes": figures.episodes,
        "passed": figures.passed,
        "infrastructure": figures.infrastructure,
        "pass_rate": figures.pass_rate,
        "blame": dict(figures.blame),
        "coverage": figures.coverage,
        "near_duplicates": figures.near_duplicates,
        "splits": dict(figures.splits),
    }


def generations_table(generations: Sequence[Generation], *, width: int = ENDLESS) -> str:
    """Return one line a generation, under a header; runs with an ablation say what they went without.

    Where it would be too wide, some columns are left out.
    """
    header = ["id", "hash", "domain", "seed", "round", *FIGURES, "actors"]
    rows = [
        [
            generation.id,
            generation.hash[:SHORT],
            domain_text(generation.body),
            str(generation.body.seed),
            str(generation.body.round),
            *figure_cells(generation.body),
            "SIMULATED" if generation.body.simulated else actors_text(generation.body.actors),
        ]
        for generation in generations
    ]
    without = [", ".join(ablations(generation)) for generation in generations]
    if any(without):
        header.append("without")
        rows = [[*row, left_out or "-"] for row, left_out in zip(rows, without, strict=True)]
    right = ("seed", "round", *FIGURES)
    return table_within(by_column(header, rows), width=width, first_to_go=FIRST_TO_GO, right=right)


def domain_text(body: GenerationBody) -> str:
    """Return a generation's domains as a table shows them: their names, or only how many where that is too wide."""
    many = len(body.by_domain)
    return f"{many} domains" if many > 1 and len(body.domain) > _WIDEST_MIX else body.domain


def figure_cells(figures: Figures) -> list[str]:
    """Return figures as the columns `FIGURES`."""
    return [
        f"{figures.tasks_accepted}/{figures.tasks_proposed}",
        rate_text(figures),
        share_text(figures.coverage.tools),
        share_text(figures.coverage.tool_pairs),
        share_text(figures.coverage.clauses),
        str(figures.near_duplicates),
    ]


def ablations(generation: Generation) -> tuple[str, ...]:
    """Return what a generation was made without: `validation`, `evolution`, both or nothing."""
    return tuple(name for name in ("validation", "evolution") if generation.body.settings.get(name) is False)


def actors_text(actors: Mapping[str, str]) -> str:
    """Return who played the roles: one name if one played them all, else each role's."""
    names = set(actors.values())
    return names.pop() if len(names) == 1 else ", ".join(f"{role} {name}" for role, name in actors.items())


def rate_text(figures: Figures) -> str:
    """Return how many episodes passed and their share of those with a reward."""
    rate = figures.pass_rate
    return "-" if rate is None else f"{figures.passed} ({rate:.0%})"


def share_text(count: CoverageCount) -> str:
    """Return a coverage count (`12/14`)."""
    return f"{count.covered}/{count.total}"


def counts_text(counts: Mapping[str, int]) -> str:
    """Return counts by name, the most frequent first, without those that are zero."""
    present = sorted(
        ((number, name) for name, number in counts.items() if number), key=lambda pair: (-pair[0], pair[1])
    )
    return ", ".join(f"{name} {number}" for number, name in present) or "none"


def size_text(size: int) -> str:
    """Return a number of bytes in a unit that keeps it short."""
    value = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{size} bytes" if unit == "bytes" else f"{value:.1f} {unit}"
