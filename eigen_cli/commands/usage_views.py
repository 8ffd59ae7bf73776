"""What a generation cost and how its calls went, by role and by server."""

from __future__ import annotations

from collections.abc import Iterator

from eigen_cli.api.generations import Generation, GenerationObserved
from eigen_cli.commands.tables import by_column, table_within
from eigen_cli.console import Line

_FIRST_TO_GO = ("p99 s", "p50 s", "cached", "retries", "failures", "in flight", "p95 s")
"""Columns that a terminal too narrow for all does without, in this order."""


def usd_per_accepted(generation: Generation) -> float | None:
    """Return the dollars spent for every accepted task, or None where nothing was spent or accepted."""
    spent = _spent(generation.observed)
    return spent / generation.body.tasks_accepted if spent and generation.body.tasks_accepted else None


def spent_text(generation: Generation) -> str:
    """Return what a generation cost, in all and for every accepted task and row."""
    spent, calls = _spent(generation.observed), sum(usage.calls for usage in generation.observed.usage.values())
    if not spent:
        return f"{calls:,} calls, no price" if calls else "nothing"
    each = usd_per_accepted(generation)
    passed = f", {spent / generation.body.passed:.4f} a passed episode" if generation.body.passed else ""
    return f"{spent:.4f} USD" + (f": {each:.4f} an accepted task" if each is not None else "") + passed


def usage_lines(observed: GenerationObserved, *, width: int) -> Iterator[Line]:
    """Yield a table by role (tokens, retries, failures, dollars, latency) and one by server, where there are any.

    Where they would be too wide, some columns are left out.
    """
    rows = []
    for role, usage in observed.usage.items():
        if usage.calls:
            latency = observed.latency.get(role)
            counts = (usage.calls, usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
            trouble = (usage.retries, usage.failures)
            dollars = f"{usage.cost_usd:.4f}" if usage.cost_usd else "-"
            times = [f"{value:.2f}" for value in (latency.p50, latency.p95, latency.p99)] if latency else ["-"] * 3
            rows.append((role, *(f"{count:,}" for count in (*counts, *trouble)), dollars, *times))
    if rows:
        header = ("role", "calls", "prompt", "cached", "reply", "retries", "failures", "USD", "p50 s", "p95 s", "p99 s")
        yield Line(table_within(by_column(header, rows), width=width, first_to_go=_FIRST_TO_GO, right=header[1:]))
    if observed.endpoints:
        servers = [
            (
                host,
                *(f"{count:,}" for count in (seen.total.calls, seen.total.retries, seen.total.failures)),
                f"{seen.in_flight_mean:.1f}",
                *(f"{value:.2f}" for value in (seen.total.p50, seen.total.p95, seen.total.p99)),
            )
            for host, seen in observed.endpoints.items()
        ]
        columns = ("server", "calls", "retries", "failures", "in flight", "p50 s", "p95 s", "p99 s")
        yield Line("")
        by_server = by_column(columns, servers)
        yield Line(table_within(by_server, width=width, first_to_go=_FIRST_TO_GO, right=columns[1:]))


def _spent(observed: GenerationObserved) -> float:
    return sum(usage.cost_usd for usage in observed.usage.values())
