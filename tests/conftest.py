"""What every test stands on: an environment of its own, and `eigen` as a function."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command_line import Eigen, Outcome

from eigen_cli.main import run

_SECRETS = ("_KEY", "_TOKEN", "_SECRET")


@pytest.fixture(autouse=True)
def own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, under an empty home, without anybody's settings or keys."""
    for name in os.environ:
        if name.startswith("EIGEN_") or name.upper().endswith(_SECRETS):
            monkeypatch.delenv(name)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    # What a client of the Hub remembers of a server must not be taken for knowledge of the next one at its port.
    monkeypatch.setenv("HF_HOME", str(tmp_path / ".cache" / "huggingface"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def eigen(capfd: pytest.CaptureFixture[str]) -> Eigen:
    """Run a command line in this process: `eigen("generations", "--json")`."""

    def run_command(*arguments: object) -> Outcome:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Outcome(int(code), out, err)

    return run_command
