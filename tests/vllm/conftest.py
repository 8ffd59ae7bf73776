"""A stand-in for vLLM, and what became of the processes it started."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from eigen_cli.api.backend import BackendSettings, CallKey, Chat, Request
from eigen_vllm.backend import VllmBackend

STANDIN = Path(__file__).with_name("standin.py")
MODEL = "acme/qwen3-tiny-instruct"


@dataclass(frozen=True)
class Standin:
    """The stand-in, and the folder where its processes leave their ids."""

    folder: Path

    @property
    def command(self) -> tuple[str, ...]:
        """How it is run."""
        return sys.executable, str(STANDIN)

    def environment(self, **behaviour: object) -> dict[str, str]:
        """Return variables that have it misbehave: `load=2` is STANDIN_LOAD=2."""
        return {
            "STANDIN_FOLDER": str(self.folder),
            **{f"STANDIN_{name.upper()}": str(value) for name, value in behaviour.items()},
        }

    def starts(self) -> list[list[str]]:
        """Return the GPUs and arguments of every start, the ports in rising order."""
        return sorted(path.read_text().split("\n") for path in self.folder.glob("*.server"))

    def alive(self) -> list[str]:
        """Return the processes that are still there: servers and their workers."""
        return sorted(path.name for path in self.folder.iterdir() if _runs(path.stem))


def _runs(process: str) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")  # dead ones may wait for a parent that never asks


@pytest.fixture
def standin(tmp_path: Path) -> Standin:
    """Return the stand-in; needs Linux, whose /proc tells who is alive."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("who is alive is read from /proc")
    folder = tmp_path / "processes"
    folder.mkdir()
    return Standin(folder)


Run = Callable[..., VllmBackend]


@pytest.fixture
async def run(standin: Standin, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Run]:
    """Return a maker of backends that run the stand-in; they are closed at the end."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    made: list[VllmBackend] = []

    def make(options: dict[str, Any] | None = None, **behaviour: object) -> VllmBackend:
        given = {
            "command": standin.command,
            "env": standin.environment(**behaviour),
            "backoff": 0.01,
            "ready_timeout": 30.0,
        }
        backend = VllmBackend(BackendSettings(model=MODEL, options=given | (options or {})))
        made.append(backend)
        return backend

    yield make
    for backend in made:
        await backend.close()


@pytest.fixture
def ask() -> Callable[..., Request]:
    """Return a maker of an agent's requests."""

    def make(text: str, *, task: str = "task", **more: Any) -> Request:
        key = CallKey("r0", 1, "plan", task, 0, "agent", 0, 0)
        return Request(role="agent", key=key, inputs=None, chat=Chat.of({"role": "user", "content": text}), **more)

    return make
