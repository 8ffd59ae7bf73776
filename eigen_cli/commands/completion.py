"""`eigen completion`."""

from __future__ import annotations

import click

from eigen_cli.commands.options import common_options
from eigen_cli.console import Console


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@common_options
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a shell completion script.

    bash and zsh: put `eval "$(eigen completion bash)"` into the shell's start-up file. fish: write the script to
    ~/.config/fish/completions/eigen.fish.

    Example: eigen completion bash
    """
    from click.shell_completion import get_completion_class

    console: Console = ctx.obj
    completer = get_completion_class(shell)
    if completer is None:
        raise click.UsageError(f"this click cannot complete for {shell}", ctx)
    script = completer(ctx.find_root().command, {}, "eigen", "_EIGEN_COMPLETE").source()
    console.data(script.rstrip())
