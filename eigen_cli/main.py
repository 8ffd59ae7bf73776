"""The root command, and the one place where errors become exits.

Commands are named here and imported when called: `eigen --help` costs click and little else. Commands of plugins
are found by entry-point name in the group `eigen.commands`, so help imports none of them either.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from eigen_cli.api.errors import EigenError, PluginError
from eigen_cli.commands.options import common_options
from eigen_cli.console import Console, ReaderLeftError
from eigen_cli.exits import ExitCode, exit_code
from eigen_cli.nearest import nearest_hint
from eigen_cli.version import VERSION

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

COMMAND_GROUP = "eigen.commands"


class BuiltinCommand(NamedTuple):
    """A command of ours: where it is and its help line, repeated here so that listing imports nothing.

    A test holds `summary` against the command's own help.
    """

    target: str
    summary: str


COMMANDS: dict[str, BuiltinCommand] = {
    "evolve": BuiltinCommand("eigen_cli.commands.evolve:evolve", "Evolve generations of verified tasks and episodes."),
    "rollback": BuiltinCommand(
        "eigen_cli.commands.rollback:rollback", "Start the next round from an earlier generation."
    ),
    "generations": BuiltinCommand(
        "eigen_cli.commands.generations:generations", "List the sealed generations as the tree they form."
    ),
    "show": BuiltinCommand(
        "eigen_cli.commands.show:show", "Show a generation, its plans, tasks, prompts or dialogues."
    ),
    "diff": BuiltinCommand("eigen_cli.commands.diff:diff", "Show what changed from one generation to another."),
    "tag": BuiltinCommand("eigen_cli.commands.tag:tag", "List the tags, or let one name a generation."),
    "gc": BuiltinCommand("eigen_cli.commands.gc:gc", "Delete generations that nothing needs."),
    "verify-registry": BuiltinCommand(
        "eigen_cli.commands.verify_registry:verify_registry",
        "Hash everything sealed again, and replay a sample of it.",
    ),
    "replay": BuiltinCommand("eigen_cli.commands.replay:replay", "Replay tasks' gold and show what it brings."),
    "eval": BuiltinCommand(
        "eigen_cli.commands.eval:evaluate", "Score an agent on a domain's tasks: pass^k with intervals."
    ),
    "evaluations": BuiltinCommand(
        "eigen_cli.commands.evaluations:evaluations", "List the stored evaluations, or show one."
    ),
    "export": BuiltinCommand("eigen_cli.commands.export:export", "Write a generation in another format."),
    "push": BuiltinCommand("eigen_cli.commands.push:push", "Push a generation to the Hugging Face Hub."),
    "pull": BuiltinCommand("eigen_cli.commands.pull:pull", "Fetch a generation from the Hugging Face Hub."),
    "play": BuiltinCommand("eigen_cli.commands.play:play", "Play one side of a task yourself."),
    "plugins": BuiltinCommand("eigen_cli.commands.plugins:plugins", "List the installed plugins, broken ones too."),
    "check-domain": BuiltinCommand("eigen_cli.commands.check_domain:check_domain", "Check a domain's contract."),
    "doctor": BuiltinCommand("eigen_cli.commands.doctor:doctor", "Check the installation and show the settings."),
    "completion": BuiltinCommand("eigen_cli.commands.completion:completion", "Print a shell completion script."),
}


class RootGroup(click.Group):
    """A group whose commands are imported by name, when one is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return our commands in their own order, then those of plugins."""
        return [*COMMANDS, *_plugin_command_names()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command; None if neither we nor a plugin has it."""
        if cmd_name in COMMANDS:
            return _imported(COMMANDS[cmd_name].target)
        return _plugin_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name; an unknown one fails with the nearest match."""
        name = args[0]
        if name.startswith("-") or ctx.resilient_parsing or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        raise UnknownCommandError(name, nearest_hint(name, [*COMMANDS, *_plugin_command_names()]))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.summary) for name, command in COMMANDS.items()])
        if from_plugins := _plugin_command_names():
            with formatter.section("Commands of plugins"):
                formatter.write_dl([(name, "") for name in from_plugins])


class UnknownCommandError(EigenError):
    """The first argument names no command."""

    def __init__(self, name: str, hint: str | None) -> None:
        super().__init__(f"there is no command `{name}`", hint=hint)


@click.group(cls=RootGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="eigen")
@common_options
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Turn a domain (tables, tools, a policy) into verified training data that gets better each round.

    Example: eigen evolve airline --rounds 5
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `eigen` and exit; `arguments` defaults to the process's."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; the only place that reports an error."""
    console = Console()
    # Read before parsing, so that an error inside parsing shows its traceback too.
    console.debug = "--debug" in arguments
    # A stream the caller closed (`>&-`) is None: nobody listens, which is no reason to fall.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    try:
        result = cli.main(list(arguments), prog_name="eigen", standalone_mode=False, obj=console)
        console.flush()
        return result if isinstance(result, int) else ExitCode.DONE
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except ReaderLeftError:
        # Without this Python would fail once more when it flushes stdout on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except (Exception, KeyboardInterrupt) as error:
        return _report(error, console)


def _report(error: BaseException, console: Console) -> int:
    if console.debug:
        console.traceback(error)
    if isinstance(error, (click.Abort, KeyboardInterrupt)):
        console.error("interrupted")
        return ExitCode.INTERRUPTED
    if isinstance(error, click.ClickException):
        usage = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "eigen"
        console.error(error.format_message(), f"`{usage} --help` shows what is understood")
        return error.exit_code
    if isinstance(error, EigenError):
        console.error(error.message, error.hint)
        return ExitCode.USAGE if isinstance(error, UnknownCommandError) else exit_code(error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        console.error(f"the disk is full: {error}", "free some space and run the same command again")
        return ExitCode.FAILED
    if isinstance(error, OSError):
        console.error(str(error))
        return ExitCode.FAILED
    console.error(f"unexpected {type(error).__name__}: {error}", "this is a bug; run again with --debug to see where")
    return ExitCode.FAILED


def _imported(target: str) -> click.Command:
    module, _, attribute = target.partition(":")
    command: Any = getattr(import_module(module), attribute)
    if not isinstance(command, click.Command):
        raise TypeError(f"{target} is a {type(command).__name__}, not a click command")
    return command


def _plugin_entry_points() -> EntryPoints:
    from importlib.metadata import entry_points  # 45 ms

    return entry_points(group=COMMAND_GROUP)


def _plugin_command_names() -> list[str]:
    """Return the names of plugin commands that do not hide one of ours.

    Help must not pay for `importlib.metadata`, so that is asked only where some installed package has the group.
    """
    if not _some_package_has_commands():
        return []
    return sorted({entry.name for entry in _plugin_entry_points()} - set(COMMANDS))


def _some_package_has_commands() -> bool:
    return any(_declares_commands(metadata) for folder in dict.fromkeys(sys.path) for metadata in _metadata_of(folder))


def _metadata_of(folder: str) -> list[str]:
    # `os` and `open` here and below: importing pathlib would add 5 ms to every `--help`.
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208
        return [f"{folder or '.'}/{name}" for name in names if name.endswith(".dist-info")]
    except OSError:
        return []


def _declares_commands(metadata: str) -> bool:
    try:
        with open(f"{metadata}/entry_points.txt", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return f"[{COMMAND_GROUP}]" in file.read()
    except OSError:
        return False


def _plugin_command(name: str) -> click.Command | None:
    entry = next(iter(_plugin_entry_points().select(name=name)), None)
    if entry is None:
        return None
    owner = entry.dist.name if entry.dist else entry.value
    try:
        return _imported(entry.value)
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"the command `{name}` of {owner} cannot be loaded: {type(error).__name__}: {error}",
            hint=f"reinstall or remove {owner}",
        ) from error
