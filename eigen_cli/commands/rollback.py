"""`eigen rollback`."""

from __future__ import annotations

import re
from typing import Any

import click

from eigen_cli.api.generations import Generation
from eigen_cli.commands.evolving import Settings, print_estimate, print_evolved, run_options, settings_of, warn
from eigen_cli.commands.run_assembly import assembled, recast
from eigen_cli.commands.wiring import configured, open_store
from eigen_cli.console import Console
from eigen_cli.evolve.parent import limits_of

_TAKEN_OVER = (
    "tasks",
    "trials",
    "plans",
    "probe",
    "repairs",
    "attempts",
    "world_size",
    "validation",
    "evolution",
)


@click.command()
@click.argument("generation", metavar="GEN")
@run_options
@click.pass_obj
def rollback(console: Console, /, generation: str, *, dry_run: bool, fresh: bool, as_json: bool, **flags: Any) -> None:
    """Start the next round from an earlier generation.

    Makes one more round from GEN (or --rounds N), with the domains, the seed and the settings GEN was made with, unless
    a flag says otherwise, and with the backends that are configured now. Nothing is deleted: generations that were made
    from GEN before stay, and the new ones branch off beside them. The same command resumes and repeats; with the same
    answers from the same actors it makes the same generation, hash and all.

    \b
    Example: eigen rollback gen-0002
             eigen rollback gen-0002 --seed 8 --rounds 3
    """
    settings = settings_of(flags)
    stored = open_store(configured(settings).registry).generation(generation)
    config = recast(configured(_taken_over(settings, stored)), console)
    run = assembled(
        stored.body.domain,
        config,
        fresh=fresh,
        record=not dry_run,
        parent=stored.hash,
        limits=limits_of(stored),
    )
    warn(console, run)
    if dry_run:
        print_estimate(console, run, config, as_json=as_json)
    else:
        print_evolved(console, run, config, as_json=as_json)


def _say_whose(command: click.Command) -> None:
    """Let the flags' help say what holds here where they are left out: not the settings' own defaults."""
    for option in command.params:
        if isinstance(option, click.Option) and option.help and option.name in (*_TAKEN_OVER, "seed", "rounds"):
            own = "1" if option.name == "rounds" else "GEN's"
            option.help = re.sub(r"\((default |0: )[^)]*\)", f"(default {own})", option.help)


_say_whose(rollback)


def _taken_over(settings: Settings, generation: Generation) -> Settings:
    """Return settings in which those of a generation stand wherever no flag was given."""
    body, source = generation.body, f"the settings of {generation.id}"
    known = {"rounds": 1, "seed": body.seed, **{name: body.settings.get(name) for name in _TAKEN_OVER}}
    taken = {f"evolve.{name}": (source, value) for name, value in known.items()}
    return {**taken, **{key: given for key, given in settings.items() if given[1] is not None}}
