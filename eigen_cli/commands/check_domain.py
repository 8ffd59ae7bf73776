"""`eigen check-domain`."""

from __future__ import annotations

from typing import Any

import click

from eigen_cli.commands.generation_views import SCHEMA
from eigen_cli.commands.options import common_options, completed_plugins, json_option, tau2_data_option
from eigen_cli.commands.wiring import configured, load_domain
from eigen_cli.console import Console
from eigen_cli.exits import ExitCode
from eigen_cli.run.plugins import load_plugins


@click.command()
@click.argument("domain", shell_complete=completed_plugins("domain"))
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Seed of the world looked at (default 0).")
@tau2_data_option
@json_option
@common_options
@click.pass_obj
def check_domain(console: Console, domain: str, *, seed: int, tau2_data: str | None, as_json: bool) -> int:
    """Check a domain's contract.

    Builds its tools and its world, calls every tool, drafts tasks of every template (or by exploring, where there is
    none) and judges them as `eigen evolve` would. Fails with the list of what is broken; advice alone does not fail.

    Example: eigen check-domain airline
    """
    from eigen_cli.testing.contracts import examine_domain

    config = configured({"tau2_data": ("--tau2-data", tau2_data)})
    examined = load_domain(load_plugins(), domain, config)
    findings = []
    for finding in examine_domain(examined, seed=seed):
        findings.append(finding)
        if not as_json:
            status = "broken" if finding.breaches else "ok"
            console.data(
                f"{status:>6}  {finding.contract}: {finding.looked_at}", "red" if finding.breaches else "green"
            )
            for breach in finding.breaches:
                console.data(f"        - {breach}")
            for text in finding.advice:
                console.data(f"        - advice: {text}", "yellow")
    if as_json:
        found: list[dict[str, Any]] = [
            {"contract": item.contract, "looked_at": item.looked_at, "breaches": item.breaches, "advice": item.advice}
            for item in findings
        ]
        console.json({"schema": SCHEMA, "domain": examined.name, "version": examined.version, "contracts": found})
    return ExitCode.FAILED if any(finding.breaches for finding in findings) else ExitCode.DONE
