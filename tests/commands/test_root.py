"""The root command: other people's commands, and the one place where errors become exits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Eigen
from third_party import install

from eigen_cli.version import VERSION

RAISING = """
import click
from eigen_cli.api.errors import {error}

@click.command()
def fall() -> None:
    raise {raised}
"""


def install_fall(site: Path, raised: str, *, error: str = "EigenError") -> None:
    source = RAISING.format(error=error, raised=raised)
    install(site, "eigen-fall", groups={"eigen.commands": {"fall": "fall:fall"}}, modules={"fall": source})


def test_version(eigen: Eigen) -> None:
    assert eigen("--version") == (0, f"eigen, version {VERSION}\n", "")


def test_a_plugins_command_runs(eigen: Eigen) -> None:
    assert eigen("shelves") == (0, "160\n", "")


def test_an_unknown_command_gets_the_nearest(eigen: Eigen) -> None:
    expected = "eigen: error: there is no command `shelfes`\nhint: did you mean `shelves`?\n"
    assert eigen("shelfes") == (2, "", expected)


def test_a_broken_commands_package_is_named_and_costs_nobody_else(eigen: Eigen, library: Path) -> None:
    groups = {"eigen.commands": {"shatter": "shattered:shatter", "evolve": "shattered:evolve"}}
    install(library, "eigen-shattered", groups=groups, modules={"shattered": "raise RuntimeError('glass')"})
    done = eigen("shatter")
    assert done.code == 2
    assert "eigen: error: the command `shatter` of eigen-shattered cannot be loaded: RuntimeError: glass\n" in done.err
    listing = eigen("--help")
    assert listing.code == 0
    assert "shatter" in listing.out
    assert listing.out.count("\n  evolve ") == 1
    assert "Example: eigen evolve" in eigen("evolve", "--help").out


def test_a_command_that_is_none_is_refused(eigen: Eigen, library: Path) -> None:
    groups = {"eigen.commands": {"number": "numbers_only:number"}}
    install(library, "eigen-number", groups=groups, modules={"numbers_only": "number = 3"})
    assert "numbers_only:number is a int, not a click command" in eigen("number").err


@pytest.mark.parametrize(
    ("error", "raised", "code", "text"),
    [
        ("ConfigError", "ConfigError('no\\n such  key', hint='look')", 2, "no such key\nhint: look\n"),
        ("PluginError", "PluginError('gone')", 2, "gone\n"),
        ("DomainError", "DomainError('mutable')", 1, "mutable\n"),
        ("BackendError", "BackendError('nonsense')", 1, "nonsense\n"),
        ("BackendUnreachableError", "BackendUnreachableError('down')", 3, "down\n"),
        ("RegistryError", "RegistryError('locked')", 1, "locked\n"),
        ("UnknownRefError", "UnknownRefError('no gen-9')", 2, "no gen-9\n"),
        ("HubError", "HubError('refused')", 3, "refused\n"),
        ("EigenError", "OSError(28, 'No space left on device')", 1, "the disk is full"),
        ("EigenError", "PermissionError(13, 'Permission denied', 'x')", 1, "[Errno 13] Permission denied: 'x'\n"),
        (
            "EigenError",
            "ZeroDivisionError('by nought')",
            1,
            "unexpected ZeroDivisionError: by nought\nhint: this is a bug",
        ),
        ("EigenError", "KeyboardInterrupt", 130, "interrupted\n"),
        ("EigenError", "click.UsageError('odd')", 2, "odd\nhint: `eigen fall --help`"),
        ("EigenError", "click.ClickException('odd')", 1, "odd\n"),
    ],
)
def test_errors_become_exits_and_one_line(
    eigen: Eigen, library: Path, error: str, raised: str, code: int, text: str
) -> None:
    install_fall(library, raised, error=error)
    done = eigen("fall")
    assert (done.code, done.out) == (code, "")
    assert done.err.lstrip("\n").startswith(f"eigen: error: {text}")
    assert "Traceback" not in done.err


def test_a_traceback_only_with_debug(eigen: Eigen, library: Path) -> None:
    install_fall(library, "EigenError('x')")
    done = eigen("--debug", "fall")
    assert done.err.startswith("Traceback (most recent call last):")
    assert done.err.endswith("eigen: error: x\n")
    assert "Traceback" not in eigen("fall").err


def test_no_secret_reaches_an_error_or_a_traceback(
    eigen: Eigen, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret")
    monkeypatch.setenv("HF_TOKEN", "hf_alsosecret")
    install_fall(library, "EigenError('sent sk-verysecret and hf_alsosecret', hint='sk-verysecret')")
    for arguments in (("fall",), ("--debug", "fall")):
        done = eigen(*arguments)
        assert "verysecret" not in done.err
        assert "alsosecret" not in done.err
        assert "sent <OPENAI_API_KEY> and <HF_TOKEN>" in done.err


def test_quiet_silences_notes_and_not_errors(eigen: Eigen) -> None:
    assert "no generations in" in eigen("generations").err
    assert eigen("--quiet", "generations") == (0, "", "")
    assert eigen("generations", "--quiet") == (0, "", "")
    assert eigen("--quiet", "show", "gen-0001").code == 2


def test_a_full_disk_and_a_closed_stdout_leave_no_traceback() -> None:
    full = subprocess.run(
        f"{sys.executable} -m eigen_cli --help > /dev/full", shell=True, capture_output=True, check=False
    )
    assert full.returncode == 1
    assert full.stderr.startswith(b"eigen: error: the disk is full")
    assert b"Traceback" not in full.stderr
    closed = subprocess.run(f"{sys.executable} -m eigen_cli --help >&-", shell=True, capture_output=True, check=False)
    assert (closed.returncode, closed.stderr) == (0, b"")
