"""What `eigen evolve` prints: its generations, its estimate, its preview, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from eigen_cli.api.backend import RoleName, Usage
from eigen_cli.api.generations import Generation
from eigen_cli.commands.generation_views import SCHEMA, SIMULATED, actors_text, generation_json
from eigen_cli.commands.task_views import task_lines
from eigen_cli.console import Console, Line, aligned
from eigen_cli.evolve.estimate import CallEstimate, estimates
from eigen_cli.evolve.forecast import Forecast
from eigen_cli.evolve.parent import Parent
from eigen_cli.evolve.progress import Progress
from eigen_cli.evolve.proposals import Proposal
from eigen_cli.evolve.runs import Run
from eigen_cli.run.sections import Config

_RECORDED = "replay"
"""The backend that answers from a recording."""


def run_json(run: Run) -> dict[str, Any]:
    """Return what every JSON object of a run starts with."""
    head: dict[str, Any] = {"schema": SCHEMA, "run": run.id, "domain": run.domain, "seed": run.settings.seed}
    if run.parent is not None:
        head["from"] = run.parent.generation.hash
    return {**head, "simulated": run.actors.simulated, **({"notice": SIMULATED} if run.actors.simulated else {})}


def evolved_json(run: Run, config: Config, generations: Sequence[Generation]) -> dict[str, Any]:
    """Return a run and its generations; `actors` names the backends."""
    actors = actors_text({role: wanted.backend for role, wanted in config.roles.items()})
    return {**run_json(run), "actors": actors, "generations": [generation_json(item) for item in generations]}


def previewed_json(run: Run, proposals: Mapping[str, Sequence[Proposal]]) -> dict[str, Any]:
    """Return a preview: each proposal's task and why it was turned down, if it was."""
    shown = [
        {"domain": domain, "name": item.name, "task": item.task, "rejections": item.final}
        for domain, items in proposals.items()
        for item in items
    ]
    return {**run_json(run), "preview": shown}


def preview_lines(run: Run, proposals: Mapping[str, Sequence[Proposal]], *, width: int) -> Iterator[Line]:
    """Yield a preview as text."""
    if run.actors.simulated:
        yield Line(SIMULATED, "yellow")
    for proposal in chain.from_iterable(proposals.values()):
        if proposal.task is not None:
            yield from task_lines(proposal.task, (), width=width)
        for rejection in proposal.final:
            yield Line(f"rejected  {rejection.reason}: {rejection.evidence}", "red")
        yield Line("")


def estimate_json(run: Run, config: Config) -> dict[str, Any]:
    """Return the expected calls, tokens and dollars of a run, by role, by domain and in all.

    Null dollars mean no price is set.
    """
    domains = estimates(run)
    by_role = {
        role: {"backend": config.roles[role].backend, **_priced(run, config, role, expected)}
        for role, expected in _summed(domains.values()).items()
    }
    by_domain = {
        name: _total([_priced(run, config, role, expected) for role, expected in roles.items()])
        for name, roles in domains.items()
    }
    return {**run_json(run), "estimate": by_role, "domains": by_domain, "total": _total(list(by_role.values()))}


def unpaid(run: Run, config: Config) -> bool:
    """Return whether nobody takes tokens for a run: every role is played by a program, or from a recording."""
    return all(
        backend.simulated or config.roles[role].backend == _RECORDED for role, backend in run.actors.backends.items()
    )


def estimate_table(run: Run, config: Config) -> str:
    """Return the estimate as text; a run over several domains says what share each has of the total.

    Where nobody takes tokens, only calls are counted.
    """
    report, free = estimate_json(run, config), unpaid(run, config)
    shares = report["domains"].items() if len(report["domains"]) > 1 else ()
    counts = ("calls",) if free else ("calls", "prompt_tokens", "completion_tokens")
    rows = [
        (
            name,
            row.get("backend", ""),
            *(f"{row[key]:,}" for key in counts),
            *(() if free else (_dollar_text(row["usd"]),)),
        )
        for name, row in (
            *report["estimate"].items(),
            ("total", report["total"]),
            *((f"of it {name}", row) for name, row in shares),
        )
    ]
    header = ("role", "backend", "calls", *(() if free else ("prompt tokens", "reply tokens", "USD")))
    table = aligned(rows, header=header, right=range(2, len(header)))
    notes = ["at most about: every proposal accepted, every trial rolled out, nothing answered from the journal"]
    if free:
        notes.append("no model is asked: it takes no tokens and costs nothing")
    elif report["total"]["usd"] is None:
        notes.append('no price: give one in eigen.toml, as in [prices."my-model"] prompt = 0.2, completion = 0.6')
    if run.actors.simulated:
        notes.append(SIMULATED)
    return "\n".join([table, *notes])


def parent_text(run: Run, parent: Parent, generations: Sequence[Generation]) -> str:
    """Return in words what a run that goes on from a generation will make, and that what is there stays.

    `generations`: all that the registry has.
    """
    rounds = f"round {run.first}" if run.first == run.last else f"rounds {run.first} to {run.last}"
    said = f"goes on from {parent.generation.id}: {rounds} of {run.domain}, seed {run.settings.seed}"
    earlier = [item.id for item in generations if item.body.parent == parent.generation.hash]
    if not earlier:
        return said
    return f"{said}; {', '.join(earlier)}, made from it before, {'stay' if len(earlier) > 1 else 'stays'}"


def repeated_text(parent: Parent, before: Sequence[Generation], made: Sequence[Generation]) -> str:
    """Return in words which generations were there before a run that goes on from one, or nothing."""
    known = {item.hash for item in before}
    repeated = [item.id for item in made if item.hash in known]
    if not repeated:
        return ""
    were = "were" if len(repeated) > 1 else "was"
    again = f"these settings and actors make the same of {parent.generation.id} again"
    return f"{', '.join(repeated)} {were} there already: {again}"


def progress_of(console: Console) -> Progress:
    """Return what says how far the rounds are: a line on a terminal, and a note for every generation sealed."""

    def show(stage: str, done: int, total: int) -> None:
        if stage == "generations":
            console.note(f"round {done} of {total} sealed")
        elif stage == "damaged":
            console.warn(
                f"the run's journal was damaged in {done} places; what they held is asked for again, "
                "and the damaged file stays beside the new one"
            )
        else:
            console.progress(f"{stage} {done}/{total}")

    return show


def _summed(domains: Iterable[Mapping[RoleName, CallEstimate]]) -> dict[RoleName, CallEstimate]:
    """Return what each role is asked in all domains together."""
    summed: dict[RoleName, CallEstimate] = {}
    for roles in domains:
        for role, expected in roles.items():
            summed[role] = summed[role].plus(expected) if role in summed else expected
    return summed


def forecast_text(run: Run, foretold: Forecast) -> str:
    """Return a forecast as one line: dollars with their interval where there are prices, and tokens."""
    dollars = f"{foretold.usd:.2f} USD ({foretold.usd_low:.2f} to {foretold.usd_high:.2f}), " if foretold.usd else ""
    rounds = f"{run.settings.rounds} round" + ("s" if run.settings.rounds > 1 else "")
    return f"forecast from {foretold.tasks} tasks, for {rounds}: {dollars}about {foretold.tokens:,} tokens"


def _priced(run: Run, config: Config, role: RoleName, expected: CallEstimate) -> dict[str, Any]:
    return {
        "calls": expected.calls,
        "prompt_tokens": expected.prompt_tokens,
        "completion_tokens": expected.completion_tokens,
        "usd": _dollars(run, config, role, expected),
    }


def _dollars(run: Run, config: Config, role: RoleName, expected: CallEstimate) -> float | None:
    if run.actors.backends[role].simulated:
        return 0.0
    price = config.roles[role].price
    if price is None:
        return None
    tokens = Usage(prompt_tokens=expected.prompt_tokens, completion_tokens=expected.completion_tokens)
    return round(price.of(tokens), 2)


def _total(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    total: dict[str, Any] = {
        name: sum(row[name] for row in rows) for name in ("calls", "prompt_tokens", "completion_tokens")
    }
    dollars = [row["usd"] for row in rows]
    total["usd"] = None if None in dollars else round(sum(dollars), 2)
    return total


def _dollar_text(dollars: float | None) -> str:
    return "?" if dollars is None else f"{dollars:,.2f}"
