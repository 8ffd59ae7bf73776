"""Other processes for tests that need some."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Run a script in a Python process of its own, with piped text streams and `registry_samples` importable."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )
