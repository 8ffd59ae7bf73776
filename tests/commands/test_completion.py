"""`eigen completion`: scripts that shells accept, and names that come from what is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Eigen
from third_party import install_library


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_calls_eigen(eigen: Eigen, shell: str) -> None:
    done = eigen("completion", shell)
    assert done.code == 0
    assert f"_EIGEN_COMPLETE={shell}_complete" in done.out
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n"], input=done.out, text=True, capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


def test_an_unknown_shell(eigen: Eigen) -> None:
    done = eigen("completion", "tcsh")
    assert (done.code, done.out) == (2, "")
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in done.err


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("eigen evo", ["evolve"]),
        ("eigen sh", ["show", "shelves"]),
        ("eigen evolve tidy", ["tidy-library"]),
        ("eigen evolve x --backend o", ["offline", "openai", "oracle"]),
        ("eigen export --format j", ["jsonl"]),
        ("eigen check-domain air", ["airline"]),
    ],
)
def test_names_complete(tmp_path: Path, words: str, offered: list[str]) -> None:
    environ = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(install_library(tmp_path / "own-site")),
        "_EIGEN_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    program = [sys.executable, "-c", "from eigen_cli.main import main; main()"]
    done = subprocess.run(program, env=environ, capture_output=True, text=True, check=True)
    assert [line.partition(",")[2] for line in done.stdout.splitlines()] == offered
