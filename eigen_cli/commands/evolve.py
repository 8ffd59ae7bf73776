"""`eigen evolve`."""

from __future__ import annotations

from typing import Any

import click

from eigen_cli.api.errors import ConfigError
from eigen_cli.commands.evolve_views import preview_lines, previewed_json
from eigen_cli.commands.evolving import finished, print_estimate, print_evolved, run_options, settings_of, warn
from eigen_cli.commands.options import completed_plugins
from eigen_cli.commands.record_views import PIPED
from eigen_cli.commands.run_assembly import assembled, recast
from eigen_cli.commands.wiring import configured
from eigen_cli.console import Console
from eigen_cli.evolve.runs import Run


def _completed_domains(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the last name of a list joined by commas."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in completed_plugins("domain")(ctx, param, last)]


@click.command()
@click.argument("domain", shell_complete=_completed_domains)
@click.option("--from", "parent", metavar="GEN", help="Go on from a sealed generation: N new rounds after it.")
@click.option(
    "--preview", type=click.IntRange(min=1), metavar="N", help="Show N tasks of each domain before paying for the rest."
)
@run_options
@click.pass_obj
def evolve(
    console: Console,
    /,
    domain: str,
    *,
    parent: str | None,
    dry_run: bool,
    preview: int | None,
    fresh: bool,
    as_json: bool,
    **flags: Any,
) -> None:
    """Evolve generations of verified tasks and episodes.

    DOMAIN is a domain, or several joined by commas: then every round holds tasks of each, and its figures by domain.
    Runs N rounds and seals each as a generation. An interrupted run resumes with the same command, a completed one is
    printed, and a larger --rounds extends it. Without --backend the actors are simulated (SIMULATED): for trying out
    and testing, never training data.

    With --from the first round follows GEN: its plans are reflected on with what came of them, and what nearly repeats
    a task of GEN or of its ancestors is turned down. `eigen rollback GEN` does it with GEN's own settings.

    \b
    Example: eigen evolve airline --rounds 5 --tasks 40 --trials 4 --seed 7
             eigen evolve airline,retail,telecom --rounds 5 --tasks 120
             eigen evolve airline --from gen-0003 --rounds 2
    """
    if parent is not None and preview is not None:
        raise ConfigError(
            "--preview shows the first tasks of a run that begins, not of one that goes on from a generation",
            hint="leave --preview out; --dry-run says what the run would cost",
        )
    config = recast(configured(settings_of(flags)), console)
    run = assembled(domain, config, fresh=fresh, record=not dry_run, parent=parent)
    warn(console, run)
    if dry_run:
        print_estimate(console, run, config, as_json=as_json)
        return
    if preview is not None:
        run = _previewed(console, run, preview, as_json=as_json)
        if as_json or not console.confirmed("Go on with the whole run?"):
            console.note("the same command without --preview goes on; what was written is not paid for again")
            return
    print_evolved(console, run, config, as_json=as_json)


def _previewed(console: Console, run: Run, count: int, *, as_json: bool) -> Run:
    from eigen_cli.evolve.preview import preview, previewed

    proposals = finished(console, preview(run, count))
    if as_json:
        console.json(previewed_json(run, proposals))
    else:
        console.lines(preview_lines(run, proposals, width=console.width(PIPED)))
    return previewed(run)
