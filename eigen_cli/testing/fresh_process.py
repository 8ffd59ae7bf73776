"""The same work in another process, where what depends on the hash seed comes out differently."""

from __future__ import annotations

import os
import subprocess
import sys

from eigen_cli.api.domain import Domain
from eigen_cli.api.tasks import WorldRef


def world_hash_elsewhere(domain: Domain, ref: WorldRef) -> str | None:
    """Return the world's hash in a fresh process under another hash seed; None where the domain is not importable."""
    cls = type(domain)
    program = (
        "import sys, importlib; from eigen_cli.api.tasks import WorldRef; from eigen_cli.world.base import build_base;"
        f"sys.path[:] = {sys.path!r};"
        f"domain = getattr(importlib.import_module({cls.__module__!r}), {cls.__qualname__!r})();"
        f"print(build_base(domain, WorldRef({ref.seed}, {ref.size}), freeze=False).hash)"
    )
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=False,
    )
    return done.stdout.strip() if done.returncode == 0 else None
