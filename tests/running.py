"""Running `eigen evolve` as a user does: in a process of its own, against a server in another."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SETTINGS = """
[backend]
name = "openai"
model = "offline"
base_url = "{url}"
connect_timeout = 60.0
max_retries = 2

[backend.options]
simulated_inputs = true
patience = 1.0
"""

SMALL = ("--rounds", "2", "--tasks", "6", "--trials", "2", "--plans", "2", "--seed", "5")
"""A run of two rounds that passes through every role and takes about a second on the offline actors."""

MIX = "airline,telecom"
"""Two domains of one run: a user without tools, and one with."""
SMALL_MIX = ("--rounds", "2", "--tasks", "5", "--trials", "1", "--plans", "1", "--seed", "5")
"""The same for both of them, in about the same time."""


def command(*arguments: str, python: str = sys.executable) -> list[str]:
    """Return the argv of an `eigen` command line."""
    return [python, "-m", "eigen_cli", *arguments]


def evolve(
    folder: Path,
    *arguments: str,
    domain: str = "airline",
    environment: Mapping[str, str] | None = None,
    python: str = sys.executable,
) -> dict[str, Any]:
    """Run `eigen evolve --json` in a folder to its end and return its object."""
    done = subprocess.run(
        command("evolve", domain, *arguments, "--json", python=python),
        cwd=folder,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def hashes(outcome: Mapping[str, Any]) -> list[str]:
    """Return the hashes of the generations a command printed."""
    return [generation["hash"] for generation in outcome["generations"]]


def start(folder: Path, *arguments: str, domain: str = "airline") -> subprocess.Popen[bytes]:
    """Start `eigen evolve` in a folder."""
    return subprocess.Popen(
        command("evolve", domain, *arguments, "--json"),
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def journal_size(folder: Path) -> int:
    """Return the bytes of the one journal in a folder's registry, or 0 before there is one."""
    return sum(path.stat().st_size for path in (folder / ".eigen" / "journals").glob("*.journal"))


def killed_at(
    folder: Path, size: int, arguments: Sequence[str], *, after: float = 0.0, domain: str = "airline"
) -> bool:
    """Run until the journal holds `size` bytes (and `after` seconds more), then SIGKILL; False if it ended before."""
    process = start(folder, *arguments, domain=domain)
    try:
        while process.poll() is None:
            if journal_size(folder) >= size:
                time.sleep(after)
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    return True
            time.sleep(0.001)
        return False
    finally:
        process.wait(timeout=60)


@contextmanager
def server(folder: Path, *, latency_ms: float = 3.0) -> Iterator[tuple[str, Path]]:
    """Serve the offline actors behind an OpenAI-compatible API in another process; yields its URL and its log."""
    log = folder / "requests.log"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "eigen_cli.testing.openai_server", "--port", "0"),
            *("--latency-ms", str(latency_ms), "--log", str(log)),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), log
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


def use_server(folder: Path, url: str) -> None:
    """Write an `eigen.toml` that sends every role to the server."""
    folder.mkdir(exist_ok=True)
    (folder / "eigen.toml").write_text(SETTINGS.format(url=url))
