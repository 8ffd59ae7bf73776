"""Running `eigen eval` as a user does, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def command(*arguments: str) -> list[str]:
    """Return the argv of an `eigen eval` command line that prints JSON."""
    return [sys.executable, "-m", "eigen_cli", "eval", *arguments, "--json"]


def evaluate(folder: Path, *arguments: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Run it to its end and return its object."""
    done = subprocess.run(
        command(*arguments),
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def killed_after(folder: Path, calls: int, log: Path, *arguments: str, environment: Mapping[str, str]) -> bool:
    """Run until the actors were asked `calls` more times, then SIGKILL; False if it ended before."""
    before = len(log.read_text().splitlines()) if log.exists() else 0
    process = subprocess.Popen(
        command(*arguments),
        cwd=folder,
        env=dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while process.poll() is None:
            if log.exists() and len(log.read_text().splitlines()) >= before + calls:
                os.killpg(process.pid, signal.SIGKILL)
                return True
            time.sleep(0.002)
        return False
    finally:
        process.wait(timeout=60)
