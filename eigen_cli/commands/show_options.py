"""The flags of `eigen show`: one view at a time, and the filters that go with a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_args

import click
from msgspec.structs import replace

from eigen_cli.api.browsing import EpisodeFilter, EpisodeOrder, TaskFilter, TaskOrder
from eigen_cli.api.episodes import AGENT_STOPS, USER_STOPS
from eigen_cli.api.messages import Requestor
from eigen_cli.api.tasks import Split
from eigen_cli.api.verdicts import BLAME_PARTIES

F = TypeVar("F", bound=Callable[..., Any])

_STOPS = ("user_stop", *sorted(AGENT_STOPS), *sorted(USER_STOPS), "infrastructure")
_VIEWS = ("--tasks", "--episodes", "--episode", "--sample", "--plan", "--prompt", "--find")
_GO_WITH: Mapping[str, tuple[str, ...]] = {
    "--task": ("--episodes", "--prompt"),
    "--domain": ("--tasks", "--episodes", "--prompt"),
    "--split": ("--tasks", "--episodes"),
    "--template": ("--tasks", "--episodes"),
    "--tool": ("--tasks", "--episodes"),
    "--clause": ("--tasks", "--episodes"),
    "--difficulty": ("--tasks", "--episodes"),
    "--passed": ("--episodes",),
    "--failed": ("--episodes",),
    "--blame": ("--episodes",),
    "--stop": ("--episodes",),
    "--sort": ("--tasks", "--episodes"),
    "--desc": ("--tasks", "--episodes"),
    "--page": ("--tasks", "--episodes"),
}
"""The views a filter narrows. `--task` by itself is a view too."""


def view_options(command: F) -> F:
    """Add the flags that choose what is shown."""
    count = click.IntRange(min=1)
    options = (
        click.option("--tasks", is_flag=True, help="List the accepted tasks, a page at a time."),
        click.option("--task", metavar="ID", help="Show one task and its episodes; narrows --episodes and --prompt."),
        click.option("--episodes", is_flag=True, help="List the episodes, a page at a time."),
        click.option("--episode", metavar="ID", help="Show one episode's dialogue."),
        click.option("--sample", metavar="N", type=count, help="Show N dialogues, failures first."),
        click.option("--plan", metavar="ID", help="Show one plan whole."),
        click.option(
            "--prompt",
            type=click.Choice(get_args(Requestor)),
            help="Print the system message and the tools that side was given.",
        ),
        click.option("--find", metavar="WORDS", help="Find words in scenarios and in what was said."),
    )
    return _added(command, options)


def filter_options(command: F) -> F:
    """Add the flags that narrow, order and page a list."""
    orders = tuple(dict.fromkeys((*get_args(TaskOrder), *get_args(EpisodeOrder))))
    count = click.IntRange(min=1)
    options = (
        click.option("--domain", metavar="NAME", help="Tasks of this domain, or their episodes; its --prompt."),
        click.option("--split", type=click.Choice(get_args(Split)), help="Tasks of this split, or their episodes."),
        click.option("--template", metavar="NAME", help="Tasks of this template, or their episodes."),
        click.option("--tool", metavar="NAME", help="Tasks whose gold calls this tool, or their episodes."),
        click.option("--clause", metavar="ID", help="Tasks that touch this policy clause, or their episodes."),
        click.option("--difficulty", metavar="N", type=int, help="Tasks of this difficulty, or their episodes."),
        click.option("--passed", is_flag=True, help="Episodes that passed."),
        click.option("--failed", is_flag=True, help="Episodes that did not pass."),
        click.option("--blame", type=click.Choice(BLAME_PARTIES), help="Episodes whose failure this one caused."),
        click.option("--stop", type=click.Choice(_STOPS), metavar="WHY", help="Episodes that ended so (user_stop, …)."),
        click.option("--sort", type=click.Choice(orders), help="Order of the list (ordinal)."),
        click.option("--desc", is_flag=True, help="From the highest to the lowest."),
        click.option("--page", metavar="N", type=count, help="Which page of the list."),
    )
    return _added(command, options)


def _added(command: F, options: tuple[Callable[[F], F], ...]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def chosen_view(flags: Mapping[str, Any]) -> str:
    """Return the flag of the one view asked for, or an empty text for the record itself.

    Raises `UsageError` for two views at once, and for a filter without the list it narrows.
    """
    given = {f"--{name}" for name, value in flags.items() if value}
    views = [view for view in _VIEWS if view in given]
    if len(views) > 1 or (views and "--task" in given and views[0] not in _GO_WITH["--task"]):
        together = [*views, "--task"] if "--task" in given else views
        raise click.UsageError(f"{' and '.join(together)} cannot be combined")
    view = views[0] if views else "--task" if "--task" in given else ""
    for flag, wanted in _GO_WITH.items():
        if flag in given and view not in wanted and flag != view:
            raise click.UsageError(f"{flag} goes with {' or '.join(wanted)}")
    return view


def task_filter(flags: Mapping[str, Any]) -> TaskFilter:
    """Return which tasks flags ask for, and in which order."""
    order = _order(flags["sort"], get_args(TaskOrder), "tasks")
    return replace(_narrowed(flags), order=order, descending=flags["desc"])


def _narrowed(flags: Mapping[str, Any]) -> TaskFilter:
    return TaskFilter(
        domain=flags["domain"],
        split=flags["split"],
        template=flags["template"],
        clause=flags["clause"],
        tool=flags["tool"],
        difficulty=flags["difficulty"],
    )


def episode_filter(flags: Mapping[str, Any], *, task: str | None) -> EpisodeFilter:
    """Return which episodes flags ask for, and in which order; `task` is a whole id."""
    if flags["passed"] and flags["failed"]:
        raise click.UsageError("--passed and --failed cannot be combined")
    return EpisodeFilter(
        task=task,
        tasks=_narrowed(flags),
        passed=True if flags["passed"] else False if flags["failed"] else None,
        blame=flags["blame"],
        stop=flags["stop"],
        order=_order(flags["sort"], get_args(EpisodeOrder), "episodes"),  # type: ignore[arg-type]
        descending=flags["desc"],
    )


def _order(wanted: str | None, known: tuple[str, ...], noun: str) -> str:
    if wanted is None:
        return "ordinal"
    if wanted not in known:
        raise click.UsageError(f"{noun} are sorted by {', '.join(known)}, not by {wanted}")
    return wanted
