"""`eigen play`."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from eigen_cli.commands.dialogue import dialogue_lines
from eigen_cli.commands.eval_options import PlayedType
from eigen_cli.commands.options import (
    common_options,
    completed_plugins,
    json_option,
    registry_option,
    tau2_data_option,
    tau2_tasks_option,
)
from eigen_cli.commands.remarks import remarks
from eigen_cli.commands.wiring import configured, open_store
from eigen_cli.console import Console


@click.command()
@click.argument("domain", shell_complete=completed_plugins("domain"))
@click.option("--as", "side", type=click.Choice(["agent", "user"]), default="agent", help="Your side (default agent).")
@click.option(
    "--with",
    "other",
    type=PlayedType(),
    metavar="NAME[:MODEL]",
    shell_complete=completed_plugins("backend"),
    help="Who plays the other side: a backend and, where it asks one, its model (offline).",
)
@click.option("--task", "task_id", metavar="ID", help="The task to play; may be cut short.")
@click.option("--generation", metavar="GEN", help="Generation to take the task from (default: the domain's latest).")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Which task, where none is named (default 0).")
@click.option("--base-url", metavar="URL", help="Address of the model server.")
@tau2_data_option
@tau2_tasks_option
@registry_option
@json_option
@common_options
@click.pass_obj
def play(console: Console, /, domain: str, *, as_json: bool, **flags: Any) -> None:
    """Play one side of a task yourself.

    You type, the other side is a backend, the tools are real. At the end the whole dialogue, every change to the world
    and the verdict are shown. Type /help for what can be typed. Without a stored task one is drafted on the spot.

    Example: eigen play airline --as user
    """
    from eigen_cli.commands.play_assembly import Table, seated  # 150 ms
    from eigen_cli.commands.run_assembly import recast

    settings = {
        "registry": ("--registry", flags["registry"]),
        "tau2_data": ("--tau2-data", flags["tau2_data"]),
        "tau2_tasks": ("--tau2-tasks", flags["tau2_tasks"]),
    }
    config = configured(settings)
    if flags["other"] is None:
        config = recast(config, console, ("user" if flags["side"] == "agent" else "agent",))
    table: Table = seated(
        domain,
        config,
        open_store(config.registry),
        side=flags["side"],
        other=flags["other"],
        base_url=flags["base_url"],
        task_id=flags["task_id"],
        generation=flags["generation"],
        seed=flags["seed"],
    )
    console.note(f"{table.domain.title}: task {table.task.id}; you are the {flags['side']}, the other is {table.other}")
    with remarks(console):
        record = asyncio.run(table.played())
    if as_json:
        console.json({"schema": 1, "task": table.task, "episode": record.episode, "verdict": record.verdict})
        return
    console.lines(dialogue_lines(record, table.task))
