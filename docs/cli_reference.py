"""Writes `docs/cli.md` from the commands themselves: `python docs/cli_reference.py`, or `make docs`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from eigen_cli.api.backend import ROLES
from eigen_cli.exits import ExitCode
from eigen_cli.main import COMMANDS, cli
from eigen_cli.run.config import DEFAULTS, KEYS, variable_name

PAGE = Path(__file__).with_name("cli.md")
WIDTH = 100

_EXITS = {
    ExitCode.DONE: "done",
    ExitCode.FAILED: "the operation failed",
    ExitCode.USAGE: "a flag, a setting or a name is wrong",
    ExitCode.UNREACHABLE: "a backend, the Hub or a trainer could not be reached",
    ExitCode.GATE: "a gate was not met",
    ExitCode.INTERRUPTED: "interrupted; the same command resumes",
}


def reference() -> str:
    """Return the page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "<!-- Written by docs/cli_reference.py; change the commands, then run `make docs`. -->"
    yield "# Command line\n"
    yield "Results go to stdout, everything said about them to stderr. `--json` prints one object with a `schema`.\n"
    yield "| exit code | meaning |\n|---|---|"
    for code, meaning in _EXITS.items():
        yield f"| {int(code)} | {meaning} |"
    shape: dict[str, Any] = {"max_content_width": WIDTH, "terminal_width": WIDTH, **cli.context_settings}
    root = click.Context(cli, info_name="eigen", **shape)
    for name in COMMANDS:
        command = cli.get_command(root, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=root, **shape)
        yield f"\n## eigen {name}\n\n```\n{command.get_help(context)}\n```"
    yield "\n## Settings\n"
    yield "Read from `eigen.toml` in the working folder, then from the environment, then from flags; the later wins."
    yield "`eigen doctor` shows what holds and who set it. A role's own table (`[roles.agent]`) takes the same keys as"
    yield f"`[backend]` and wins over it; the roles are {', '.join(ROLES)}."
    yield "A role that names another backend than `[backend]` does takes no address, model or option from there.\n"
    yield "| key | default | variable |\n|---|---|---|"
    for key in KEYS:
        if not key.startswith("roles."):
            yield f"| `{key}` | `{_spelt(DEFAULTS[key])}` | `{variable_name(key)}` |"
    yield ""


def _spelt(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_spelt, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
