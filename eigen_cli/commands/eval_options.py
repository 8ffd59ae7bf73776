"""The options of `eigen eval`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from eigen_cli.commands.eval_assembly import Played
from eigen_cli.commands.options import completed_plugins

F = TypeVar("F", bound=Callable[..., Any])


class PlayedType(click.ParamType):  # type: ignore[type-arg]
    """`NAME[:MODEL]`: a backend, and the model it asks."""

    name = "backend"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Played:
        """Read the two names; a value without a backend fails."""
        if isinstance(value, Played):
            return value
        played = Played.of(value)
        if not played.backend:
            self.fail(f"{value!r} names no backend; write NAME or NAME:MODEL", param, ctx)
        return played


def _role_option(role: str, what: str) -> Callable[[F], F]:
    return click.option(
        f"--{role}",
        type=PlayedType(),
        metavar="NAME[:MODEL]",
        shell_complete=completed_plugins("backend"),
        help=what,
    )


def eval_options(command: F) -> F:
    """Add everything `eigen eval` understands of its own."""
    count, any_number = click.IntRange(min=1), click.IntRange(min=0)
    options = (
        click.option("--split", default="test", metavar="NAME", help="Split to evaluate (default test)."),
        click.option("--trials", type=count, default=4, metavar="N", help="Trials a task (default 4)."),
        _role_option("agent", "Who plays the agent: a backend and, where it asks one, its model."),
        _role_option("user", "Who plays the user."),
        _role_option("judge", "Who decides statements that no code can; simulators are never asked."),
        click.option("--scoring", metavar="NAME", help="Scoring of the headline: official, corrected or own."),
        click.option("--generation", metavar="GEN", help="Generation the agent was trained on, or tasks come from."),
        click.option("--checkpoint", default="", metavar="LABEL", help="What the judged checkpoint is called."),
        click.option(
            "--against", multiple=True, metavar="EVAL", help="Show the paired difference from an earlier evaluation."
        ),
        click.option("--task", "tasks", multiple=True, metavar="ID", help="Only this task (repeat for several)."),
        click.option("--limit", type=count, metavar="N", help="Only the first N tasks."),
        click.option(
            "--seed", type=any_number, default=0, metavar="N", help="Seed of every random choice (default 0)."
        ),
        click.option("--concurrency", type=count, metavar="N", help="Calls in flight at most (default 64)."),
        click.option(
            "--backend",
            metavar="NAME",
            shell_complete=completed_plugins("backend"),
            help="Who plays every role that is not named (offline).",
        ),
        click.option("--base-url", metavar="URL", help="Address of the model server."),
        click.option("--model", metavar="NAME", help="Model to ask, where a role names none."),
        click.option("--dir", "folder", metavar="DIR", help="Folder of the mailbox, for the backend mailbox."),
        click.option("--rescore", metavar="EVAL", help="Score a stored evaluation's episodes anew, without any call."),
        click.option("--allow-missing", is_flag=True, help="Exit 0 although trials have no reward."),
        click.option("--fresh", is_flag=True, help="Start anew instead of resuming; the old journal is set aside."),
        click.option("--dry-run", is_flag=True, help="Say how many calls, tokens and dollars it would take."),
    )
    for option in reversed(options):
        command = option(command)
    return command
