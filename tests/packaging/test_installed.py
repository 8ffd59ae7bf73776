"""The wheel in a clean environment, with other people's packages beside it: one that works and two that do not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from eigen_cli.version import VERSION

pytestmark = pytest.mark.proof

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = ("tidy_library", "broken_plugin", "future_plugin")
LIGHT = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def run(*command: object, cwd: Path, environ: Mapping[str, str] = LIGHT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command], cwd=cwd, env=dict(environ), capture_output=True, text=True, check=False
    )


def build(source: Path, out: Path) -> Path:
    before = set(out.glob("*.whl"))
    done = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out, cwd=source)
    assert done.returncode == 0, done.stderr
    (wheel,) = set(out.glob("*.whl")) - before
    return wheel


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """A clean environment's folder of programs, with the wheel and the three packages installed."""
    folder = tmp_path_factory.mktemp("clean")
    plugins = [build(HERE / name, folder) for name in PACKAGES]
    assert run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder).returncode == 0
    python = folder / "venv" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--python", python)
    done = run(*pip, "install", wheel, *plugins, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "venv" / "bin"


def object_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_wheel_holds_our_packages_and_their_data_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.partition("/")[0] for name in names}
    metadata = f"eigen_cli-{VERSION}.dist-info"
    plugins = {path.parent.name for path in (ROOT / "plugins").glob("*/__init__.py")}
    assert {"eigen_airline", "eigen_tau2", "eigen_openai"} <= plugins
    assert top == {"eigen_cli", "eigen_registry", "eigen_recipes", metadata} | plugins
    assert {
        "eigen_cli/py.typed",
        "eigen_cli/roles/agent.md",
        "eigen_cli/run/prices.toml",
        f"{metadata}/licenses/LICENSE",
    } <= set(names)
    for folder in ("migrations", "contents"):
        tables = sorted(path.name for path in (ROOT / "registry/eigen_registry" / folder).glob("*.sql"))
        assert tables
        assert {f"eigen_registry/{folder}/{name}" for name in tables} <= set(names)
    assert not [name for name in names if "__pycache__" in name]


def test_help_lists_the_packages_commands(clean: Path, tmp_path: Path) -> None:
    done = run(clean / "eigen", "--help", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Commands of plugins:\n  shatter\n  shelves\n" in done.stdout
    assert run(clean / "eigen", "--version", cwd=tmp_path).stdout == f"eigen, version {VERSION}\n"
    assert run(clean / "eigen", "shelves", cwd=tmp_path).stdout == "160\n"
    broken = run(clean / "eigen", "shatter", cwd=tmp_path)
    assert broken.returncode == 2
    assert "RuntimeError: the licence server is on holiday" in broken.stderr


def test_plugins_lists_what_works_what_is_broken_and_what_is_too_new(clean: Path, tmp_path: Path) -> None:
    listed = object_of(run(clean / "eigen", "plugins", "--json", cwd=tmp_path))
    usable = {(item["kind"], item["name"], item["distribution"]) for item in listed["plugins"]}
    assert ("domain", "tidy-library", "eigen-tidy-library") in usable
    assert ("domain", "airline", "eigen-cli") in usable
    assert listed["broken"] == [
        {
            "distribution": "eigen-broken",
            "entry_point": "broken",
            "reason": "RuntimeError: the licence server is on holiday",
        }
    ]
    (future,) = listed["incompatible"]
    assert (future["name"], future["distribution"]) == ("tomorrow", "eigen-future")
    assert future["reason"] == "needs plugin API 2; this eigen speaks API 1"
    used = run(clean / "eigen", "evolve", "tomorrow", cwd=tmp_path)
    assert used.returncode == 2
    assert "the domain `tomorrow` of eigen-future needs plugin API 2" in used.stderr


@pytest.mark.parametrize("domain", ["tidy-library", "airline"])
def test_a_domain_evolves(clean: Path, tmp_path: Path, domain: str) -> None:
    flags = ("--rounds", "1", "--tasks", "8", "--trials", "1", "--json")
    report = object_of(run(clean / "eigen", "evolve", domain, *flags, cwd=tmp_path))
    (generation,) = report["generations"]
    assert (report["domain"], report["actors"], generation["tasks_proposed"]) == (domain, "offline", 8)
    assert generation["episodes"] == generation["tasks_accepted"] > 0
    shown = run(clean / "eigen", "show", "--sample", "1", cwd=tmp_path)
    assert shown.returncode == 0
    assert "SIMULATED" in shown.stdout
    assert (tmp_path / ".eigen" / "registry.duckdb").exists()


def test_the_librarys_author_checks_the_contract_in_one_line(clean: Path, tmp_path: Path) -> None:
    program = (
        "from eigen_cli.testing.contracts import check_domain; from eigen_tidy_library.domain import TidyLibrary;"
        "check_domain(TidyLibrary()); print('kept')"
    )
    done = run(clean / "python", "-c", program, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "kept\n"), done.stderr
    assert run(clean / "eigen", "check-domain", "tidy-library", cwd=tmp_path).returncode == 0
