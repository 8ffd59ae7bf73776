"""A real vLLM, two tiny models for it, and `eigen` as a user runs it. `make test-vllm` runs these tests.

EIGEN_VLLM_COMMAND names the `vllm` of an environment in which it runs on CPUs (`environment` makes one).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from third_party import install

from eigen_vllm.command import serve_command
from eigen_vllm.options import Options
from eigen_vllm.server import free_ports

# Read now: tests run without anybody's settings, and under a home of their own.
VLLM = os.environ.get("EIGEN_VLLM_COMMAND", "")
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "eigen" / "test-vllm"
_HERE = Path(__file__).parent
_PARCELS = _HERE / "parcels"
_ROOT = _HERE.parents[2]
_MARK = "EIGEN_TEST_MARK"

TRAINING = ("--rounds", "1", "--tasks", "2000", "--trials", "1", "--plans", "2", "--seed", "1", "--world-size", "8000")
"""A round whose episodes teach; the tests' own runs have another seed, and so other parcels and other wordings."""

SERVE_ARGS = ("--enforce-eager", "--max-model-len", "8192", "--dtype", "float32")
CPU = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",  # with two threads on two cores it is ten times slower: the engine's own loop needs one
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where there is no vLLM."""
    for item in items:
        if _HERE in item.path.parents and not VLLM:
            item.add_marker(pytest.mark.skip(reason="needs a real vLLM: `make test-vllm`"))


@dataclass(frozen=True)
class Models:
    """Folders of one model twice: after its training, and before it."""

    tiny: Path
    untrained: Path


@dataclass(frozen=True)
class Desk:
    """A folder in which the parcel counter is installed, and `eigen` run."""

    folder: Path
    python_path: str

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every process; its mark tells whose descendants a process is."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("EIGEN_")}
        return {**clean, "PYTHONPATH": self.python_path, _MARK: str(self.folder)}

    def eigen(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run a command line to its end."""
        return subprocess.run(
            [sys.executable, "-m", "eigen_cli", *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )

    def settings(self, agent: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        """Have vLLM play the agent."""
        lines = ["[roles.agent]", 'backend = "vllm"', *(f"{key} = {json.dumps(value)}" for key, value in agent.items())]
        lines += ["[roles.agent.options]", *(f"{key} = {json.dumps(value)}" for key, value in options.items())]
        (self.folder / "eigen.toml").write_text("\n".join(lines) + "\n")

    def supervised(self, model: Path) -> None:
        """Have a vLLM that eigen starts play the agent."""
        environment = "\n".join(f"{name} = {json.dumps(value)}" for name, value in CPU.items())
        self.settings({"model": str(model), "temperature": 0.0}, {"command": VLLM, "serve_args": list(SERVE_ARGS)})
        with (self.folder / "eigen.toml").open("a") as file:
            file.write(f"[roles.agent.options.env]\n{environment}\n")

    def rows(self) -> list[dict[str, Any]]:
        """Return the episodes of the latest generation."""
        done = self.eigen("export", "--output", "-")
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def processes(self) -> dict[int, str]:
        """Return the command lines of all processes that descend from this desk's commands and still run."""
        mark = f"{_MARK}={self.folder}".encode()
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    found[int(process.name)] = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue  # it is gone, or not ours to see
        return found


@pytest.fixture(scope="session")
def python_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a PYTHONPATH on which the parcel counter is installed."""
    site = tmp_path_factory.mktemp("site")
    install(site, "eigen-parcels", groups={"eigen": {"parcels": "eigen_parcels.hooks"}}, modules={})
    return f"{site}{os.pathsep}{_PARCELS}"


@pytest.fixture
def desk(tmp_path: Path, python_path: str) -> Desk:
    """Return an empty desk."""
    folder = tmp_path / "desk"
    folder.mkdir()
    return Desk(folder, python_path)


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory, python_path: str) -> Models:
    """Return the models, trained on eigen's own episodes by the parcel counter's clerk; about a minute, then cached."""
    folder = _CACHE / _recipe_digest()
    found = Models(folder / "qwen3-tiny-instruct", folder / "qwen3-untrained-instruct")
    if found.tiny.is_dir():
        return found
    desk = Desk(tmp_path_factory.mktemp("lessons"), python_path)
    done = desk.eigen("evolve", "parcels", "--backend", "clerk", *TRAINING)
    assert done.returncode == 0, done.stderr
    done = desk.eigen("export", "--output", "episodes.jsonl")
    assert done.returncode == 0, done.stderr
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
    fresh.mkdir(parents=True)
    trained = subprocess.run(
        [Path(VLLM).with_name("python"), _HERE / "train.py", desk.folder / "episodes.jsonl", fresh],
        # One thread: two wait for each other at every step when anything else runs.
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert trained.returncode == 0, f"{trained.stdout}\n{trained.stderr}"
    print(trained.stdout)
    fresh.rename(folder)
    return found


def _recipe_digest() -> str:
    told = hashlib.sha256(repr(TRAINING).encode())
    actors = (_ROOT / "plugins/eigen_offline").glob("*.py")  # theirs are the wordings that it learns to understand
    for path in (_HERE / "train.py", *sorted(_PARCELS.rglob("*.py")), *sorted(actors)):
        told.update(path.read_bytes())
    return told.hexdigest()[:16]


@pytest.fixture(scope="module")
def untrained_server(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the untrained model, as somebody does who starts vLLM by hand; give the address."""
    (port,) = free_ports(1)
    options, _ = Options.of({"command": VLLM, "serve_args": SERVE_ARGS})
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            serve_command(str(models.untrained), options, port=port),
            env={**os.environ, **CPU},
            stdout=out,
            stderr=out,
        )
    try:
        while not _healthy(port):
            assert server.poll() is None, log.read_text()
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(timeout=60)


def _healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2.0) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
