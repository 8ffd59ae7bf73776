"""Options that several commands share, declared once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from eigen_cli.console import Console

if TYPE_CHECKING:
    from eigen_cli.api.specs import PluginKind

F = TypeVar("F", bound=Callable[..., Any])


def _set_quiet(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Console).quiet = True


def _set_debug(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Console).debug = True


def _set_no_color(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Console).color = False


def common_options(command: F) -> F:
    """Add `--quiet`, `--debug` and `--no-color`; they work before and after the command's name."""
    for flag, callback, text in (
        ("--no-color", _set_no_color, "Use no colour (NO_COLOR does the same)."),
        ("--debug", _set_debug, "Show the traceback of an error."),
        ("--quiet", _set_quiet, "Say nothing on stderr but warnings and errors."),
    ):
        command = click.option(flag, is_flag=True, expose_value=False, callback=callback, help=text)(command)
    return command


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def registry_option(command: F) -> F:
    """Add `--registry`, which names the registry's folder."""
    return click.option(
        "--registry",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Folder of the registry (EIGEN_REGISTRY; default .eigen).",
    )(command)


def tau2_data_option(command: F) -> F:
    """Add `--tau2-data`, which names a folder with tau2-bench's data."""
    return click.option(
        "--tau2-data",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Folder with tau2-bench's data, for tau2-* domains (EIGEN_TAU2_DATA; default: the installed `tau2`).",
    )(command)


def tau2_tasks_option(command: F) -> F:
    """Add `--tau2-tasks`, which names a file of tasks in tau2-bench's form."""
    return click.option(
        "--tau2-tasks",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="File of tasks to use instead of the official ones, for tau2-* domains (EIGEN_TAU2_TASKS).",
    )(command)


def terms_options(command: F) -> F:
    """Add the flags that bound, save and record what is asked of backends."""
    options = (
        click.option(
            "--budget-usd",
            type=click.FloatRange(min=0, min_open=True),
            metavar="N",
            help="Stop before more dollars are spent; resumable.",
        ),
        click.option(
            "--budget-tokens",
            type=click.IntRange(min=1),
            metavar="N",
            help="Stop before more tokens are used; resumable.",
        ),
        click.option("--cache", metavar="DIR", help="Answer what was asked before, in any run, from this folder."),
        click.option("--record", metavar="FILE", help="Record every exchange to a cassette (.gz compresses)."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def terms_settings(flags: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
    """Return the settings that the flags of `terms_options` make, by key, each with its flag's spelling."""
    return {
        "budget.usd": ("--budget-usd", flags["budget_usd"]),
        "budget.tokens": ("--budget-tokens", flags["budget_tokens"]),
        "cache": ("--cache", flags["cache"]),
        "record": ("--record", flags["record"]),
    }


def completed_plugins(kind: PluginKind) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return a shell completion that offers the installed plugins of a kind."""

    def complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
        from eigen_cli.run.plugins import load_plugins  # 60 ms

        return [spec.name for spec in load_plugins().specs(kind) if spec.name.startswith(incomplete)]

    return complete


def evolve_options(command: F) -> F:
    """Add the flags that set a run's size, switches and backends; `eigen.toml` and EIGEN_* variables set them too."""
    count, any_number = click.IntRange(min=1), click.IntRange(min=0)
    options = (
        click.option("--rounds", type=count, metavar="N", help="Rounds, each sealed as a generation (default 5)."),
        click.option(
            "--tasks",
            type=count,
            metavar="N",
            help="Proposals a round, repairs not counted, shared out evenly among domains (default 40).",
        ),
        click.option("--trials", type=count, metavar="N", help="Episodes an accepted task (default 4)."),
        click.option("--seed", type=any_number, metavar="N", help="Seed of every random choice (default 0)."),
        click.option("--plans", type=count, metavar="N", help="Plans a round in each domain (default 4)."),
        click.option("--concurrency", type=count, metavar="N", help="Calls in flight at most (default 64)."),
        click.option("--world-size", type=any_number, metavar="N", help="Records of the world (0: the domain's own)."),
        click.option(
            "--backend",
            metavar="NAME",
            shell_complete=completed_plugins("backend"),
            help="Who plays every role (offline).",
        ),
        click.option("--base-url", metavar="URL", help="Address of the model server."),
        click.option("--model", metavar="NAME", help="Model to ask. [roles.…] in eigen.toml gives each role its own."),
        click.option("--no-validation", is_flag=True, help="Ablation: accept every task."),
        click.option("--no-evolution", is_flag=True, help="Ablation: keep the first round's plans."),
    )
    for option in reversed(options):
        command = option(command)
    return command
