"""`eigen doctor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from eigen_cli.commands.generation_views import SCHEMA
from eigen_cli.commands.health import Check, effective_settings, examine, key_check
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.wiring import configured
from eigen_cli.console import Console, Style, aligned
from eigen_cli.exits import ExitCode
from eigen_cli.run.sections import Setting

_STYLES: dict[str, Style] = {"ok": "green", "warning": "yellow", "failed": "red"}


@click.command()
@registry_option
@json_option
@common_options
@click.pass_obj
def doctor(console: Console, registry: str | None, as_json: bool) -> int:
    """Check the installation and show the settings.

    Says which of `eigen.toml`, EIGEN_* variables and flags set each value. Keys are only ever "set" or "not set".
    Fails where a check fails; a configured backend that does not answer is exit code 3.

    Example: eigen doctor
    """
    config = configured({"registry": ("--registry", registry)})
    settings = effective_settings(config)
    checks = [*examine(config), *key_check(config)]
    if as_json:
        console.json(_report_json(checks, settings))
    else:
        for check in checks:
            console.data(f"{check.status:>7}  {check.name}: {check.detail}", _STYLES[check.status])
        console.data("")
        console.data(aligned([(item.key, _shown(item.value), item.source) for item in settings]))
    failed = [check for check in checks if check.status == "failed"]
    if any(check.unreachable for check in failed):
        return ExitCode.UNREACHABLE
    return ExitCode.FAILED if failed else ExitCode.DONE


def _report_json(checks: Sequence[Check], settings: Sequence[Setting]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "checks": [{"name": check.name, "status": check.status, "detail": check.detail} for check in checks],
        "settings": [{"key": item.key, "value": item.value, "source": item.source} for item in settings],
    }


def _shown(value: object) -> str:
    return "-" if value in ("", {}) else str(value).lower() if isinstance(value, bool) else str(value)
