"""`eigen evolve`."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import click

from eigen_cli.api.errors import BackendError
from eigen_cli.api.generations import Generation
from eigen_cli.commands.evolve_views import (
    estimate_json,
    estimate_table,
    evolved_json,
    forecast_text,
    preview_lines,
    previewed_json,
    progress_of,
)
from eigen_cli.commands.generation_views import generations_table, simulated_line
from eigen_cli.commands.options import (
    common_options,
    completed_plugins,
    evolve_options,
    json_option,
    registry_option,
    tau2_data_option,
    terms_options,
    terms_settings,
)
from eigen_cli.commands.remarks import remarks
from eigen_cli.commands.run_assembly import assembled, note_overlaps, recast, warn_of_benchmarks, warn_of_one_model
from eigen_cli.commands.wiring import configured
from eigen_cli.console import Console
from eigen_cli.evolve.runs import Run
from eigen_cli.roles.structured import UnusableReplyError
from eigen_cli.run.sections import Config

T = TypeVar("T")


def _completed_domains(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the last name of a list joined by commas."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in completed_plugins("domain")(ctx, param, last)]


@click.command()
@click.argument("domain", shell_complete=_completed_domains)
@evolve_options
@click.option("--dir", "folder", metavar="DIR", help="Folder of the mailbox, for --backend mailbox.")
@terms_options
@click.option("--dry-run", is_flag=True, help="Say how many calls, tokens and dollars it would take; do nothing.")
@click.option(
    "--preview", type=click.IntRange(min=1), metavar="N", help="Show N tasks of each domain before paying for the rest."
)
@click.option("--fresh", is_flag=True, help="Start anew instead of resuming; the old journal is set aside.")
@tau2_data_option
@registry_option
@json_option
@common_options
@click.pass_obj
def evolve(
    console: Console, /, domain: str, *, dry_run: bool, preview: int | None, fresh: bool, as_json: bool, **flags: Any
) -> None:
    """Evolve generations of verified tasks and episodes.

    DOMAIN is a domain, or several joined by commas: then every round holds tasks of each, and its figures by domain.
    Runs N rounds and seals each as a generation. An interrupted run resumes with the same command, a completed one is
    printed, and a larger --rounds extends it. Without --backend the actors are simulated (SIMULATED): for trying out
    and testing, never training data.

    \b
    Example: eigen evolve airline --rounds 5 --tasks 40 --trials 4 --seed 7
             eigen evolve airline,retail,telecom --rounds 5 --tasks 120
    """
    config = recast(configured(_settings_of(flags)), console)
    run = assembled(domain, config, fresh=fresh, record=not dry_run)
    warn_of_one_model(run.actors, console, remedy="give [roles.user] or [roles.judge] another in eigen.toml")
    warn_of_benchmarks(run, console)
    if dry_run:
        _print_estimate(console, run, config, as_json=as_json)
        return
    if preview is not None:
        run = _previewed(console, run, preview, as_json=as_json)
        if as_json or not console.confirmed("Go on with the whole run?"):
            console.note("the same command without --preview goes on; what was written is not paid for again")
            return
    generations = _evolved(console, run)
    note_overlaps(run, generations, console)
    if as_json:
        console.json(evolved_json(run, config, generations))
        return
    console.data(generations_table(generations))
    console.lines(simulated_line(generations[-1]))
    last = generations[-1].id
    console.note(f"in {run.store.folder}; look with `eigen show {last}` and `eigen show {last} --sample 20`")


def _settings_of(flags: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
    """Return the flags that are settings, by key, each with its spelling."""
    settings: dict[str, tuple[str, Any]] = {"registry": ("--registry", flags["registry"])}
    settings["tau2_data"] = ("--tau2-data", flags["tau2_data"])
    for name in ("rounds", "tasks", "trials", "seed", "plans", "concurrency", "world_size"):
        settings[f"evolve.{name}"] = (f"--{name.replace('_', '-')}", flags[name])
    for name in ("validation", "evolution"):
        settings[f"evolve.{name}"] = (f"--no-{name}", False if flags[f"no_{name}"] else None)
    settings |= terms_settings(flags)
    if flags["folder"] is not None:
        settings["backend.options"] = ("--dir", {"dir": flags["folder"]})
    settings["backend.name"] = ("--backend", flags["backend"])
    for name in ("base_url", "model"):
        settings[f"backend.{name}"] = (f"--{name.replace('_', '-')}", flags[name])
    return settings


def _evolved(console: Console, run: Run) -> Sequence[Generation]:
    from eigen_cli.evolve.loop import evolve as run_rounds

    # A registry that cannot be read must say so before anything is paid for.
    run.store.generations()
    return _finished(
        console,
        run_rounds(
            run, progress=progress_of(console), forecast=lambda foretold: console.note(forecast_text(run, foretold))
        ),
    )


def _finished(console: Console, work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; an interrupt says that nothing is lost, a model that cannot plan is the backend's failure."""
    try:
        with remarks(console):
            return asyncio.run(work)
    except KeyboardInterrupt:
        console.note("everything acknowledged is kept; the same command resumes")
        raise
    except UnusableReplyError as error:
        raise BackendError(
            f"the planner's model gave no usable plan in {error.attempts} attempts: {error.error}",
            hint="try a stronger model for [roles.planner], or a server with structured output",
        ) from error


def _print_estimate(console: Console, run: Run, config: Config, *, as_json: bool) -> None:
    if as_json:
        console.json(estimate_json(run, config))
    else:
        console.data(estimate_table(run, config))


def _previewed(console: Console, run: Run, count: int, *, as_json: bool) -> Run:
    from eigen_cli.evolve.preview import preview, previewed

    proposals = _finished(console, preview(run, count))
    if as_json:
        console.json(previewed_json(run, proposals))
    else:
        console.lines(preview_lines(run, proposals))
    return previewed(run)
