"""`eigen show`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import click

from eigen_cli.api.generations import EpisodeRecord, Generation
from eigen_cli.api.store import Store
from eigen_cli.commands.dialogue import dialogue_lines, failures_first
from eigen_cli.commands.generation_views import SCHEMA, generation_json, generation_lines, simulated_line
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.task_views import task_lines, tasks_table
from eigen_cli.commands.wiring import opened_store
from eigen_cli.console import Console, Line


@click.command()
@click.argument("generation", metavar="[GEN]", default="latest")
@click.option("--tasks", "list_tasks", is_flag=True, help="List the accepted tasks.")
@click.option("--task", "task_ref", metavar="ID", help="Show one task and its episodes.")
@click.option("--episode", "episode_ref", metavar="ID", help="Show one episode's dialogue.")
@click.option("--sample", metavar="N", type=click.IntRange(min=1), help="Show N dialogues, failures first.")
@registry_option
@json_option
@common_options
@click.pass_obj
def show(
    console: Console,
    generation: str,
    *,
    list_tasks: bool,
    task_ref: str | None,
    episode_ref: str | None,
    sample: int | None,
    registry: str | None,
    as_json: bool,
) -> None:
    """Show a generation, its tasks or its dialogues.

    GEN is an id (gen-0001), a hash or a prefix of one; the latest if left out. Task and episode ids may be cut short.

    Example: eigen show gen-0001 --sample 20
    """
    given = {"--tasks": list_tasks, "--task": task_ref, "--episode": episode_ref, "--sample": sample}
    if len(chosen := [flag for flag, value in given.items() if value]) > 1:
        raise click.UsageError(f"{' and '.join(chosen)} cannot be combined")
    store = opened_store(registry)
    found = store.generation(generation)
    if list_tasks:
        view = _task_list(store, found)
    elif task_ref:
        view = _one_task(store, found, task_ref)
    elif episode_ref:
        view = _dialogues(store, found, [store.episode(found.id, episode_ref)])
    elif sample:
        view = _dialogues(store, found, failures_first(store.episodes(found.id), sample))
    else:
        view = _summary(store, found)
    if as_json:
        console.json({"schema": SCHEMA, "generation": generation_json(found), **view.fields})
    else:
        console.lines(view.lines)


class _View(NamedTuple):
    """One answer in both forms; `fields` are records that only `--json` encodes, `lines` are made as they are read."""

    fields: dict[str, Any]
    lines: Iterator[Line]


def _summary(store: Store, found: Generation) -> _View:
    plans = store.plans(found.id)
    return _View({"plans": plans}, generation_lines(found, plans))


def _task_list(store: Store, found: Generation) -> _View:
    tasks = list(store.tasks(found.id))
    trials: dict[str, list[EpisodeRecord]] = {}
    for record in store.episodes(found.id):
        trials.setdefault(record.episode.task, []).append(record)
    return _View({"tasks": tasks}, chain(simulated_line(found), [Line(tasks_table(tasks, trials))]))


def _one_task(store: Store, found: Generation, ref: str) -> _View:
    task = store.task(found.id, ref)
    records = list(store.episodes(found.id, task=task.id))
    return _View({"task": task, "episodes": records}, chain(simulated_line(found), task_lines(task, records)))


def _dialogues(store: Store, found: Generation, records: list[EpisodeRecord]) -> _View:
    tasks = {record.episode.task: store.task(found.id, record.episode.task) for record in records}

    def lines() -> Iterator[Line]:
        yield from simulated_line(found)
        for record in records:
            yield from dialogue_lines(record, tasks[record.episode.task])
            yield Line("")

    return _View({"tasks": tasks, "episodes": records}, lines())
