"""`eigen replay`."""

from __future__ import annotations

from dataclasses import replace

import click

from eigen_cli.api.domain import Domain
from eigen_cli.api.errors import ConfigError, UnknownRefError
from eigen_cli.commands.generation_views import SCHEMA
from eigen_cli.commands.options import (
    common_options,
    completed_plugins,
    json_option,
    registry_option,
    tau2_data_option,
    tau2_tasks_option,
)
from eigen_cli.commands.wiring import configured, load_domain, open_store
from eigen_cli.console import Console
from eigen_cli.evaluation.selection import EVERY, Selection, latest, of_generation, of_set
from eigen_cli.exits import ExitCode
from eigen_cli.nearest import nearest_hint
from eigen_cli.run.plugins import load_plugins
from eigen_cli.run.sections import Config


@click.command()
@click.argument("domain", shell_complete=completed_plugins("domain"))
@click.option("--split", metavar="NAME", default=EVERY, help="Only this split's tasks (default all).")
@click.option("--task", "task_id", metavar="ID", help="Only this task; the id may be cut short.")
@click.option("--generation", metavar="GEN", help="Tasks of this generation (default the domain's own, else latest).")
@tau2_data_option
@tau2_tasks_option
@registry_option
@json_option
@common_options
@click.pass_obj
def replay(
    console: Console,
    domain: str,
    *,
    split: str,
    task_id: str | None,
    generation: str | None,
    tau2_data: str | None,
    tau2_tasks: str | None,
    registry: str | None,
    as_json: bool,
) -> int:
    """Replay tasks' gold and show what it brings.

    Runs the gold calls of every task, those a domain comes with or those of a generation, and shows the calls that are
    refused, whether the checks hold, and the hashes of the outcome; for tau2-* domains also the benchmark's own hashes
    by side. A refused call is a fact, not a failure; a check that does not hold is a failure.

    Example: eigen replay tau2-retail --split test
    """
    from eigen_cli.commands.replay_views import Tally, skipped_lines, summary_line, task_lines
    from eigen_cli.evaluation.replaying import replayed_tasks

    flags = {"tau2_data": ("--tau2-data", tau2_data), "tau2_tasks": ("--tau2-tasks", tau2_tasks)}
    config = configured({**flags, "registry": ("--registry", registry)})
    opened = load_domain(load_plugins(), domain, config)
    selection = _selected(opened, config, generation=generation, split=split)
    if task_id is not None:
        selection = _one(selection, task_id)
    tally = Tally()
    replayed = tally.counted(replayed_tasks(opened, selection.tasks))
    if as_json:
        head = {"schema": SCHEMA, "domain": opened.name, "split": selection.split, "release": selection.release}
        console.json({**head, "tasks": list(replayed), "skipped": selection.skipped})
    else:
        console.data(f"{opened.name}, {selection.split}: {selection.release}", "bold")
        for task in replayed:
            console.lines(task_lines(task))
        console.lines(skipped_lines(selection.skipped))
        console.lines([summary_line(tally, len(selection.skipped))])
    return ExitCode.FAILED if tally.broken else ExitCode.DONE


def _selected(domain: Domain, config: Config, *, generation: str | None, split: str) -> Selection:
    """Return the tasks a domain comes with, or those of a generation: the one named, else the latest that has any."""
    task_set = domain.task_set() if generation is None else None
    if task_set is not None:
        return of_set(domain, task_set, split=split)
    store = open_store(config.registry)
    found = latest(domain, store) if generation is None else store.generation(generation)
    return of_generation(domain, store, found, split=split)


def _one(selection: Selection, wanted: str) -> Selection:
    """Return the one task that an id, or the unique beginning of one, names."""
    skipped = next((one for one in selection.skipped if one.id == wanted), None)
    if skipped is not None:
        raise ConfigError(f"the task {wanted!r} cannot be used: {skipped.why}")
    exact = tuple(task for task in selection.tasks if task.id == wanted)
    found = exact or tuple(task for task in selection.tasks if task.id.startswith(wanted))
    if len(found) != 1:
        has = f"has {len(found)} tasks that begin with" if found else "has no task"
        hint = nearest_hint(wanted, (task.id for task in found or selection.tasks))
        raise UnknownRefError(f"the split {selection.split} of {selection.release} {has} {wanted!r}", hint=hint)
    return replace(selection, tasks=found, skipped=())
