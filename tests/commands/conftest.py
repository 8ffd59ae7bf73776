"""Commands work on real registries: one that the library domain evolved, one sealed by hand as a model's would be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands_shared import EVOLVE, Evolved
from eigen_tidy_library.domain import TidyLibrary
from third_party import install_library

from eigen_cli.testing.drafted import contract_context, drafted_tasks
from eigen_cli.testing.sample_generation import seal_sample
from eigen_registry import open_registry


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the library's package installed; return the folder other packages may be installed into."""
    for folder in install_library(tmp_path / "site"):
        monkeypatch.syspath_prepend(folder)
    return tmp_path / "site"


@pytest.fixture(autouse=True)
def forget_modules(tmp_path: Path) -> Iterator[None]:
    """Forget the modules of packages that were installed for one test."""
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture(scope="session")
def evolved(tmp_path_factory: pytest.TempPathFactory) -> Evolved:
    """Two generations of the library domain, made by the program itself. Read only."""
    folder = tmp_path_factory.mktemp("evolved")
    path = install_library(folder / "site")
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    command = [sys.executable, "-m", "eigen_cli", *EVOLVE, "--registry", str(folder / "reg"), "--json"]
    done = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=True)
    return Evolved(folder / "reg", json.loads(done.stdout))


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry whose one generation is not simulated, with awkward words in it. Read only."""
    context = contract_context(TidyLibrary())
    folder = tmp_path_factory.mktemp("real")
    seal_sample(open_registry(folder), context, list(drafted_tasks(context, each=2)))
    return folder
