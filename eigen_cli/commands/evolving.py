"""What `eigen evolve` and `eigen rollback` share: from flags to a run, and from a run to what is printed of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import click

from eigen_cli.api.errors import BackendError
from eigen_cli.api.generations import Generation
from eigen_cli.commands.evolve_views import (
    estimate_json,
    estimate_table,
    evolved_json,
    forecast_text,
    parent_text,
    progress_of,
    repeated_text,
    unpaid,
)
from eigen_cli.commands.generation_views import generations_table, simulated_line
from eigen_cli.commands.options import (
    common_options,
    evolve_options,
    json_option,
    registry_option,
    tau2_data_option,
    terms_options,
    terms_settings,
)
from eigen_cli.commands.remarks import remarks
from eigen_cli.commands.run_assembly import note_overlaps, warn_of_benchmarks, warn_of_one_model, warn_of_parent
from eigen_cli.commands.tables import ENDLESS
from eigen_cli.console import Console
from eigen_cli.evolve.forecast import Forecast
from eigen_cli.evolve.runs import Run
from eigen_cli.roles.structured import UnusableReplyError
from eigen_cli.run.sections import Config

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Settings = dict[str, tuple[str, Any]]
"""By key: how it was given, and the value; None where it was not."""


def run_options(command: F) -> F:
    """Add everything that sets a run, says what it would cost or starts it anew."""
    options: tuple[Callable[[F], F], ...] = (
        evolve_options,
        click.option("--dir", "folder", metavar="DIR", help="Folder of the mailbox, for --backend mailbox."),
        terms_options,
        click.option(
            "--dry-run", is_flag=True, help="Say how many calls, tokens and dollars it would take; do nothing."
        ),
        click.option("--fresh", is_flag=True, help="Start anew instead of resuming; the old journal is set aside."),
        tau2_data_option,
        registry_option,
        json_option,
        common_options,
    )
    for option in reversed(options):
        command = option(command)
    return command


def settings_of(flags: Mapping[str, Any]) -> Settings:
    """Return the flags that are settings, by key, each with its spelling."""
    settings: Settings = {"registry": ("--registry", flags["registry"])}
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


def warn(console: Console, run: Run) -> None:
    """Say what speaks against a run before it starts, and what it goes on from."""
    warn_of_one_model(run.actors, console, remedy="give [roles.user] or [roles.judge] another in eigen.toml")
    warn_of_benchmarks(run, console)
    if run.parent is not None:
        console.note(parent_text(run, run.parent, run.store.generations()))
        warn_of_parent(run, run.parent, console)


def print_estimate(console: Console, run: Run, config: Config, *, as_json: bool) -> None:
    """Print what a run would cost."""
    if as_json:
        console.json(estimate_json(run, config))
    else:
        console.data(estimate_table(run, config))


def print_evolved(console: Console, run: Run, config: Config, *, as_json: bool) -> None:
    """Carry a run out and print its generations."""
    # A registry that cannot be read must say so before anything is paid for.
    before = run.store.generations()
    generations = _evolved(console, run, config)
    note_overlaps(run, generations, console)
    if run.parent is not None and (repeated := repeated_text(run.parent, before, generations)):
        console.note(repeated)
    if as_json:
        console.json(evolved_json(run, config, generations))
        return
    console.data(generations_table(generations, width=console.width(ENDLESS)))
    console.lines(simulated_line(generations[-1]))
    last = generations[-1].id
    console.note(f"in {run.store.folder}; look with `eigen show {last}` and `eigen show {last} --sample 20`")


def _evolved(console: Console, run: Run, config: Config) -> Sequence[Generation]:
    from eigen_cli.evolve.loop import evolve as run_rounds

    def forecast(foretold: Forecast) -> None:
        if not unpaid(run, config):
            console.note(forecast_text(run, foretold))

    return finished(console, run_rounds(run, progress=progress_of(console), forecast=forecast))


def finished(console: Console, work: Coroutine[Any, Any, T]) -> T:
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
